//! The mixture of Gaussians that intensities are fitted with, and its densities in single precision.

use crate::numbers::exp::exp;
use crate::tissue::tissue_class::{CLASSES, OUTSIDE};

/// Gaussians: three of class 0, then one of each class 1..12; the last lane is idle.
pub const LANES: usize = 16;
/// Gaussians of class 0, what lies outside the brain.
pub(crate) const OUTSIDE_PARTS: usize = 3;
/// Density that each class has everywhere.
pub(crate) const FLOOR: f32 = 1e-5;

/// Lane of a class 1..12.
pub(crate) const fn lane(class: usize) -> usize {
    class + OUTSIDE_PARTS - 1
}

/// Means, variances and mixture weights by lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    pub mean: [f64; LANES],
    pub variance: [f64; LANES],
    pub weight: [f64; LANES],
}

impl Mixture {
    /// Mean of a class 1..12.
    pub fn class_mean(&self, class: usize) -> f64 {
        self.mean[lane(class)]
    }

    /// Means by class; that of class 0, which has several, is 0.
    pub fn class_means(&self) -> Vec<f64> {
        (0..CLASSES).map(|class| if class == OUTSIDE { 0.0 } else { self.class_mean(class) }).collect()
    }

    /// In single precision, ready for many voxels.
    pub fn evaluator(&self) -> Evaluator {
        let mut out =
            Evaluator { mean: [0.0; LANES], slope: [0.0; LANES], height: [0.0; LANES], floor: [0.0; LANES] };
        for l in 0..LANES - 1 {
            out.mean[l] = self.mean[l] as f32;
            out.slope[l] = (-0.5 / self.variance[l]) as f32;
            out.height[l] = (self.weight[l] / (std::f64::consts::TAU * self.variance[l]).sqrt()) as f32;
            out.floor[l] = if l < OUTSIDE_PARTS { 0.0 } else { FLOOR };
        }
        out
    }
}

/// Sum in a fixed order that needs four additions in a row instead of fifteen.
#[inline(always)]
pub(crate) fn sum_of(r: &[f32; LANES]) -> f32 {
    let mut four = [0f32; 4];
    for l in 0..4 {
        four[l] = (r[l] + r[l + 4]) + (r[l + 8] + r[l + 12]);
    }
    (four[0] + four[1]) + (four[2] + four[3])
}

/// A mixture in single precision.
pub struct Evaluator {
    pub(crate) mean: [f32; LANES],
    slope: [f32; LANES],
    height: [f32; LANES],
    floor: [f32; LANES],
}

impl Evaluator {
    /// Distance to each mean and the density there.
    #[inline(always)]
    pub(crate) fn densities(&self, y: f32) -> ([f32; LANES], [f32; LANES]) {
        let (mut d, mut g) = ([0f32; LANES], [0f32; LANES]);
        for l in 0..LANES {
            d[l] = y - self.mean[l];
            g[l] = self.height[l] * exp(self.slope[l] * d[l] * d[l]);
        }
        (d, g)
    }

    /// Distance to each mean and responsibility of each lane: prior times density, scaled over the classes.
    #[inline(always)]
    pub(crate) fn responsibilities(&self, y: f32, prior: &[f32]) -> ([f32; LANES], [f32; LANES]) {
        let (d, g) = self.densities(y);
        let mut p = [0f32; LANES];
        p[..OUTSIDE_PARTS].fill(prior[0]);
        p[OUTSIDE_PARTS..LANES - 1].copy_from_slice(&prior[1..CLASSES]);
        let mut r = [0f32; LANES];
        for l in 0..LANES {
            r[l] = p[l] * (g[l] + self.floor[l]);
        }
        let total = sum_of(&r) + prior[0] * FLOOR;
        let scale = 1.0 / total.max(1e-12);
        r.iter_mut().for_each(|v| *v *= scale);
        (d, r)
    }

    /// Likelihood of each class.
    #[inline(always)]
    pub fn likelihoods(&self, y: f32) -> [f32; CLASSES] {
        let (_, g) = self.densities(y);
        let mut out = [0f32; CLASSES];
        out[0] = g[..OUTSIDE_PARTS].iter().sum::<f32>() + FLOOR;
        for k in 1..CLASSES {
            out[k] = g[lane(k)] + FLOOR;
        }
        out
    }
}
