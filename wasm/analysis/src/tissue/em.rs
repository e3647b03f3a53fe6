//! Expectation maximisation of one Gaussian per tissue class (three outside the dura) with a smooth bias field.
//!
//! The standard deviations are kept within narrow bounds: with free ones the wide fluid Gaussian takes every voxel of
//! partial volume around the narrow white-matter one, and the ventricles come out 1.6 times too large.

use crate::numbers::percentile::percentile;
use crate::tissue::bias::{smooth_field, DARK};
use crate::tissue::mixture::{lane, sum_of, Mixture, LANES, OUTSIDE_PARTS};
use crate::tissue::prior::Prior;
use crate::tissue::tissue_class::{
    CEREBELLAR_CORTEX, CEREBELLAR_WHITE_MATTER, CLASSES, CORTEX, HIPPOCAMPUS, OUTER_FLUID, OUTSIDE,
    VENTRICLE, WHITE_MATTER,
};
use crate::voxels::conform::SIDE;
use volume::Error;

const ITERATIONS: usize = 8;
const EXTRA_ITERATIONS: usize = 4;
const BIAS_AFTER: [usize; 3] = [1, 3, 5];
const CONVERGED: f64 = 0.01;
/// Classes that are no fluid.
const TISSUES: std::ops::RangeInclusive<usize> = CORTEX..=HIPPOCAMPUS;
const TISSUE_SD: (f64, f64) = (0.07, 0.08);
const FLUID_SD: (f64, f64) = (0.07, 0.09);
const FLUID_RISE: f64 = 0.06;
/// Candidates of one part of a pass.
const PART: usize = 1 << 14;
/// Least (white - grey) / 0.08 of a T1-weighted image. Spin echoes of 3 mm slices reach 1.7 to 1.9; the grade tells
/// them from a good contrast.
const MIN_CONTRAST: f64 = 1.0;

/// Cerebellar cortex over cerebellar white matter above which an image is none: on a FLAIR the cerebral classes may end in
/// the order of a T1-weighted image. Three FLAIR series: 1.00 to 1.10; T1-weighted images of six heads: 0.76 to 0.90.
const MAX_CEREBELLAR: f64 = 0.95;

/// Result of `fit`.
pub struct Fit {
    /// Intensity of each candidate after bias correction; white matter about 1.
    pub corrected: Vec<f32>,
    /// The parameters the last responsibilities were computed with.
    pub used: Mixture,
    /// The parameters after the last update.
    pub mixture: Mixture,
    pub converged: bool,
    /// Mean over the candidates inside the dura of the winning posterior, without neighbours.
    pub winning_posterior: f64,
}

/// Fits the mixture to the candidates' intensities.
///
/// # Errors
/// `engine.unsupported_input` (`contrast`) when white matter, cortex and ventricle are not in the order and distance of
/// a T1-weighted image.
pub fn fit(conformed: &[u8], prior: &Prior, bias_correction: bool) -> Result<Fit, Error> {
    fit_from(intensities(conformed, prior)?, prior, bias_correction, None)
}

/// As `fit`, of the candidates' intensities with white matter about 1, from a mixture that was fitted to a like image
/// instead of a first guess; the bound of the fluid is the image's own.
///
/// # Errors
/// As `fit`.
pub fn fit_from(
    intensity: Vec<f32>,
    prior: &Prior,
    bias_correction: bool,
    start: Option<&Mixture>,
) -> Result<Fit, Error> {
    let fitted = fit_scaled(intensity, prior, bias_correction, start)?;
    check_contrast(&fitted.mixture)?;
    Ok(fitted)
}

/// As `fit` for a contrast whose tissue means may have any order, as FLAIR.
///
/// # Errors
/// `engine.unsupported_input` (`contrast`) when white matter is black or absent.
pub fn fit_any_order(
    conformed: &[u8],
    prior: &Prior,
    bias_correction: bool,
    start: Option<&Mixture>,
) -> Result<Fit, Error> {
    fit_scaled(intensities(conformed, prior)?, prior, bias_correction, start)
}

