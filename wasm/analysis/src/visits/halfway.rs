//! Rigid registration of two visits of one patient into the space halfway between them. Both images are interpolated
//! alike and swapping them swaps the answer, so neither visit is smoother or otherwise favoured.
//!
//! # Source
//! Reuter and Fischl 2011, doi:10.1016/j.neuroimage.2011.02.076 (why the reference must not be one of the visits).

use crate::registration::affine_parameters::{rotation, rotation_derivatives, Mat3};
use crate::voxels::filter::{gaussian, subsample};
use crate::voxels::sample::trilinear_gradient;
use volume::{Affine, Error, Grid, Shape};

/// Rotation vector (rad) and translation (mm) of a rigid motion about a centre.
pub type Motion = [f64; 6];

const UNIT: Motion = [0.02, 0.02, 0.02, 2.0, 2.0, 2.0];
const LEARNING_RATE: f64 = 0.3;
/// Resolutions: voxel size in units of the image's voxel, and iterations.
const LEVELS: [(usize, i32); 3] = [(4, 60), (2, 50), (1, 40)];
/// Points of a level at most; evenly thinned.
const MAX_POINTS: usize = 60_000;
/// Points of one part of the parallel sums.
const PART: usize = 4096;

/// Rotates about `centre` by the motion's vector, then translates.
pub fn affine_about(motion: &Motion, centre: [f64; 3]) -> Affine {
    let turn = rotation([motion[0], motion[1], motion[2]]);
    let shift =
        [0, 1, 2].map(|r| centre[r] + motion[3 + r] - (0..3).map(|c| turn[r][c] * centre[c]).sum::<f64>());
    Affine::from_parts(turn, shift)
}

/// A motion times a number, in its own parameters.
pub fn scaled(motion: &Motion, factor: f64) -> Motion {
    motion.map(|v| v * factor)
}

/// One image of a pair at one resolution.
struct Image {
    voxels: Vec<f32>,
    shape: Shape,
    ijk_from_ras: Affine,
}

impl Image {
    fn new(voxels: &[f32], grid: &Grid, step: usize) -> Result<Self, Error> {
        let mut smooth = voxels.to_vec();
        if step > 1 {
            gaussian(&mut smooth, grid.shape, [step as f64 / 2.355; 3], 1);
        }
        let (voxels, shape) = subsample(&smooth, grid.shape, step);
        let mut coarse = grid.ras_from_ijk;
        coarse.0[..12].iter_mut().for_each(|v| *v *= step as f64);
        Ok(Self { voxels, shape, ijk_from_ras: coarse.invert()? })
    }

    /// Value and its derivative by RAS mm.
    fn at(&self, mm: [f64; 3]) -> (f64, [f64; 3]) {
        let (value, by_ijk) = trilinear_gradient(&self.voxels, self.shape, self.ijk_from_ras.apply(mm));
        (value, [0, 1, 2].map(|c| (0..3).map(|r| by_ijk[r] * self.ijk_from_ras.at(r, c)).sum()))
    }
}

/// What the cost needs of one point: both values and the derivative of each by the motion.
struct Sampled {
    values: [f64; 2],
    slopes: [Motion; 2],
}

/// Half of a motion with its derivatives: what one side's points go through.
struct Half {
    sign: f64,
    shift: [f64; 3],
    turn: Mat3,
    slopes: [Mat3; 3],
}

impl Half {
    fn new(motion: &Motion, sign: f64) -> Self {
        let half = scaled(motion, sign);
        let r = [half[0], half[1], half[2]];
        let shift = [half[3], half[4], half[5]];
        Self { sign, shift, turn: rotation(r), slopes: rotation_derivatives(r) }
    }
}

fn sampled(images: [&Image; 2], p: [f64; 3], centre: [f64; 3], halves: &[Half; 2]) -> Sampled {
    let mut out = Sampled { values: [0.0; 2], slopes: [[0.0; 6]; 2] };
    let d = [0, 1, 2].map(|a| p[a] - centre[a]);
    let apply = |m: &Mat3| [0, 1, 2].map(|row| (0..3).map(|c| m[row][c] * d[c]).sum::<f64>());
    for (side, half) in halves.iter().enumerate() {
        let turned = apply(&half.turn);
        let (value, gradient) = images[side].at([0, 1, 2].map(|a| centre[a] + turned[a] + half.shift[a]));
        out.values[side] = value;
        for (k, derivative) in half.slopes.iter().enumerate() {
            let moved = apply(derivative);
            out.slopes[side][k] = half.sign * (0..3).map(|a| gradient[a] * moved[a]).sum::<f64>();
            out.slopes[side][3 + k] = half.sign * gradient[k];
        }
    }
    out
}

