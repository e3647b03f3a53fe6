//! Twelve-parameter registration of a whole head to the template by normalised cross-correlation.

use crate::atlas::{Atlas, ATLAS_SHAPE};
use crate::filter::{block_mean_2, every, gaussian};
use crate::morphology::dilate;
use crate::percentile::{percentile, percentile_of_histogram};
use crate::sample::trilinear_gradient;
use crate::start::{find_head, Head};
use volume::{Affine, Error, Grid, Shape};

/// Rotation vector (rad), translation (mm), log scales, shears (xy, xz, yz).
pub type Params = [f64; 12];

/// Size of one optimiser unit of each parameter.
const UNIT: Params = [0.02, 0.02, 0.02, 2.0, 2.0, 2.0, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02];
const LEARNING_RATE: f64 = 0.3;
const SCALE_PENALTY: f64 = 0.05;
/// Below this correlation the registration starts again from more poses.
const RETRY_BELOW: f64 = 0.75;
/// Below this it is given up.
const FAIL_BELOW: f64 = 0.70;
/// Brightest tissue kept, relative to the 75th percentile of the head: scalp fat must not steer the pose.
const FAT_CLIP: f64 = 1.15;

/// Result of `register`.
#[derive(Debug, Clone)]
pub struct Registration {
    pub params: Params,
    /// Correlation less the scale penalty at the last iteration.
    pub ncc: f64,
    /// Template mm to subject mm.
    pub subject_from_atlas: Affine,
    /// Set when the first four starts were not good enough.
    pub retried: bool,
}

/// Matrix exp([r]x) diag(e^s) H(k).
pub fn matrix(p: &Params) -> [[f64; 3]; 3] {
    multiply(&multiply(&rotation([p[0], p[1], p[2]]), &scale(p)), &shear(p))
}

/// Atlas mm to subject mm.
pub fn affine_of(p: &Params) -> Affine {
    Affine::from_parts(matrix(p), [p[3], p[4], p[5]])
}

pub type Mat3 = [[f64; 3]; 3];

fn multiply(a: &Mat3, b: &Mat3) -> Mat3 {
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| (0..3).map(|k| a[r][k] * b[k][c]).sum()))
}

fn scale(p: &Params) -> Mat3 {
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| if r == c { p[6 + r].exp() } else { 0.0 }))
}

fn shear(p: &Params) -> Mat3 {
    [[1.0, p[9], p[10]], [0.0, 1.0, p[11]], [0.0, 0.0, 1.0]]
}

fn cross_matrix(v: [f64; 3]) -> Mat3 {
    [[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]]
}

/// Rotation by the vector `r` (Rodrigues).
pub fn rotation(r: [f64; 3]) -> Mat3 {
    let angle = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt();
    let k = cross_matrix(r);
    let kk = multiply(&k, &k);
    let (a, b) =
        if angle < 1e-6 { (1.0, 0.5) } else { (angle.sin() / angle, (1.0 - angle.cos()) / (angle * angle)) };
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| f64::from(u8::from(i == j)) + a * k[i][j] + b * kk[i][j]))
}

/// Derivatives of the rotation by each component of its vector.
///
/// # Source
/// Gallego and Yezzi 2015, doi:10.1007/s10851-014-0528-x, result 1.
pub fn rotation_derivatives(r: [f64; 3]) -> [Mat3; 3] {
    let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let turn = rotation(r);
    [0, 1, 2].map(|i| {
        let mut unit = [0.0; 3];
        unit[i] = 1.0;
        if square < 1e-12 {
            return cross_matrix(unit);
        }
        let rest = [0, 1, 2].map(|row| unit[row] - turn[row][i]);
        let cross = [
            r[1] * rest[2] - r[2] * rest[1],
            r[2] * rest[0] - r[0] * rest[2],
            r[0] * rest[1] - r[1] * rest[0],
        ];
        let axis = [0, 1, 2].map(|c| (r[i] * r[c] + cross[c]) / square);
        multiply(&cross_matrix(axis), &turn)
    })
}

