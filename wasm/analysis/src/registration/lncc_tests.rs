use super::*;
use crate::numbers::random::Random;

const SHAPE: Shape = [13, 11, 9];
const COUNT: usize = 13 * 11 * 9;

fn noise(seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..COUNT).map(|_| random.unit() as f32).collect()
}

/// The definition with sums over each cube, in f64.
fn naive(image: &[f64], template: &[f32], weight: &[f32], radius: usize) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for v in 0..COUNT {
        let at = [v % 13, v / 13 % 11, v / 143];
        let range = |a: usize| at[a].saturating_sub(radius)..=(at[a] + radius).min(SHAPE[a] - 1);
        let mut moments = [0.0; 6];
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let n = x + 13 * (y + 11 * z);
                    let (a, b) = (image[n], f64::from(template[n]));
                    moments.iter_mut().zip([1.0, a, b, a * a, b * b, a * b]).for_each(|(m, t)| *m += t);
                }
            }
        }
        let [a, b, aa, bb, ab] = [1, 2, 3, 4, 5].map(|n| moments[n] / moments[0]);
        let w = f64::from(weight[v]);
        sum += w * (ab - a * b).powi(2) / ((aa - a * a) * (bb - b * b) + 1e-4);
        total += w;
    }
    sum / total
}

fn widen(image: &[f32]) -> Vec<f64> {
    image.iter().map(|&v| f64::from(v)).collect()
}

#[test]
fn correlate_agrees_with_sums_over_each_cube() {
    for radius in 1..=3 {
        let (image, template) = (noise(121), noise(122));
        let weight: Vec<f32> = noise(123).iter().map(|&w| if w < 0.4 { 0.0 } else { w }).collect();
        let mut lncc = Lncc::new(template.clone(), weight.clone(), SHAPE, radius);
        let want = naive(&widen(&image), &template, &weight, radius);
        assert!((lncc.correlate(&image) - want).abs() < 1e-5);
    }
}

#[test]
fn correlate_of_an_inverted_template_is_nearly_one() {
    let template = noise(124);
    let inverted: Vec<f32> = template.iter().map(|v| 1.5 - 0.8 * v).collect();
    let mut lncc = Lncc::new(template, vec![1.0; COUNT], SHAPE, 2);
    assert!(lncc.correlate(&inverted) > 0.95);
}

#[test]
fn gradient_slice_agrees_with_finite_differences() {
    for radius in 1..=3 {
        let (image, template) = (noise(125), noise(126));
        let weight: Vec<f32> = noise(127).iter().map(|&w| if w < 0.4 { 0.0 } else { 1.0 }).collect();
        let mut lncc = Lncc::new(template.clone(), weight.clone(), SHAPE, radius);
        lncc.correlate(&image);
        let mut got = vec![0f32; COUNT];
        (0..9).for_each(|k| lncc.gradient_slice(&image, k, &mut got[k * 143..(k + 1) * 143]));
        for v in (0..COUNT).step_by(29).chain([0, COUNT - 1]) {
            let mut moved = widen(&image);
            moved[v] += 1e-4;
            let up = naive(&moved, &template, &weight, radius);
            moved[v] -= 2e-4;
            let want = (up - naive(&moved, &template, &weight, radius)) / 2e-4;
            assert!((f64::from(got[v]) - want).abs() < 2e-6 + 1e-3 * want.abs(), "{} {want}", got[v]);
        }
    }
}
