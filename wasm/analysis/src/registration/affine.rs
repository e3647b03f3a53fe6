//! Twelve-parameter registration of a whole head to the template by normalised cross-correlation. Over 400 lines: cost,
//! search and starts are one method, and none is used without the others.

use crate::atlas::{Atlas, ATLAS_SHAPE};
use crate::numbers::percentile::{percentile, percentile_of_histogram};
use crate::registration::affine_parameters::{affine_of, matrix, pull_back, Params};
use crate::registration::start::{find_head, is_extracted, Head};
use crate::registration::view::View;
use crate::voxels::filter::{block_mean_2, gaussian, subsample};
use crate::voxels::morphology::dilate;
use crate::voxels::sample::trilinear_gradient;
use std::sync::Arc;
use volume::{Affine, Error, Grid, Shape};

/// Size of one optimiser unit of each parameter.
const UNIT: Params = [0.02, 0.02, 0.02, 2.0, 2.0, 2.0, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02];
const LEARNING_RATE: f64 = 0.3;
const SCALE_PENALTY: f64 = 0.05;
/// Below this correlation the registration starts again from more poses.
const RETRY_BELOW: f64 = 0.75;
/// Below this it is given up.
const FAIL_BELOW: f64 = 0.70;
/// Points of one part of the cost.
const POINTS: usize = 4096;
/// How often the points in view are looked up again, and iterations between.
const VIEW_ROUNDS: usize = 6;
const VIEW_ITERATIONS: usize = 30;
/// So far inside the field of view the blur does not mix in what lies outside, mm.
const VIEW_MARGIN_MM: f64 = 2.0;
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
    /// Set when the brain was cut out of the head before.
    pub extracted: bool,
}

/// One resolution: template points with their values and weights, and the blurred subject.
pub struct Level {
    pub points: Vec<[f64; 3]>,
    pub template: Vec<f32>,
    pub weight: Vec<f32>,
    pub subject: Arc<Vec<f32>>,
    pub shape: Shape,
    pub ijk_from_ras: Affine,
}

/// Sums over points from which correlation and gradient follow. Of the gradient by matrix and translation there are
/// three: weighted by the subject's value, by the template's and by 1, each [row][column], the last column for the
/// translation.
#[derive(Clone, Default)]
struct Sums {
    weight: f64,
    a: f64,
    b: f64,
    aa: f64,
    ab: f64,
    bb: f64,
    by_a: [[f64; 4]; 3],
    by_b: [[f64; 4]; 3],
    by_one: [[f64; 4]; 3],
}

impl Sums {
    fn over(level: &Level, map: &Affine, part: usize) -> Self {
        let end = level.points.len().min((part + 1) * POINTS);
        let range = part * POINTS..end;
        let mut s = Self::default();
        let values = level.template[range.clone()].iter().zip(&level.weight[range.clone()]);
        for (m, (&b, &w)) in level.points[range].iter().zip(values) {
            let (a, g) = trilinear_gradient(&level.subject, level.shape, map.apply(*m));
            let (b, w) = (f64::from(b), f64::from(w));
            s.weight += w;
            s.a += w * a;
            s.b += w * b;
            s.aa += w * a * a;
            s.ab += w * a * b;
            s.bb += w * b * b;
            let point = [m[0], m[1], m[2], 1.0];
            for r in 0..3 {
                let (one, by_a, by_b) = (w * g[r], w * g[r] * a, w * g[r] * b);
                for c in 0..4 {
                    s.by_one[r][c] += one * point[c];
                    s.by_a[r][c] += by_a * point[c];
                    s.by_b[r][c] += by_b * point[c];
                }
            }
        }
        s
    }

    fn add(&mut self, other: &Self) {
        self.weight += other.weight;
        self.a += other.a;
        self.b += other.b;
        self.aa += other.aa;
        self.ab += other.ab;
        self.bb += other.bb;
        for r in 0..3 {
            for c in 0..4 {
                self.by_a[r][c] += other.by_a[r][c];
                self.by_b[r][c] += other.by_b[r][c];
                self.by_one[r][c] += other.by_one[r][c];
            }
        }
    }
}

/// Whether a cost shares its points among the threads or is itself one thread's part.
#[derive(Clone, Copy, PartialEq)]
enum Threads {
    Shared,
    Own,
}