/// Gradient by the parameters from the gradient by the matrix and the translation.
fn pull_back(p: &Params, by_matrix: &Mat3, by_translation: [f64; 3]) -> Params {
    let (turn, size, slant) = (rotation([p[0], p[1], p[2]]), scale(p), shear(p));
    let dot = |m: &Mat3| {
        (0..3).flat_map(|r| (0..3).map(move |c| (r, c))).map(|(r, c)| m[r][c] * by_matrix[r][c]).sum()
    };
    let mut out = [0.0; 12];
    let size_slant = multiply(&size, &slant);
    for (i, d) in rotation_derivatives([p[0], p[1], p[2]]).iter().enumerate() {
        out[i] = dot(&multiply(d, &size_slant));
        out[3 + i] = by_translation[i];
        let mut only = [[0.0; 3]; 3];
        only[i][i] = size[i][i];
        out[6 + i] = dot(&multiply(&multiply(&turn, &only), &slant));
    }
    let turn_size = multiply(&turn, &size);
    for (i, (r, c)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        let mut only = [[0.0; 3]; 3];
        only[r][c] = 1.0;
        out[9 + i] = dot(&multiply(&turn_size, &only));
    }
    out
}

/// One resolution: template points with their values and weights, and the blurred subject.
pub struct Level {
    pub points: Vec<[f64; 3]>,
    pub template: Vec<f32>,
    pub weight: Vec<f32>,
    pub subject: Vec<f32>,
    pub shape: Shape,
    pub ijk_from_ras: Affine,
}

/// Cost (negative correlation plus scale penalty) and its gradient by the parameters.
pub fn cost(level: &Level, p: &Params) -> (f64, Params) {
    let map = level.ijk_from_ras.compose(&affine_of(p));
    let n = level.points.len();
    let mut sampled = Vec::with_capacity(n);
    let (mut sw, mut sa, mut sb) = (0.0, 0.0, 0.0);
    for ((m, &b), &w) in level.points.iter().zip(&level.template).zip(&level.weight) {
        let (a, g) = trilinear_gradient(&level.subject, level.shape, map.apply(*m));
        let (b, w) = (f64::from(b), f64::from(w));
        sw += w;
        sa += w * a;
        sb += w * b;
        sampled.push((a, g));
    }
    let (ma, mb) = (sa / sw, sb / sw);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for ((&(a, _), &b), &w) in sampled.iter().zip(&level.template).zip(&level.weight) {
        let (da, db, w) = (a - ma, f64::from(b) - mb, f64::from(w));
        ab += w * da * db;
        aa += w * da * da;
        bb += w * db * db;
    }
    let root = (aa * bb + 1e-9).sqrt();
    let ncc = ab / root;
    // d(ncc)/da = w (db / root - ncc da bb / root²); the means drop out because the weighted deviations sum to 0.
    let (mut by_matrix, mut by_translation) = ([[0.0; 3]; 3], [0.0; 3]);
    for (((&(a, g), &b), &w), m) in sampled.iter().zip(&level.template).zip(&level.weight).zip(&level.points)
    {
        let (da, db) = (a - ma, f64::from(b) - mb);
        let slope = f64::from(w) * (db / root - ncc * da * bb / (root * root));
        for r in 0..3 {
            let by_mm = slope * (0..3).map(|k| g[k] * level.ijk_from_ras.at(k, r)).sum::<f64>();
            by_translation[r] += by_mm;
            for c in 0..3 {
                by_matrix[r][c] += by_mm * m[c];
            }
        }
    }
    let mut gradient = pull_back(p, &by_matrix, by_translation).map(|g| -g);
    let mut value = -ncc;
    for at in 6..9 {
        value += SCALE_PENALTY * p[at] * p[at];
        gradient[at] += 2.0 * SCALE_PENALTY * p[at];
    }
    (value, gradient)
}

/// Adam with cosine decay over the first `dof` parameters. Returns the parameters and the last negative cost seen.
fn optimise(level: &Level, start: &Params, iterations: usize, dof: usize) -> (Params, f64) {
    let mut p = *start;
    let (mut first, mut second) = ([0.0; 12], [0.0; 12]);
    let mut last = f64::NEG_INFINITY;
    for it in 0..iterations {
        let (value, gradient) = cost(level, &p);
        last = -value;
        let rate = LEARNING_RATE * 0.5 * (1.0 + (std::f64::consts::PI * it as f64 / iterations as f64).cos());
        let (c1, c2) = (1.0 - 0.9f64.powi(it as i32 + 1), 1.0 - 0.999f64.powi(it as i32 + 1));
        for at in 0..dof {
            let g = gradient[at] * UNIT[at];
            first[at] = 0.9 * first[at] + 0.1 * g;
            second[at] = 0.999 * second[at] + 0.001 * g * g;
            p[at] -= UNIT[at] * rate * (first[at] / c1) / ((second[at] / c2).sqrt() + 1e-8);
        }
    }
    (p, last)
}