fn fit_scaled(
    intensity: Vec<f32>,
    prior: &Prior,
    bias_correction: bool,
    start: Option<&Mixture>,
) -> Result<Fit, Error> {
    let (guess, fluid) = first_guess(&intensity, prior);
    let mut mixture = start.unwrap_or(&guess).clone();
    let mut bias: Option<Vec<f32>> = None;
    let mut corrected = intensity.clone();
    let (mut used, mut moved, mut done) = (mixture.clone(), f64::INFINITY, 0);
    while done < ITERATIONS || (done < ITERATIONS + EXTRA_ITERATIONS && moved > CONVERGED) {
        if let Some(field) = bias.take() {
            parallel::for_each_chunk(&mut corrected, PART, |part, piece| {
                let first = part * PART;
                let pairs = intensity[first..].iter().zip(&field[first..]);
                piece.iter_mut().zip(pairs).for_each(|(y, (&i, &b))| *y = i / b);
            });
        }
        used = mixture;
        mixture = update(&corrected, prior, &used, fluid);
        moved = (1..CLASSES).map(|k| (mixture.class_mean(k) - used.class_mean(k)).abs()).fold(0.0, f64::max);
        if bias_correction && BIAS_AFTER.contains(&done) {
            bias = Some(bias_field(&intensity, &corrected, prior, &used, &mixture));
        }
        done += 1;
    }
    let winning_posterior = winning_posterior(&corrected, prior, &used);
    Ok(Fit { corrected, used, mixture, converged: moved <= CONVERGED, winning_posterior })
}

/// Intensities and class priors of one part of the candidates.
fn part_of<'a>(intensity: &'a [f32], prior: &'a Prior, part: usize) -> (&'a [f32], &'a [f32]) {
    let range = part * PART..intensity.len().min((part + 1) * PART);
    (&intensity[range.clone()], &prior.class[range.start * CLASSES..range.end * CLASSES])
}

/// Candidate intensities divided by the median of certain white matter.
///
/// # Errors
/// `engine.unsupported_input` (`contrast`) when that is 0.
pub fn intensities(conformed: &[u8], prior: &Prior) -> Result<Vec<f32>, Error> {
    let mut out = vec![0f32; prior.voxels.len()];
    parallel::for_each_chunk(&mut out, PART, |part, piece| {
        for (v, &at) in piece.iter_mut().zip(&prior.voxels[part * PART..]) {
            let [i, j, k] = prior.window.ijk(at as usize);
            *v = f32::from(conformed[i + SIDE * (j + SIDE * k)]);
        }
    });
    let is_white = |c: &[f32]| u32::from(c[WHITE_MATTER] > 0.9) << WHITE_MATTER;
    let mut white = gathered(&out, prior, is_white).swap_remove(WHITE_MATTER);
    let unit =
        if white.len() > 1000 { percentile(&mut white, 50.0) } else { percentile(&mut out.clone(), 95.0) };
    match unit {
        Some(unit) if unit > 0.0 => {
            out.iter_mut().for_each(|v| *v /= unit as f32);
            Ok(out)
        }
        _ => Err(Error::unsupported("contrast", "Cannot segment: white matter is black or absent")),
    }
}

/// For each class, the intensities of the candidates whose bit `chosen` sets.
fn gathered(intensity: &[f32], prior: &Prior, chosen: impl Fn(&[f32]) -> u32 + Sync) -> Vec<Vec<f32>> {
    let pieces = parallel::map(intensity.len().div_ceil(PART), |part| {
        let (ys, ps) = part_of(intensity, prior, part);
        let mut found: [Vec<f32>; CLASSES] = std::array::from_fn(|_| Vec::new());
        for (&y, p) in ys.iter().zip(ps.chunks_exact(CLASSES)) {
            let bits = chosen(p);
            if bits != 0 {
                (0..CLASSES).filter(|k| bits >> k & 1 == 1).for_each(|k| found[k].push(y));
            }
        }
        found
    });
    (0..CLASSES).map(|k| pieces.iter().flat_map(|p| &p[k]).copied().collect()).collect()
}

/// Quantile of the intensities `certain`, where the class prior is high, or of its 500 most certain voxels.
fn class_quantile(intensity: &[f32], prior: &Prior, class: usize, rank: f64, certain: &mut Vec<f32>) -> f64 {
    if certain.len() <= 200 {
        let mut priors: Vec<f32> = prior.class.chunks_exact(CLASSES).map(|c| c[class]).collect();
        let rank = (100.0 - 50_000.0 / priors.len().max(1) as f64).max(0.0);
        let limit = percentile(&mut priors, rank).unwrap_or(0.0) as f32;
        *certain = gathered(intensity, prior, |c| u32::from(c[class] > limit) << class).swap_remove(class);
    }
    percentile(certain, rank).unwrap_or(0.5)
}

