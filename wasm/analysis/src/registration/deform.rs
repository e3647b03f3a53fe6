//! Nonlinear registration: the stationary velocity field that maximises the local correlation of the subject with the
//! template, first at 4 mm, then at 2 mm.

use crate::atlas::{Atlas, ATLAS_SHAPE};
use crate::registration::matching::Level;
use crate::registration::squaring::{add_smoothness, Squarings};
use crate::registration::velocity::{Displacement, JacobianRange};
use crate::registration::velocity_grid::{Vector, COUNT, SHAPE, SLICE};
use crate::voxels::filter::{gaussian, subsample};
use crate::voxels::morphology::dilate;
use parallel::for_each_chunk2;

/// Squarings while optimising; one fewer than when the field is applied.
const SQUARINGS: usize = 5;
const ITERATIONS: [usize; 2] = [40, 30];
const RADIUS: [usize; 2] = [2, 3];
/// Blur of both images at 4 mm, voxels of 2 mm.
const BLUR: f64 = 0.84;
const LAMBDA: f64 = 0.02;
/// Used when the first field folds.
const STIFFER_LAMBDA: f64 = 0.05;
/// Part of the brain that may fold.
const MAX_FOLDED: f64 = 0.001;
const FIRST_RATE: f64 = 0.35;
const LAST_RATE: f64 = 0.02;
/// Prior of being inside the dura above which a voxel counts, and how far the weight reaches beyond, 2 mm voxels.
const INSIDE: f32 = 0.3;
const MARGIN: usize = 3;

/// Result of `deform`.
#[derive(Debug, Clone)]
pub struct Deformation {
    /// x, y and z in mm on the 4 mm grid, each COUNT.
    pub velocity: [Vec<f32>; 3],
    /// Local correlation at the last iteration at 4 and at 2 mm.
    pub lncc: [f64; 2],
    /// Of the map from the template, over the points inside the dura.
    pub jacobian: JacobianRange,
    /// Weight of the smoothness; above 0.02 when the first field folded.
    pub lambda: f64,
    /// Iterations at 4 and at 2 mm.
    pub iterations: [usize; 2],
}

impl Deformation {
    /// The map from the template to the aligned subject: an atlas point, then the affine.
    pub fn from_atlas(&self) -> Displacement {
        Displacement::exponential(&self.velocity, 1.0)
    }

    /// The inverse: for points that came back through the affine.
    pub fn to_atlas(&self) -> Displacement {
        Displacement::exponential(&self.velocity, -1.0)
    }
}

/// Deforms the template to an aligned subject (see `aligned::resample_to_atlas`).
pub fn deform(aligned: &[f32], atlas: &Atlas) -> Deformation {
    let inside: Vec<bool> = (0..atlas.template.len()).map(|v| 1.0 - atlas.outside(v) > INSIDE).collect();
    let weight: Vec<f32> =
        dilate(&inside, ATLAS_SHAPE, MARGIN).iter().map(|&m| f32::from(u8::from(m))).collect();
    let brain: Vec<bool> = (0..COUNT)
        .map(|v| {
            let [i, j, k] = [v % SHAPE[0], v / SHAPE[0] % SHAPE[1], v / SLICE];
            inside[2 * (i + ATLAS_SHAPE[0] * (j + ATLAS_SHAPE[1] * k))]
        })
        .collect();
    let mut levels = levels(aligned, &atlas.template, &weight);
    without_folds(|lambda| attempt(&mut levels, &brain, lambda))
}

/// The first attempt, or a stiffer one when the first folds more than a little.
fn without_folds(mut attempt_with: impl FnMut(f64) -> Deformation) -> Deformation {
    let first = attempt_with(LAMBDA);
    if first.jacobian.folded_fraction > MAX_FOLDED {
        attempt_with(STIFFER_LAMBDA)
    } else {
        first
    }
}

/// Both levels of a pair of images on the template's grid.
fn levels(subject: &[f32], template: &[f32], weight: &[f32]) -> [Level; 2] {
    let coarse = |image: &[f32]| {
        let mut smooth = image.to_vec();
        gaussian(&mut smooth, ATLAS_SHAPE, [BLUR; 3], 1);
        subsample(&smooth, ATLAS_SHAPE, 2).0
    };
    let (coarse_weight, shape) = subsample(weight, ATLAS_SHAPE, 2);
    [
        Level::new(&coarse(subject), &coarse(template), &coarse_weight, shape, RADIUS[0]),
        Level::new(subject, template, weight, ATLAS_SHAPE, RADIUS[1]),
    ]
}