/// Builds a level of `mm` millimetres from the 2 mm subject and the 2 mm template.
pub fn level(
    subject: &[f32],
    grid: &Grid,
    template: &[f32],
    weight: &[bool],
    mm: usize,
) -> Result<Level, Error> {
    let sigma = mm as f64 / 2.355;
    let mut blurred = subject.to_vec();
    gaussian(&mut blurred, grid.shape, grid.ras_from_ijk.spacing_mm().map(|v| sigma / v), 1);
    let step = (mm / 4).max(1);
    let (subject, shape) = every(&blurred, grid.shape, step);
    let mut coarse = grid.ras_from_ijk;
    coarse.0[..12].iter_mut().for_each(|v| *v *= step as f64);
    let mut smooth = template.to_vec();
    gaussian(&mut smooth, ATLAS_SHAPE, [sigma / 2.0; 3], 1);
    let stride = mm / 2;
    let [nx, ny, nz] = ATLAS_SHAPE;
    let (mut points, mut values) = (Vec::new(), Vec::new());
    for k in (0..nz).step_by(stride) {
        for j in (0..ny).step_by(stride) {
            for i in (0..nx).step_by(stride) {
                let at = i + nx * (j + ny * k);
                if weight[at] {
                    points.push(Atlas::mm([i as f64, j as f64, k as f64]));
                    values.push(smooth[at]);
                }
            }
        }
    }
    let weight = vec![1.0; points.len()];
    Ok(Level { points, template: values, weight, subject, shape, ijk_from_ras: coarse.invert()? })
}

/// The subject as the registration sees it: bright fat clipped, 2 mm, divided by its 98th percentile.
///
/// # Errors
/// `engine.unsupported_input` (`empty`).
pub fn prepare(conformed: &[u8], grid: &Grid) -> Result<(Vec<f32>, Grid), Error> {
    let empty = || Error::unsupported("empty", "Cannot register: no bright voxels");
    let mut counts = [0u64; 256];
    conformed.iter().for_each(|&v| counts[v as usize] += 1);
    let brightest = counts.iter().rposition(|&c| c > 0).unwrap_or(0);
    let mut head = counts;
    head.iter_mut().enumerate().for_each(|(v, c)| {
        if v as f64 <= 0.1 * brightest as f64 {
            *c = 0;
        }
    });
    let clip = (percentile_of_histogram(&head, 75.0).ok_or_else(empty)? * FAT_CLIP) as f32;
    let clipped: Vec<f32> = conformed.iter().map(|&v| f32::from(v).min(clip)).collect();
    let mut image = block_mean_2(&clipped, grid.shape);
    drop(clipped);
    let mut positive: Vec<f32> = image.iter().copied().filter(|&v| v > 0.0).collect();
    let unit = percentile(&mut positive, 98.0).ok_or_else(empty)? as f32;
    image.iter_mut().for_each(|v| *v /= unit);
    let a = &grid.ras_from_ijk;
    let first = a.apply([0.5; 3]);
    let axes = [0, 1, 2].map(|r| [0, 1, 2].map(|c| 2.0 * a.at(r, c)));
    Ok((image, Grid { shape: grid.shape.map(|n| n / 2), ras_from_ijk: Affine::from_parts(axes, first) }))
}

/// Template points of the head without the neck, and of the brain, both with a margin.
fn masks(atlas: &Atlas) -> (Vec<bool>, Vec<bool>) {
    let bright: Vec<bool> = atlas.template.iter().map(|&v| v > 0.12).collect();
    let mut head = dilate(&bright, ATLAS_SHAPE, 3);
    head[..16 * ATLAS_SHAPE[0] * ATLAS_SHAPE[1]].fill(false);
    let inside: Vec<bool> = (0..atlas.template.len()).map(|v| 1.0 - atlas.outside(v) > 0.3).collect();
    (head, dilate(&inside, ATLAS_SHAPE, 4))
}

/// A pose to start from: height offset (mm), pitch and yaw (rad).
type Pose = (f64, f64, f64);