/// Initial parameters, and the fluid level that later bounds the means of the two fluid classes.
fn first_guess(intensity: &[f32], prior: &Prior) -> (Mixture, f64) {
    let mut m = Mixture { mean: [0.0; LANES], variance: [1.0; LANES], weight: [1.0; LANES] };
    let mut certain = gathered(intensity, prior, |c| {
        (CORTEX..=VENTRICLE)
            .fold(0, |bits, k| bits | u32::from(c[k] > if k == VENTRICLE { 0.8 } else { 0.6 }) << k)
    });
    for k in TISSUES {
        m.mean[lane(k)] = class_quantile(intensity, prior, k, 50.0, &mut certain[k]);
        m.variance[lane(k)] = TISSUE_SD.0.powi(2);
    }
    let fluid = class_quantile(intensity, prior, VENTRICLE, 25.0, &mut certain[VENTRICLE]).min(0.45);
    for (k, sd) in [(VENTRICLE, 0.08f64), (OUTER_FLUID, 0.09)] {
        m.mean[lane(k)] = fluid;
        m.variance[lane(k)] = sd * sd;
    }
    m.mean[..3].copy_from_slice(&[0.12, 0.5, 0.95]);
    m.variance[..3].copy_from_slice(&[0.01, 0.02, 0.04]);
    m.weight[..3].copy_from_slice(&[0.5, 0.3, 0.2]);
    (m, fluid)
}

/// One step: responsibilities with `old`, then bounded means and variances.
pub fn update(corrected: &[f32], prior: &Prior, old: &Mixture, fluid: f64) -> Mixture {
    // Moments about the old means: single precision over 16 voxels, double precision over all.
    let evaluator = old.evaluator();
    let pieces = parallel::map(corrected.len().div_ceil(PART), |part| {
        let (ys, ps) = part_of(corrected, prior, part);
        let mut sums = [[0f64; LANES]; 3];
        for (ys, ps) in ys.chunks(16).zip(ps.chunks(16 * CLASSES)) {
            let (mut b0, mut b1, mut b2) = ([0f32; LANES], [0f32; LANES], [0f32; LANES]);
            for (&y, p) in ys.iter().zip(ps.chunks_exact(CLASSES)) {
                let (d, r) = evaluator.responsibilities(y, p);
                for l in 0..LANES {
                    let first = r[l] * d[l];
                    b0[l] += r[l];
                    b1[l] += first;
                    b2[l] += first * d[l];
                }
            }
            for (sum, block) in sums.iter_mut().zip([b0, b1, b2]) {
                sum.iter_mut().zip(block).for_each(|(s, b)| *s += f64::from(b));
            }
        }
        sums
    });
    let mut sums = [[0f64; LANES]; 3];
    for piece in pieces {
        sums.iter_mut().zip(piece).for_each(|(sum, piece)| (0..LANES).for_each(|l| sum[l] += piece[l]));
    }
    let [s0, s1, s2] = sums;
    let mut new = old.clone();
    for l in 0..LANES - 1 {
        let n = s0[l] + 1e-3;
        let about = f64::from(evaluator.mean[l]);
        let mut mean = (s1[l] + about * s0[l]) / n;
        let shift = mean - about;
        let mut variance = (s2[l] - 2.0 * shift * s1[l] + shift * shift * s0[l]) / n;
        let class = (l + 1).saturating_sub(OUTSIDE_PARTS);
        let sd = match class {
            OUTSIDE => (2e-4f64.sqrt(), f64::INFINITY),
            CORTEX..=HIPPOCAMPUS => TISSUE_SD,
            _ => FLUID_SD,
        };
        if class >= VENTRICLE {
            mean = mean.min(fluid + FLUID_RISE);
        }
        variance = variance.clamp(sd.0 * sd.0, sd.1 * sd.1);
        (new.mean[l], new.variance[l], new.weight[l]) = (mean, variance, 1.0);
    }
    let outside: f64 = s0[..OUTSIDE_PARTS].iter().map(|s| s + 1e-3).sum();
    for l in 0..OUTSIDE_PARTS {
        new.weight[l] = (s0[l] + 1e-3) / outside;
    }
    new
}

