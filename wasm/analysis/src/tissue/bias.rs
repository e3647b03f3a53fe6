//! Smooth multiplicative fields: the mean of a logarithm over a wide neighbourhood, and the field that brings one visit
//! to the mean of all.

use crate::numbers::exp::exp;
use crate::numbers::percentile::percentile;
use crate::tissue::prior::Prior;
use crate::voxels::conform::SIDE;
use crate::voxels::filter::gaussian;
use crate::voxels::sample::trilinear_border;

/// Blocks of the field, voxels, and its sigma in blocks (24 mm).
const BLOCK: usize = 4;
const SIGMA: f64 = 6.0;
/// Candidates of one part of a pass.
const PART: usize = 1 << 14;
/// Darker voxels do not steer the bias field; white matter is 1.
pub const DARK: f32 = 0.45;
/// Largest logarithm of a ratio that counts, in the first pass and in those after the field is nearly known: what
/// differs more is another tissue in one of the two, which must not look like a field.
const LIMITS: [f32; 3] = [0.5, 0.15, 0.1];

/// exp of the weighted mean of `residual` over a Gaussian neighbourhood, at each candidate.
pub fn smooth_field(residual: &[f32], weight: &[f32], prior: &Prior) -> Vec<f32> {
    let side = SIDE / BLOCK;
    let (mut sums, mut weights) = (vec![0f32; side.pow(3)], vec![0f32; side.pow(3)]);
    let per_block = 1.0 / (BLOCK.pow(3) as f32);
    let layer = side * side;
    parallel::for_each_chunk2((&mut sums, layer), (&mut weights, layer), |part, sums, weights| {
        for v in prior.between_slices(part * BLOCK, (part + 1) * BLOCK) {
            let [i, j, _] = prior.window.ijk(prior.voxels[v] as usize).map(|v| v / BLOCK);
            let w = weight[v] * per_block;
            sums[i + side * j] += w * residual[v];
            weights[i + side * j] += w;
        }
    });
    gaussian(&mut sums, [side; 3], [SIGMA; 3], 1);
    gaussian(&mut weights, [side; 3], [SIGMA; 3], 1);
    let field: Vec<f32> = sums.iter().zip(&weights).map(|(&s, &w)| s / w.max(1e-6)).collect();
    let middle = (BLOCK as f64 - 1.0) / 2.0;
    let mut bias = vec![0f32; residual.len()];
    parallel::for_each_chunk(&mut bias, PART, |part, piece| {
        for (b, &at) in piece.iter_mut().zip(&prior.voxels[part * PART..]) {
            let p = prior.window.ijk(at as usize).map(|v| (v as f64 - middle) / BLOCK as f64);
            *b = exp(trilinear_border(&field, [side; 3], p));
        }
    });
    bias
}

