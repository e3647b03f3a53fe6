use super::*;
use crate::atlas::ORIGIN_MM;
use crate::numbers::random::Random;
use crate::voxels::sample::trilinear_zero;

/// Noise with structures of a few millimetres inside a ball.
fn phantom(seed: u64) -> (Vec<f32>, Vec<f32>) {
    let mut random = Random::new(seed);
    let count = ATLAS_SHAPE.iter().product();
    let mut image: Vec<f32> = (0..count).map(|_| random.unit() as f32).collect();
    gaussian(&mut image, ATLAS_SHAPE, [2.5; 3], 1);
    let weight = (0..count)
        .map(|v: usize| {
            let p = [v % 91, v / 91 % 109, v / (91 * 109)].map(|c| c as f64);
            let d = (p[0] - 45.0).powi(2) + (p[1] - 54.0).powi(2) + (p[2] - 45.0).powi(2);
            f32::from(u8::from(d < 25.0 * 25.0))
        })
        .collect();
    (image.iter().map(|v| 30.0 * (v - 0.47)).collect(), weight)
}

#[test]
fn attempt_finds_a_known_deformation() {
    let (template, weight) = phantom(141);
    let velocity = [0.9f32, 1.1, 1.3].map(|f| {
        (0..COUNT)
            .map(|v| {
                let p = [v % SHAPE[0], v / SHAPE[0] % SHAPE[1], v / SLICE].map(|c| c as f32 / 9.0);
                3.0 * (f * p[0] + p[1]).sin() * (p[2] + f).cos()
            })
            .collect()
    });
    let truth = Displacement::exponential(&velocity, 1.0);
    let back = Displacement::exponential(&velocity, -1.0);
    // Subject at p shows what the template shows at the point that is sent to p.
    let subject: Vec<f32> = (0..template.len())
        .map(|v| {
            let q = back.displaced(Atlas::mm([v % 91, v / 91 % 109, v / (91 * 109)].map(|c| c as f64)));
            trilinear_zero(&template, ATLAS_SHAPE, [0, 1, 2].map(|a| (q[a] - ORIGIN_MM[a]) / 2.0)) as f32
        })
        .collect();
    let mut both = levels(&subject, &template, &weight);
    let brain: Vec<bool> =
        (0..COUNT).map(|v| weight[2 * (v % 46 + 91 * (v / 46 % 55 + 109 * (v / SLICE)))] > 0.0).collect();
    let found = attempt(&mut both, &brain, LAMBDA);
    let found_figures = (found.lncc, found.jacobian);
    let map = found.from_atlas();
    let (mut before, mut after, mut n) = (0.0, 0.0, 0.0);
    for v in (0..COUNT).filter(|&v| brain[v]) {
        let (t, g) = (truth.vectors[v], map.vectors[v]);
        before += (0..3).map(|a| f64::from(t[a]).powi(2)).sum::<f64>().sqrt();
        after += (0..3).map(|a| f64::from(t[a] - g[a]).powi(2)).sum::<f64>().sqrt();
        n += 1.0;
    }
    assert!(before / n > 1.5 && after < 0.35 * before, "{} {}", before / n, after / n);
    assert!(found.lncc[1] > 0.8 && found.jacobian.folded_fraction == 0.0, "{found_figures:?}");
    assert!(found.jacobian.min > 0.2 && found.jacobian.p99 < 3.0);
    let (p, q) = ([12.0, -20.0, 15.0], found.to_atlas().displaced(map.displaced([12.0, -20.0, 15.0])));
    (0..3).for_each(|a| assert!((p[a] - q[a]).abs() < 0.1));
}

#[test]
fn cosine_of_pi_agrees_with_the_library() {
    for n in 0..=1000 {
        let x = f64::from(n) / 1000.0;
        assert!((cosine_of_pi(x) - (std::f64::consts::PI * x).cos()).abs() < 1e-12);
    }
}

#[test]
fn step_first_moves_by_the_rate_against_the_gradient() {
    let mut field = vec![[0f32; 4]; COUNT];
    let mut gradient = vec![[0f32; 4]; COUNT];
    gradient[7] = [2.0, -3.0, 0.0, 0.0];
    let mut moments = vec![[[0f32; 4]; 2]; COUNT];
    step(&mut field, &gradient, &mut moments, 0.35 / (1.0 - 0.9), 1.0 / (1.0 - 0.999));
    assert!((field[7][0] + 0.35).abs() < 1e-4 && (field[7][1] - 0.35).abs() < 1e-4);
    assert!(field[7][2] == 0.0 && field[8] == [0.0; 4]);
}

/// An atlas that holds no more than `deform` reads.

#[test]
fn without_folds_repeats_stiffer_only_what_folds() {
    for (folded, lambdas) in [(0.0, vec![0.02]), (MAX_FOLDED, vec![0.02]), (0.0011, vec![0.02, 0.05])] {
        let mut asked = Vec::new();
        let found = without_folds(|lambda| {
            asked.push(lambda);
            // folds at any stiffness: there is no third attempt
            let jacobian = JacobianRange { min: 0.1, p1: 0.3, p99: 2.5, folded_fraction: folded };
            Deformation {
                velocity: [0; 3].map(|_| Vec::new()),
                lncc: [0.6; 2],
                jacobian,
                lambda,
                iterations: ITERATIONS,
            }
        });
        assert_eq!((found.lambda, asked), (*lambdas.last().unwrap(), lambdas));
    }
}