/// Correlation of both images over the points and its derivative by the motion.
fn correlation(images: [&Image; 2], points: &[[f64; 3]], centre: [f64; 3], motion: &Motion) -> (f64, Motion) {
    let halves = [-0.5, 0.5].map(|sign| Half::new(motion, sign));
    let parts: Vec<Vec<Sampled>> = parallel::map(points.len().div_ceil(PART), |part| {
        let end = points.len().min((part + 1) * PART);
        points[part * PART..end].iter().map(|&p| sampled(images, p, centre, &halves)).collect()
    });
    let all = || parts.iter().flatten();
    let n = points.len() as f64;
    let mean = [0, 1].map(|side| all().map(|s| s.values[side]).sum::<f64>() / n);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for s in all() {
        let (a, b) = (s.values[0] - mean[0], s.values[1] - mean[1]);
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    let root = (aa * bb + 1e-9).sqrt();
    let ncc = ab / root;
    let mut slope = [0.0; 6];
    for s in all() {
        let (a, b) = (s.values[0] - mean[0], s.values[1] - mean[1]);
        let (by_a, by_b) = (b / root - ncc * a * bb / (root * root), a / root - ncc * b * aa / (root * root));
        for (out, (da, db)) in slope.iter_mut().zip(s.slopes[0].iter().zip(&s.slopes[1])) {
            *out += by_a * da + by_b * db;
        }
    }
    (ncc, slope)
}

/// The rigid motion between two visits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Halfway space to visit 1 is half of it, to visit 0 minus half of it.
    pub motion: Motion,
    pub centre: [f64; 3],
    pub ncc: f64,
}

impl Pair {
    /// RAS mm of visit 0 to RAS mm of visit 1.
    ///
    /// # Errors
    /// Never for a rigid motion; the inverse is computed all the same.
    pub fn second_from_first(&self) -> Result<Affine, Error> {
        let half = |sign: f64| affine_about(&scaled(&self.motion, sign), self.centre);
        Ok(half(0.5).compose(&half(-0.5).invert()?))
    }
}

/// Registers two images of one head.
///
/// # Arguments
/// * `first`, `second` - voxels and grid of each visit, about 2 mm
/// * `points` - RAS mm of visit 0 inside the brain
/// * `start` - motion to start from, about `centre` (RAS mm, the middle of the brain halfway between)
///
/// # Errors
/// `volume.affine_singular`.
pub fn register_halfway(
    first: (&[f32], &Grid),
    second: (&[f32], &Grid),
    points: &[[f64; 3]],
    start: &Motion,
    centre: [f64; 3],
) -> Result<Pair, Error> {
    let mut motion = *start;
    let mut ncc = 0.0;
    let halfway_from_first = affine_about(&scaled(start, -0.5), centre).invert()?;
    let thin = points.len().div_ceil(MAX_POINTS).max(1);
    let points: Vec<[f64; 3]> = points.iter().step_by(thin).map(|&p| halfway_from_first.apply(p)).collect();
    for (step, iterations) in LEVELS {
        let images = [Image::new(first.0, first.1, step)?, Image::new(second.0, second.1, step)?];
        let (mut m1, mut m2) = ([0.0; 6], [0.0; 6]);
        for it in 0..iterations {
            let (value, slope) = correlation([&images[0], &images[1]], &points, centre, &motion);
            ncc = value;
            let turn = (std::f64::consts::PI * f64::from(it) / f64::from(iterations)).cos();
            let rate = LEARNING_RATE * step as f64 / 4.0 * 0.5 * (1.0 + turn);
            let (c1, c2) = (1.0 - 0.9f64.powi(it + 1), 1.0 - 0.999f64.powi(it + 1));
            for k in 0..6 {
                let g = -slope[k] * UNIT[k];
                m1[k] = 0.9 * m1[k] + 0.1 * g;
                m2[k] = 0.999 * m2[k] + 0.001 * g * g;
                motion[k] -= UNIT[k] * rate * (m1[k] / c1) / ((m2[k] / c2).sqrt() + 1e-8);
            }
        }
    }
    Ok(Pair { motion, centre, ncc })
}

/// The rigid motion nearest to an affine map, about `centre`: its rotation by polar decomposition, and the shift of the
/// centre.
pub fn motion_near(map: &Affine, centre: [f64; 3]) -> Motion {
    let mut m: Mat3 = [0, 1, 2].map(|r| [0, 1, 2].map(|c| map.at(r, c)));
    // Higham's iteration: the mean of a matrix and its inverse transpose converges to the orthogonal factor
    for _ in 0..30 {
        let Ok(inverse) = Affine::from_parts(m, [0.0; 3]).invert() else { break };
        m = [0, 1, 2].map(|r| [0, 1, 2].map(|c| 0.5 * (m[r][c] + inverse.at(c, r))));
    }
    let angle = ((m[0][0] + m[1][1] + m[2][2] - 1.0) / 2.0).clamp(-1.0, 1.0).acos();
    let factor = if angle < 1e-9 { 0.5 } else { angle / (2.0 * angle.sin()) };
    let moved = map.apply(centre);
    [
        factor * (m[2][1] - m[1][2]),
        factor * (m[0][2] - m[2][0]),
        factor * (m[1][0] - m[0][1]),
        moved[0] - centre[0],
        moved[1] - centre[1],
        moved[2] - centre[2],
    ]
}

#[cfg(test)]
#[path = "halfway_tests.rs"]
mod tests;