fn attempt(levels: &mut [Level; 2], brain: &[bool], lambda: f64) -> Deformation {
    let mut field = vec![[0f32; 4]; COUNT];
    let mut squarings = Squarings::new(SQUARINGS);
    let mut lncc = [0.0; 2];
    for (n, level) in levels.iter_mut().enumerate() {
        lncc[n] = descend(level, &mut field, &mut squarings, ITERATIONS[n], FIRST_RATE, lambda, |_, _| ());
    }
    let velocity = [0, 1, 2].map(|a| field.iter().map(|v| v[a]).collect());
    let determinants = Displacement::exponential(&velocity, 1.0).jacobian();
    let jacobian = JacobianRange::over(&determinants, brain);
    Deformation { velocity, lncc, jacobian, lambda, iterations: ITERATIONS }
}

/// Adam on one level; returns the correlation before the last step. `watch` sees the field and its gradient.
fn descend(
    level: &mut Level,
    field: &mut [Vector],
    squarings: &mut Squarings,
    iterations: usize,
    first_rate: f64,
    lambda: f64,
    mut watch: impl FnMut(&[Vector], &[Vector]),
) -> f64 {
    let mut moments = vec![[[0f32; 4]; 2]; COUNT];
    let mut gradient = vec![[0f32; 4]; COUNT];
    let mut parts = vec![0f64; SHAPE[2]];
    let (mut first, mut second, mut lncc) = (1.0, 1.0, 0.0);
    for iteration in 0..iterations {
        lncc = level.correlate(squarings.exponential(field));
        level.gradient_into(&mut gradient);
        squarings.pull_back(&mut gradient);
        add_smoothness(field, lambda, &mut gradient, &mut parts);
        watch(field, &gradient);
        let half_wave = 1.0 + cosine_of_pi(iteration as f64 / iterations as f64);
        let rate = LAST_RATE + 0.5 * (first_rate - LAST_RATE) * half_wave;
        first *= f64::from(FIRST_DECAY);
        second *= f64::from(SECOND_DECAY);
        step(field, &gradient, &mut moments, rate / (1.0 - first), 1.0 / (1.0 - second));
    }
    lncc
}

const FIRST_DECAY: f32 = 0.9;
const SECOND_DECAY: f32 = 0.999;
const ADAM_FLOOR: f32 = 1e-8;

/// One step of Adam; `unbias` is what the second moment is multiplied with.
///
/// # Source
/// Kingma and Ba 2015, arXiv:1412.6980, algorithm 1.
fn step(field: &mut [Vector], gradient: &[Vector], moments: &mut [[Vector; 2]], rate: f64, unbias: f64) {
    let (rate, root) = (rate as f32, unbias.sqrt() as f32);
    for_each_chunk2((field, SLICE), (moments, SLICE), |k, field, moments| {
        let gradient = &gradient[k * SLICE..(k + 1) * SLICE];
        for ((v, [m, s]), g) in field.iter_mut().zip(moments).zip(gradient) {
            for l in 0..4 {
                m[l] = FIRST_DECAY * m[l] + (1.0 - FIRST_DECAY) * g[l];
                s[l] = SECOND_DECAY * s[l] + (1.0 - SECOND_DECAY) * (g[l] * g[l]);
                v[l] -= rate * m[l] / (s[l].sqrt() * root + ADAM_FLOOR);
            }
        }
    });
}

/// cos(pi x) for x in 0..=1 by its series, the same in every build.
fn cosine_of_pi(x: f64) -> f64 {
    let (x, sign) = if x > 0.5 { (1.0 - x, -1.0) } else { (x, 1.0) };
    let square = (std::f64::consts::PI * x) * (std::f64::consts::PI * x);
    let (mut sum, mut term) = (1.0, 1.0);
    for n in 1..12 {
        term *= -square / f64::from((2 * n - 1) * (2 * n));
        sum += term;
    }
    sign * sum
}

#[cfg(test)]
#[path = "deform_tests.rs"]
mod tests;