fn whole_head_start(head: &Head, pose: Pose) -> Params {
    let (dz, pitch, yaw) = pose;
    let mut p = [0.0; 12];
    p[0] = pitch;
    p[2] = yaw;
    p[3] = head.centre[0];
    p[4] = head.centre[1] + 18.0;
    p[5] = head.top - 78.0 + dz;
    p[6..9].fill(-0.1);
    p
}

fn extracted_brain_start(head: &Head, brain_centre: [f64; 3], pose: Pose) -> Params {
    let (dz, pitch, yaw) = pose;
    let mut p = [0.0; 12];
    p[0] = pitch;
    p[2] = yaw;
    let turned = matrix(&p);
    for a in 0..3 {
        let mean = head.points.iter().map(|q| q[a]).sum::<f64>() / head.points.len() as f64;
        p[3 + a] = mean - (0..3).map(|c| turned[a][c] * brain_centre[c]).sum::<f64>();
    }
    p[5] += dz;
    p[6..9].fill(-0.05);
    p
}

/// Registers a prepared 2 mm subject (see `prepare`) to the atlas: four starts at 8 mm, the best refined at 4 mm
/// on the head and then on the brain. Below 0.75 it starts again from twelve poses, and as an extracted brain.
///
/// # Errors
/// `engine.unsupported_input`: `registration failed` when the correlation stays below 0.70; `empty`.
pub fn register(subject: &[f32], grid: &Grid, atlas: &Atlas) -> Result<Registration, Error> {
    let head = find_head(subject, grid)?;
    let clipped: Vec<f32> = atlas.template.iter().map(|&v| v.min(1.0)).collect();
    let (head_mask, brain_mask) = masks(atlas);
    let coarse = level(subject, grid, &clipped, &head_mask, 8)?;
    let on_head = level(subject, grid, &clipped, &head_mask, 4)?;
    let on_brain = level(subject, grid, &clipped, &brain_mask, 4)?;
    let refine = |start: &Params, first: &Level| {
        let (p, _) = optimise(first, start, 50, 12);
        optimise(&on_brain, &p, 50, 12)
    };
    let best_of = |level: &Level, starts: Vec<Params>| {
        let mut best: Option<(Params, f64)> = None;
        for start in starts {
            let found = optimise(level, &start, 40, 9);
            if best.is_none_or(|b| found.1 > b.1) {
                best = Some(found);
            }
        }
        best.map_or([0.0; 12], |b| b.0)
    };
    let poses = |dz: &[f64], pitch: &[f64], yaw: &[f64]| {
        let mut out = Vec::new();
        for &z in dz {
            for &x in pitch {
                out.extend(yaw.iter().map(|&y| (z, x, y)));
            }
        }
        out
    };
    let usual = poses(&[-20.0, 0.0], &[-0.15, 0.15], &[0.0]);
    let start = best_of(&coarse, usual.into_iter().map(|pose| whole_head_start(&head, pose)).collect());
    let (mut params, mut ncc) = refine(&start, &on_head);
    let retried = ncc < RETRY_BELOW;
    if retried {
        let wide = poses(&[-30.0, -10.0, 10.0], &[-0.3, 0.3], &[-0.2, 0.2]);
        let start = best_of(&coarse, wide.into_iter().map(|pose| whole_head_start(&head, pose)).collect());
        let again = refine(&start, &on_head);
        let coarse_brain = level(subject, grid, &clipped, &brain_mask, 8)?;
        let centre = Atlas::centre_mm(&brain_mask);
        let near = poses(&[-8.0, 8.0], &[-0.15, 0.15], &[0.0]);
        let starts = near.into_iter().map(|pose| extracted_brain_start(&head, centre, pose)).collect();
        let extracted = refine(&best_of(&coarse_brain, starts), &on_brain);
        for found in [again, extracted] {
            if found.1 > ncc {
                (params, ncc) = found;
            }
        }
    }
    if ncc.is_nan() || ncc < FAIL_BELOW {
        let message = format!("Cannot register volume: correlation with the template is {ncc:.3}");
        return Err(Error::unsupported("registration failed", message));
    }
    Ok(Registration { params, ncc, subject_from_atlas: affine_of(&params), retried })
}

#[cfg(test)]
#[path = "affine_tests.rs"]
mod tests;
