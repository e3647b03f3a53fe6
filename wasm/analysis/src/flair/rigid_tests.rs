use super::*;
use crate::flair::test_head::{Head, Scan, FLAIR, MIDDLE};
use crate::numbers::random::Random;

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

#[test]
fn nmi_agrees_with_counting_point_by_point() {
    let mut random = Random::new(12);
    let shape = [11, 9, 10];
    let ijk_from_ras =
        Affine::from_parts([[0.0, 0.9, 0.1], [1.1, 0.0, 0.0], [0.0, -0.1, 1.0]], [5.0, 4.0, 5.0]);
    // More points than one part holds; some fall outside.
    let level = Level {
        points: (0..3 * PART + 100).map(|_| [0; 3].map(|_| random.range(-5.0, 5.0))).collect(),
        bins: (0..3 * PART + 100).map(|_| random.below(BINS) as u8).collect(),
        flair: (0..shape.iter().product()).map(|_| random.range(0.0, 31.0) as f32).collect(),
        shape,
        ijk_from_ras,
    };
    for shift in [0.0, 0.7, 1.9] {
        let moved =
            Affine::from_parts([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [shift, 0.0, 0.0]);
        let mut joint = vec![0u64; BINS * BINS];
        let mut inside = 0;
        for (p, &bin) in level.points.iter().zip(&level.bins) {
            let q = ijk_from_ras.apply(moved.apply(*p));
            if (0..3).all(|a| q[a] >= -0.5 && q[a] <= shape[a] as f64 - 0.5) {
                let v = f64::from(trilinear_border(&level.flair, shape, q));
                // Both neighbours of the value, in 256ths.
                let upper = (v.fract() * 256.0).floor() as u64;
                joint[usize::from(bin) * BINS + v.floor() as usize] += 256 - upper;
                if upper > 0 {
                    joint[usize::from(bin) * BINS + v.floor() as usize + 1] += upper;
                }
                inside += 1;
            }
        }
        assert!(inside > level.points.len() / 2 && inside < level.points.len());
        assert!((level.nmi(&moved) - nmi_of(&joint)).abs() < 1e-12, "shift {shift}");
    }
    let away = Affine::from_parts([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [9.0, 0.0, 0.0]);
    assert_eq!(level.nmi(&away), 0.0);
}

#[test]
fn register_recovers_a_known_motion_of_the_head() {
    let head = Head::at_rest();
    let truth = affine_about(&[0.12, -0.08, 0.1, 9.0, -12.0, 7.0], MIDDLE);
    let scan = Scan::new(FLAIR, 3.0, &truth, &[], 31);
    let found = register(&scan.flair(), &head.side()).unwrap();
    let (mut sum, mut n) = (0.0, 0.0);
    for (at, _) in head.labels.iter().enumerate().filter(|(_, &l)| is_brain(l)).step_by(97) {
        let p = head.grid.ras_from_ijk.apply(head.window.ijk(at).map(|v| v as f64));
        let back = found.t1_from_flair.apply(truth.invert().unwrap().apply(p));
        sum += (0..3).map(|a| (back[a] - p[a]).powi(2)).sum::<f64>().sqrt();
        n += 1.0;
    }
    assert!(sum / n < 0.5, "{} mm", sum / n);
    assert!(found.overlap > 0.99 && found.nmi > LEAST_NMI);
}

#[test]
fn register_refuses_a_series_that_shows_another_thing() {
    let head = Head::at_rest();
    let mut scan = Scan::new(FLAIR, 5.0, &Affine::IDENTITY, &[], 32);
    let mut random = Random::new(33);
    scan.voxels.iter_mut().for_each(|v| *v = random.range(0.0, 400.0) as f32);
    let refused = register(&scan.flair(), &head.side()).unwrap_err();
    assert_eq!((refused.code(), refused.reason()), ("engine.unsupported_input", "flair registration"));
}