/// Cost (negative correlation plus scale penalty) and its gradient by the parameters.
pub fn cost(level: &Level, p: &Params) -> (f64, Params) {
    cost_on(level, p, Threads::Shared)
}

fn cost_on(level: &Level, p: &Params, threads: Threads) -> (f64, Params) {
    let map = level.ijk_from_ras.compose(&affine_of(p));
    let parts = level.points.len().div_ceil(POINTS);
    let mut s = Sums::default();
    match threads {
        Threads::Shared => {
            parallel::map(parts, |part| Sums::over(level, &map, part)).iter().for_each(|part| s.add(part));
        }
        Threads::Own => (0..parts).for_each(|part| s.add(&Sums::over(level, &map, part))),
    }
    let (ma, mb) = (s.a / s.weight, s.b / s.weight);
    let (aa, bb, ab) = (s.aa - ma * s.a, s.bb - mb * s.b, s.ab - ma * s.b);
    let root = (aa * bb + 1e-9).sqrt();
    let ncc = ab / root;
    // d(ncc)/da = w (db / root - ncc da bb / root²); the means drop out because the weighted deviations sum to 0.
    let (mut by_matrix, mut by_translation) = ([[0.0; 3]; 3], [0.0; 3]);
    let pull = ncc * bb / (root * root);
    for c in 0..4 {
        let by_index = [0, 1, 2].map(|r| {
            let by_db = s.by_b[r][c] - mb * s.by_one[r][c];
            by_db / root - pull * (s.by_a[r][c] - ma * s.by_one[r][c])
        });
        for r in 0..3 {
            let by_mm = (0..3).map(|k| by_index[k] * level.ijk_from_ras.at(k, r)).sum::<f64>();
            match c {
                3 => by_translation[r] = by_mm,
                _ => by_matrix[r][c] = by_mm,
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
fn optimise(level: &Level, start: &Params, iterations: usize, dof: usize, threads: Threads) -> (Params, f64) {
    let mut p = *start;
    let (mut first, mut second) = ([0.0; 12], [0.0; 12]);
    let mut last = f64::NEG_INFINITY;
    for it in 0..iterations {
        let (value, gradient) = cost_on(level, &p, threads);
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

/// Subject and template blurred for levels of one resolution.
struct Blurred {
    mm: usize,
    subject: Arc<Vec<f32>>,
    shape: Shape,
    ijk_from_ras: Affine,
    template: Vec<f32>,
}

impl Blurred {
    /// From the 2 mm subject and the 2 mm template, for a resolution of `mm` millimetres.
    fn new(subject: &[f32], grid: &Grid, template: &[f32], mm: usize) -> Result<Self, Error> {
        let sigma = mm as f64 / 2.355;
        let mut blurred = subject.to_vec();
        gaussian(&mut blurred, grid.shape, grid.ras_from_ijk.spacing_mm().map(|v| sigma / v), 1);
        let step = (mm / 4).max(1);
        let mut coarse = grid.ras_from_ijk;
        coarse.0[..12].iter_mut().for_each(|v| *v *= step as f64);
        let (subject, shape) =
            if step == 1 { (blurred, grid.shape) } else { subsample(&blurred, grid.shape, step) };
        let mut template = template.to_vec();
        gaussian(&mut template, ATLAS_SHAPE, [sigma / 2.0; 3], 1);
        Ok(Self { mm, subject: Arc::new(subject), shape, ijk_from_ras: coarse.invert()?, template })
    }

    /// The level over the template voxels of a mask.
    fn level(&self, mask: &[bool]) -> Level {
        let stride = self.mm / 2;
        let [nx, ny, nz] = ATLAS_SHAPE;
        let (mut points, mut template) = (Vec::new(), Vec::new());
        for k in (0..nz).step_by(stride) {
            for j in (0..ny).step_by(stride) {
                for i in (0..nx).step_by(stride) {
                    let at = i + nx * (j + ny * k);
                    if mask[at] {
                        points.push(Atlas::mm([i as f64, j as f64, k as f64]));
                        template.push(self.template[at]);
                    }
                }
            }
        }
        let weight = vec![1.0; points.len()];
        Level {
            points,
            template,
            weight,
            subject: Arc::clone(&self.subject),
            shape: self.shape,
            ijk_from_ras: self.ijk_from_ras,
        }
    }
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
    let table = std::array::from_fn(|v| (v as f32).min(clip));
    let mut image = block_mean_2(conformed, grid.shape, &table);
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
/// on the head and then on the brain; an extracted brain on the brain at all stages. Below 0.75 it starts again from
/// twelve poses, and as what it did not seem to be.
///
/// # Errors
/// `engine.unsupported_input`: `registration failed` when the correlation stays below 0.70; `empty`.
pub fn register(subject: &[f32], grid: &Grid, atlas: &Atlas) -> Result<Registration, Error> {
    let head = find_head(subject, grid)?;
    let clipped: Vec<f32> = atlas.template.iter().map(|&v| v.min(1.0)).collect();
    let (head_mask, brain_mask) = masks(atlas);
    let at_8_mm = Blurred::new(subject, grid, &clipped, 8)?;
    let at_4_mm = Blurred::new(subject, grid, &clipped, 4)?;
    let coarse = at_8_mm.level(&head_mask);
    let on_head = at_4_mm.level(&head_mask);
    let on_brain = at_4_mm.level(&brain_mask);
    let refine = |start: &Params, first: &Level| {
        let (p, _) = optimise(first, start, 50, 12, Threads::Shared);
        optimise(&on_brain, &p, 50, 12, Threads::Shared)
    };
    let best_of = |level: &Level, starts: Vec<Params>| {
        let found = parallel::map(starts.len(), |at| optimise(level, &starts[at], 40, 9, Threads::Own));
        let mut best: Option<(Params, f64)> = None;
        for found in found {
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
    let from_head = |poses: Vec<Pose>| {
        let starts = poses.into_iter().map(|pose| whole_head_start(&head, pose)).collect();
        refine(&best_of(&coarse, starts), &on_head)
    };
    let from_brain = || {
        let centre = Atlas::centre_mm(&brain_mask);
        let near = poses(&[-8.0, 8.0], &[-0.15, 0.15], &[0.0]);
        let starts = near.into_iter().map(|pose| extracted_brain_start(&head, centre, pose)).collect();
        refine(&best_of(&at_8_mm.level(&brain_mask), starts), &on_brain)
    };
    let usual = || from_head(poses(&[-20.0, 0.0], &[-0.15, 0.15], &[0.0]));
    let extracted = is_extracted(subject, grid, &head)?;
    let (mut params, mut ncc) = if extracted { from_brain() } else { usual() };
    let retried = ncc.is_nan() || ncc < RETRY_BELOW;
    if retried {
        let wide = from_head(poses(&[-30.0, -10.0, 10.0], &[-0.3, 0.3], &[-0.2, 0.2]));
        let other = if extracted { usual() } else { from_brain() };
        for found in [wide, other] {
            if found.1 > ncc || ncc.is_nan() {
                (params, ncc) = found;
            }
        }
    }
    if ncc.is_nan() || ncc < FAIL_BELOW {
        let message = format!("Cannot register volume: correlation with the template is {ncc:.3}");
        return Err(Error::unsupported("registration failed", message));
    }
    Ok(Registration { params, ncc, subject_from_atlas: affine_of(&params), retried, extracted })
}

/// Optimises a registration again over those points of the brain alone that the field of view shows. The registration gives
/// the others 0 as their value, which is what the skull looks like: of a head that is cut it draws the template's edge into
/// the cut, and too little of the brain seems to be missing.
///
/// # Errors
/// As `register`.
pub fn refine_in_view(
    found: &Registration,
    subject: &[f32],
    grid: &Grid,
    source: &Grid,
    atlas: &Atlas,
) -> Result<Registration, Error> {
    let clipped: Vec<f32> = atlas.template.iter().map(|&v| v.min(1.0)).collect();
    let (_, brain_mask) = masks(atlas);
    let mut level = Blurred::new(subject, grid, &clipped, 4)?.level(&brain_mask);
    let view = View::new(source)?;
    let mut params = found.params;
    for _ in 0..VIEW_ROUNDS {
        let map = affine_of(&params);
        for (weight, m) in level.weight.iter_mut().zip(&level.points) {
            *weight = f32::from(u8::from(view.holds(map.apply(*m), VIEW_MARGIN_MM)));
        }
        (params, _) = optimise(&level, &params, VIEW_ITERATIONS, 12, Threads::Shared);
    }
    Ok(Registration { params, subject_from_atlas: affine_of(&params), ..found.clone() })
}

#[cfg(test)]
#[path = "affine_tests.rs"]
mod tests;
