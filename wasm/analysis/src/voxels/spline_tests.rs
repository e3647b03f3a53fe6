use super::*;
use crate::numbers::random::Random;
use crate::voxels::filter::{mirrored, weigh};

/// The cubic B-spline by its pieces.
fn basis(d: f64) -> f64 {
    match d.abs() {
        d if d < 1.0 => 2.0 / 3.0 - d * d + d.powi(3) / 2.0,
        d if d < 2.0 => (2.0 - d).powi(3) / 6.0,
        _ => 0.0,
    }
}

/// Coefficients whose spline runs through the samples of each line, by iteration on (c[i-1] + 4 c[i] + c[i+1]) / 6 = s[i].
pub fn naive_coefficients(samples: &[f32], shape: Shape, axis: usize) -> Vec<f32> {
    let stride = [1, shape[0], shape[0] * shape[1]][axis];
    let place = |v: usize, step: isize| {
        let at = v / stride % shape[axis];
        v - at * stride + mirrored(at as isize + step, shape[axis]) * stride
    };
    let mut c: Vec<f64> = samples.iter().map(|&s| f64::from(s)).collect();
    for _ in 0..100 {
        for v in 0..c.len() {
            c[v] = (6.0 * f64::from(samples[v]) - c[place(v, -1)] - c[place(v, 1)]) / 4.0;
        }
    }
    c.into_iter().map(|v| v as f32).collect()
}

/// Sum over all coefficients, those mirrored beyond the ends among them.
pub fn naive_spline(coefficients: &[f32], shape: Shape, p: [f64; 3], is_cubic: [bool; 3]) -> f64 {
    let mut sum = 0.0;
    for k in -2..shape[2] as isize + 2 {
        for j in -2..shape[1] as isize + 2 {
            for i in -2..shape[0] as isize + 2 {
                let weight = |a: usize, at: isize| {
                    let d = p[a] - at as f64;
                    if is_cubic[a] {
                        basis(d)
                    } else {
                        (1.0 - d.abs()).max(0.0)
                    }
                };
                let [x, y, z] = [(0, i), (1, j), (2, k)].map(|(a, at)| mirrored(at, shape[a]));
                let value = coefficients[x + shape[0] * (y + shape[1] * z)];
                sum += f64::from(value) * weight(0, i) * weight(1, j) * weight(2, k);
            }
        }
    }
    sum
}

#[test]
fn coefficient_kernel_makes_the_coefficients_of_the_spline_through_the_samples() {
    let mut random = Random::new(31);
    let samples: Vec<f32> = (0..30).map(|_| random.range(0.0, 200.0) as f32).collect();
    let want = naive_coefficients(&samples, [30, 1, 1], 0);
    let w = coefficient_kernel();
    let radius = w.len() - 1;
    let line: Vec<f32> =
        (0..30 + 2 * radius).map(|at| samples[mirrored(at as isize - radius as isize, 30)]).collect();
    let mut got = vec![0f32; 30];
    weigh(&mut got, &line, radius, 1, &w);
    for (at, (got, want)) in got.iter().zip(&want).enumerate() {
        assert!((got - want).abs() < 0.02, "{at}: {got} {want}");
    }
    assert!((w[0] + 2.0 * w[1..].iter().sum::<f32>() - 1.0).abs() < 1e-6);
}

#[test]
fn sample_spline_agrees_with_the_sum_over_all_coefficients() {
    let mut random = Random::new(32);
    for shape in [[7, 6, 5], [4, 9, 1], [1, 2, 3]] {
        let n = shape.iter().product();
        let coefficients: Vec<f32> = (0..n).map(|_| random.range(-50.0, 200.0) as f32).collect();
        for is_cubic in [[true; 3], [true, false, true], [false; 3]] {
            for _ in 0..200 {
                let p = shape.map(|n| random.range(0.0, (n - 1) as f64));
                let got = sample_spline(&coefficients, shape, p, is_cubic);
                let want = naive_spline(&coefficients, shape, p, is_cubic);
                assert!((f64::from(got) - want).abs() < 1e-3, "{shape:?} {p:?}: {got} {want}");
            }
        }
    }
}