/// Multiplicative field at each candidate: the blurred mean of ln(intensity / expected intensity).
pub fn bias_field(
    intensity: &[f32],
    corrected: &[f32],
    prior: &Prior,
    old: &Mixture,
    new: &Mixture,
) -> Vec<f32> {
    let evaluator = old.evaluator();
    let n = intensity.len();
    let (mut certainty, mut residual) = (vec![0f32; n], vec![0f32; n]);
    let (mut by_variance, mut by_mean) = ([0f32; LANES], [0f32; LANES]);
    for k in TISSUES {
        by_variance[lane(k)] = (1.0 / new.variance[lane(k)]) as f32;
        by_mean[lane(k)] = (new.mean[lane(k)] / new.variance[lane(k)]) as f32;
    }
    parallel::for_each_chunk2((&mut certainty, PART), (&mut residual, PART), |part, certainty, residual| {
        let (ys, ps) = part_of(corrected, prior, part);
        let voxels = intensity[part * PART..].iter().zip(ys).zip(ps.chunks_exact(CLASSES));
        for (((&i, &y), p), out) in voxels.zip(certainty.iter_mut().zip(residual)) {
            let (_, r) = evaluator.responsibilities(y, p);
            let (mut weighed, mut meant) = ([0f32; LANES], [0f32; LANES]);
            for l in 0..LANES {
                weighed[l] = r[l] * by_variance[l];
                meant[l] = r[l] * by_mean[l];
            }
            let (weight, sum) = (sum_of(&weighed), sum_of(&meant));
            let expected = sum / weight.max(1e-6);
            let ratio = f64::from(i.max(0.05)) / f64::from(expected.max(0.05));
            *out.0 = weight;
            *out.1 = ratio.ln().clamp(-0.7, 0.7) as f32;
        }
    });
    let cap = percentile(&mut certainty.clone(), 95.0).unwrap_or(0.0) as f32;
    parallel::for_each_chunk(&mut certainty, PART, |part, piece| {
        let (ys, _) = part_of(corrected, prior, part);
        let voxels = piece.iter_mut().zip(ys);
        voxels.for_each(|(w, &y)| *w = if y < DARK { 0.0 } else { w.min(cap) });
    });
    smooth_field(&residual, &certainty, prior)
}

fn check_contrast(m: &Mixture) -> Result<(), Error> {
    let (white, grey, fluid) = (m.class_mean(WHITE_MATTER), m.class_mean(CORTEX), m.class_mean(VENTRICLE));
    let ordered = fluid < grey && grey < white;
    let is_flair = m.class_mean(CEREBELLAR_CORTEX) > MAX_CEREBELLAR * m.class_mean(CEREBELLAR_WHITE_MATTER);
    if ordered && !is_flair && (white - grey) / 0.08 >= MIN_CONTRAST {
        return Ok(());
    }
    let message = format!(
        "Cannot segment: ventricle {fluid:.2}, cortex {grey:.2}, white matter {white:.2} are not those of a T1w image"
    );
    Err(Error::unsupported("contrast", message))
}

fn winning_posterior(corrected: &[f32], prior: &Prior, mixture: &Mixture) -> f64 {
    let evaluator = mixture.evaluator();
    let pieces = parallel::map(corrected.len().div_ceil(PART), |part| {
        let (ys, ps) = part_of(corrected, prior, part);
        let (mut sum, mut n) = (0.0, 0u32);
        for (&y, p) in ys.iter().zip(ps.chunks_exact(CLASSES)) {
            if p[OUTSIDE] >= 0.5 {
                continue;
            }
            let l = evaluator.likelihoods(y);
            let (mut total, mut top) = (0f32, 0f32);
            for k in 0..CLASSES {
                let q = p[k] * l[k];
                total += q;
                top = top.max(q);
            }
            sum += f64::from(top / total.max(1e-12));
            n += 1;
        }
        (sum, n)
    });
    let (sum, n) = pieces.into_iter().fold((0.0, 0), |(sum, n), piece| (sum + piece.0, n + piece.1));
    sum / f64::from(n.max(1))
}

#[cfg(test)]
#[path = "em_tests.rs"]
pub mod tests;
