use super::*;
use crate::random::Random;

#[test]
fn nmi_of_agrees_with_summing_probabilities() {
    let mut random = Random::new(9);
    let joint: Vec<u64> = (0..BINS * BINS).map(|_| random.below(50) as u64).collect();
    let total: u64 = joint.iter().sum();
    let p = |a: usize, b: usize| joint[a * BINS + b] as f64 / total as f64;
    let mut information = 0.0;
    let mut both = 0.0;
    for a in 0..BINS {
        for b in 0..BINS {
            let (pa, pb) = ((0..BINS).map(|x| p(a, x)).sum::<f64>(), (0..BINS).map(|x| p(x, b)).sum::<f64>());
            if p(a, b) > 0.0 {
                information += p(a, b) * (p(a, b) / (pa * pb)).ln();
                both -= p(a, b) * p(a, b).ln();
            }
        }
    }
    assert!((nmi_of(&joint) - (1.0 + information / both)).abs() < 1e-12);
}

#[test]
fn climb_reaches_the_top_of_a_tilted_hill() {
    let top: Motion = [0.11, -0.05, 0.07, 6.0, -9.0, 3.0];
    let hill = |m: &Motion| {
        let d: Motion = std::array::from_fn(|k| (m[k] - top[k]) * if k < 3 { RADIUS_MM } else { 1.0 });
        -(0..6).map(|k| d[k] * d[k]).sum::<f64>() - 0.5 * d[0] * d[4]
    };
    let (found, _) = climb(hill, [0.0; 6], 8.0, 0.01);
    (0..6).for_each(|k| assert!((found[k] - top[k]).abs() < 0.02));
}

#[test]
fn ln_agrees_with_the_platform() {
    let mut random = Random::new(4);
    for _ in 0..20_000 {
        let x = random.range(-27.0, 0.0).exp();
        assert!((ln(x) - x.ln()).abs() < 1e-14, "x = {x}");
    }
    assert_eq!(ln(1.0), 0.0);
}