/// Divides the candidates' intensities of one visit by the smooth field that makes them like the mean's.
///
/// The same anatomy seen twice tells the difference of two fields far better than a tissue model tells either; all
/// visits then share what is left of the mean's own.
///
/// # Source
/// Lewis and Fox 2004, doi:10.1016/j.neuroimage.2004.07.006 (differential bias correction). Differs: a Gaussian instead
/// of a median filter, with a limit on the ratio.
pub fn level_with(intensity: &mut [f32], mean: &[f32], prior: &Prior) {
    let bright: Vec<f32> = mean.iter().map(|&m| f32::from(u8::from(m >= DARK))).collect();
    for limit in LIMITS {
        let mut residual = vec![0f32; intensity.len()];
        parallel::for_each_chunk(&mut residual, PART, |part, piece| {
            let pairs = intensity[part * PART..].iter().zip(&mean[part * PART..]);
            for (r, (&i, &m)) in piece.iter_mut().zip(pairs) {
                *r = f64::from(i.max(0.05) / m.max(0.05)).ln() as f32;
            }
        });
        let mut certain: Vec<f32> =
            residual.iter().zip(&bright).filter(|(_, &b)| b > 0.0).map(|(&r, _)| r).collect();
        let middle = percentile(&mut certain, 50.0).unwrap_or(0.0) as f32;
        residual.iter_mut().for_each(|r| *r = middle + (*r - middle).clamp(-limit, limit));
        let field = smooth_field(&residual, &bright, prior);
        intensity.iter_mut().zip(field).for_each(|(i, f)| *i /= f);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;
    use crate::tissue::em::tests::random_prior;

    #[test]
    fn smooth_field_agrees_with_sums_over_all_voxels() {
        let prior = random_prior(81, 4000);
        let mut random = Random::new(82);
        let n = prior.voxels.len();
        let residual: Vec<f32> = (0..n).map(|_| random.range(-0.3, 0.3) as f32).collect();
        let weight: Vec<f32> = (0..n).map(|_| random.unit() as f32).collect();
        let got = smooth_field(&residual, &weight, &prior);
        let block = |v: usize| {
            let ijk = prior.window.ijk(prior.voxels[v] as usize);
            ijk.map(|v| (v / BLOCK) as f64 * BLOCK as f64 + 1.5)
        };
        let mut checked = 0;
        for v in (0..n).step_by(7) {
            let at = prior.window.ijk(prior.voxels[v] as usize);
            // at the middle of a block the trilinear interpolation is as good as the block itself
            if at.iter().any(|c| c % BLOCK != 1) || checked == 8 {
                continue;
            }
            let (mut sum, mut total) = (0.0, 0.0);
            for u in 0..n {
                let (a, b) = (block(v), block(u));
                let d: f64 = (0..3).map(|c| (a[c] - b[c]).powi(2)).sum();
                let w = f64::from(weight[u]) * (-0.5 * d / (SIGMA * BLOCK as f64).powi(2)).exp();
                sum += w * f64::from(residual[u]);
                total += w;
            }
            assert!((f64::from(got[v]) - (sum / total).exp()).abs() < 2e-3);
            checked += 1;
        }
        assert!(checked > 0);
    }

    #[test]
    fn level_with_removes_gain_and_drift_and_keeps_a_local_change() {
        let prior = random_prior(83, 30_000);
        let mut random = Random::new(84);
        let n = prior.voxels.len();
        let mean: Vec<f32> = (0..n).map(|_| [0.3, 0.72, 1.0][random.below(3)]).collect();
        let inner: Vec<bool> = (0..n)
            .map(|v| {
                let p = prior.window.ijk(prior.voxels[v] as usize).map(|c| c as f64);
                (p[0] - 80.0).powi(2) + (p[1] - 89.0).powi(2) + (p[2] - 68.0).powi(2) < 36.0
            })
            .collect();
        let mut visit: Vec<f32> = (0..n)
            .map(|v| {
                let p = prior.window.ijk(prior.voxels[v] as usize);
                let drift = exp((p[0] as f32 - 80.0) * 0.002 - (p[2] as f32 - 68.0) * 0.002);
                let value = if inner[v] && mean[v] > 0.9 { 0.72 } else { mean[v] };
                value * 1.3 * drift * (1.0 + 0.05 * (random.unit() as f32 - 0.5))
            })
            .collect();
        level_with(&mut visit, &mean, &prior);
        let mean_ratio = |wanted: &dyn Fn(usize) -> bool| {
            let kept: Vec<usize> = (0..n).filter(|&v| mean[v] > 0.5 && wanted(v)).collect();
            kept.iter().map(|&v| f64::from(visit[v] / mean[v])).sum::<f64>() / kept.len() as f64
        };
        for axis in [0, 2] {
            let half = prior.window.low[axis] + prior.window.shape[axis] / 2;
            let side = |v: usize| prior.window.ijk(prior.voxels[v] as usize)[axis] < half;
            for wanted in [true, false] {
                let ratio = mean_ratio(&|v| !inner[v] && side(v) == wanted);
                assert!((ratio - 1.0).abs() < 0.02, "{axis} {wanted} {ratio}");
            }
        }
        let changed = mean_ratio(&|v| inner[v] && mean[v] > 0.9);
        assert!((changed - 0.72).abs() < 0.03, "{changed}");
    }
}
