use super::*;
use crate::numbers::random::Random;
use crate::tissue::prior::Window;

/// A prior over random voxels of the conformed grid with random classes.
pub fn random_prior(seed: u64, n: usize) -> Prior {
    let mut random = Random::new(seed);
    let window = Window { low: [60, 70, 50], shape: [40, 38, 36] };
    let mut voxels: Vec<u32> = (0..n).map(|_| random.below(window.count()) as u32).collect();
    voxels.sort_unstable();
    voxels.dedup();
    let mut class = Vec::new();
    for _ in &voxels {
        let row: Vec<f64> = (0..CLASSES).map(|_| random.unit().powi(6)).collect();
        let total: f64 = row.iter().sum();
        class.extend(row.iter().map(|v| (v / total) as f32));
    }
    let best = vec![1; class.len()];
    Prior { window, voxels, class, best }
}

fn random_mixture(random: &mut Random) -> Mixture {
    let mut m = Mixture { mean: [0.0; LANES], variance: [1.0; LANES], weight: [1.0; LANES] };
    for l in 0..LANES - 1 {
        m.mean[l] = random.range(0.1, 1.1);
        m.variance[l] = random.range(0.004, 0.02);
    }
    m.weight[..3].copy_from_slice(&[0.2, 0.5, 0.3]);
    m
}

fn density(y: f64, m: &Mixture, l: usize) -> f64 {
    m.weight[l] * (-0.5 * (y - m.mean[l]).powi(2) / m.variance[l]).exp()
        / (std::f64::consts::TAU * m.variance[l]).sqrt()
}

#[test]
fn update_agrees_with_the_definition_in_f64() {
    let mut random = Random::new(51);
    let prior = random_prior(52, 3000);
    let y: Vec<f32> = prior.voxels.iter().map(|_| random.range(0.05, 1.2) as f32).collect();
    let old = random_mixture(&mut random);
    let got = update(&y, &prior, &old, 0.3);
    let mut rows = Vec::new();
    for (&y, p) in y.iter().zip(prior.class.chunks_exact(CLASSES)) {
        let g: Vec<f64> = (0..15).map(|l| density(f64::from(y), &old, l)).collect();
        let l0 = g[0] + g[1] + g[2] + 1e-5;
        let mut q: Vec<f64> = vec![f64::from(p[0]) * l0];
        q.extend((1..CLASSES).map(|k| f64::from(p[k]) * (g[k + 2] + 1e-5)));
        let total: f64 = q.iter().sum();
        let mut r: Vec<f64> = (0..3).map(|j| q[0] / total * g[j] / l0).collect();
        r.extend((1..CLASSES).map(|k| q[k] / total));
        rows.push((f64::from(y), r));
    }
    for l in 0..15 {
        let s: f64 = rows.iter().map(|(_, r)| r[l]).sum::<f64>() + 1e-3;
        let mut mean = rows.iter().map(|(y, r)| r[l] * y).sum::<f64>() / s;
        let mut variance = rows.iter().map(|(y, r)| r[l] * (y - mean).powi(2)).sum::<f64>() / s;
        if (3..=12).contains(&l) {
            variance = variance.clamp(0.07f64.powi(2), 0.08f64.powi(2));
        } else if l > 12 {
            mean = mean.min(0.36);
            variance = variance.clamp(0.07f64.powi(2), 0.09f64.powi(2));
        }
        assert!((got.mean[l] - mean).abs() < 1e-5, "mean {l}");
        assert!((got.variance[l] - variance.max(2e-4)).abs() < 1e-5, "variance {l}");
    }
    assert!((got.weight[..3].iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn bias_field_recovers_a_smooth_gain() {
    let mut random = Random::new(53);
    let mut prior = random_prior(54, 60_000);
    let mut m = random_mixture(&mut random);
    m.mean[lane(3)] = 1.0;
    m.variance[lane(3)] = 0.005;
    for row in prior.class.chunks_exact_mut(CLASSES) {
        row.fill(0.0);
        row[3] = 1.0;
    }
    let gain = 1.2f32;
    let intensity = vec![gain; prior.voxels.len()];
    let field = bias_field(&intensity, &intensity, &prior, &m, &m);
    assert!(field.iter().all(|b| (b - gain).abs() < 1e-3));
}

#[test]
fn check_contrast_refuses_what_is_not_t1_weighted() {
    let mut m = Mixture { mean: [0.0; LANES], variance: [1.0; LANES], weight: [1.0; LANES] };
    for (white, grey, fluid, fine) in [
        (0.9, 0.6, 0.2, true),
        (0.6, 0.9, 0.2, false),
        (0.9, 0.78, 0.2, true),
        (0.9, 0.84, 0.2, false),
        (0.9, 0.6, 0.7, false),
    ] {
        (m.mean[lane(3)], m.mean[lane(1)], m.mean[lane(11)]) = (white, grey, fluid);
        (m.mean[lane(4)], m.mean[lane(2)]) = (white, 0.85 * white);
        assert_eq!(check_contrast(&m).is_ok(), fine);
    }
    // a FLAIR whose cerebral classes have changed places
    (m.mean[lane(3)], m.mean[lane(1)], m.mean[lane(11)]) = (1.1, 0.9, 0.3);
    (m.mean[lane(4)], m.mean[lane(2)]) = (1.07, 1.13);
    assert_eq!(check_contrast(&m).unwrap_err().reason(), "contrast");
}

/// The prior's voxels painted with their most probable class.
fn painted(prior: &Prior, means: &[f64; CLASSES], seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut conformed = vec![0u8; SIDE.pow(3)];
    for (&at, row) in prior.voxels.iter().zip(prior.class.chunks_exact(CLASSES)) {
        let top = (0..CLASSES).fold(0, |top, k| if row[k] > row[top] { k } else { top });
        let [i, j, k] = prior.window.ijk(at as usize);
        conformed[i + SIDE * (j + SIDE * k)] = (180.0 * means[top] + random.range(-8.0, 8.0)) as u8;
    }
    conformed
}

#[test]
fn fit_from_nothing_is_fit_and_from_its_own_end_stays_there() {
    let means = [0.1, 0.72, 0.78, 1.0, 0.98, 0.95, 0.91, 0.79, 0.88, 0.99, 0.76, 0.3, 0.3];
    let prior = random_prior(57, 40_000);
    let image = painted(&prior, &means, 58);
    let intensity = intensities(&image, &prior).unwrap();
    let whole = fit(&image, &prior, false).unwrap();
    let none = fit_from(intensity.clone(), &prior, false, None).unwrap();
    assert!(whole.mixture == none.mixture && whole.corrected == none.corrected);
    let again = fit_from(intensity.clone(), &prior, false, Some(&whole.mixture)).unwrap();
    assert!(again.corrected == whole.corrected && again.converged);
    for k in 1..CLASSES {
        assert!((again.mixture.class_mean(k) - whole.mixture.class_mean(k)).abs() < 0.02, "{k}");
    }
    let mut far = whole.mixture.clone();
    far.mean.iter_mut().for_each(|v| *v = 0.5);
    assert!(
        fit_from(intensity.clone(), &prior, false, Some(&far)).map_or(true, |f| f.mixture != again.mixture)
    );
}
