//! The difference of two placed series, in standard deviations of what it is where nothing changed.

use super::place::{is_tissue, Placed};
use super::rules::ChangeRules;
use crate::flair::normal::{Normal, NORMAL};
use crate::numbers::percentile::percentile;
use crate::voxels::filter::gaussian;
use volume::{Error, Shape};

/// Levels of brightness at which the usual difference is read, and of steepness at which its spread is.
const LEVELS: usize = 20;
/// Prior of a tissue from which a voxel's brightness tells that of the tissue.
const CERTAIN: u8 = 190;
/// By how much of white matter cortex is brighter, at least: a series without contrast between them has no smaller unit.
const LEAST_UNIT: f32 = 0.18;
/// Brightness over that of white matter between which the field is read: neither fluid nor lesions.
const USUAL: std::ops::Range<f32> = 0.6..1.5;

/// Both series in units of normal white matter, and their difference.
pub struct Difference {
    /// Standard deviations, positive where the second series is brighter; 0 where one does not show the brain.
    pub z: Vec<f32>,
    /// Brightness in each series: 0 normal white matter, 1 cortex.
    pub above: [Vec<f32>; 2],
    /// Where the field is the flattest: standard deviation of the difference.
    pub noise: f32,
}

impl Difference {
    /// Brings both series to one contrast and subtracts them.
    ///
    /// # Errors
    /// `engine.unsupported_input` (`contrast`).
    pub fn of(placed: &Placed, rules: &ChangeRules) -> Result<Self, Error> {
        let shape = placed.grid.shape;
        let seen: Vec<bool> = (0..placed.grid.count())
            .map(|at| is_tissue(&placed.priors, at) && placed.images.iter().all(|image| image[at] > 0.0))
            .collect();
        let mut images = placed.images.clone();
        for image in &mut images {
            let level = level(image, &seen, &placed.priors.white)?;
            image.iter_mut().for_each(|v| *v /= level);
        }
        even_out(&mut images, &seen, shape, rules.field_mm);
        for image in &mut images {
            gaussian(image, shape, [rules.blur_mm; 3], 1);
        }
        let mean: Vec<f32> = images[0].iter().zip(&images[1]).map(|(a, b)| 0.5 * (a + b)).collect();
        let mut z: Vec<f32> = images[0].iter().zip(&images[1]).map(|(a, b)| b - a).collect();
        let usual = Curve::of(&mean, &z, &seen, |values| percentile(values, 50.0));
        z.iter_mut().zip(&mean).for_each(|(d, &m)| *d -= usual.at(m));
        let steepness = steepness(&mean, shape);
        let spread = Curve::of(&steepness, &z, &seen, |values| {
            values.iter_mut().for_each(|v| *v = v.abs());
            percentile(values, 50.0).map(|v| v * f64::from(NORMAL))
        });
        let noise = spread.points.first().map_or(0.0, |p| p.1);
        for ((z, &is_seen), &steepness) in z.iter_mut().zip(&seen).zip(&steepness) {
            *z = if is_seen { *z / spread.at(steepness).max(1e-6) } else { 0.0 };
        }
        let mut above = images;
        for image in &mut above {
            let white = level(image, &seen, &placed.priors.white)?;
            let cortex = level(image, &seen, &placed.priors.cortex)?;
            let unit = (cortex - white).max(LEAST_UNIT * white);
            image.iter_mut().for_each(|v| *v = (*v - white) / unit);
        }
        Ok(Self { z, above, noise })
    }
}

/// Brightness of a normal tissue.
///
/// # Errors
/// `engine.unsupported_input` (`contrast`).
fn level(image: &[f32], seen: &[bool], prior: &[u8]) -> Result<f32, Error> {
    let sure = (0..image.len()).filter(|&at| seen[at] && prior[at] >= CERTAIN);
    let mut values: Vec<f32> = sure.map(|at| image[at]).collect();
    match Normal::of(&mut values) {
        Some(normal) if normal.mode > 0.0 => Ok(normal.mode),
        _ => Err(Error::unsupported(
            "contrast",
            "Cannot compare the FLAIRs: one shows no white matter or cortex",
        )),
    }
}

/// Takes out of both series, half from each, the slow field by which their brightness differs.
pub fn even_out(images: &mut [Vec<f32>; 2], seen: &[bool], shape: Shape, field_mm: f64) {
    let is_usual = |at: usize| seen[at] && images.iter().all(|image| USUAL.contains(&image[at]));
    let read = |value: &dyn Fn(usize) -> f32| {
        let mut field: Vec<f32> =
            (0..seen.len()).map(|at| if is_usual(at) { value(at) } else { 0.0 }).collect();
        gaussian(&mut field, shape, [field_mm; 3], 1);
        field
    };
    let difference = read(&|at| images[1][at] - images[0][at]);
    let level = read(&|at| 0.5 * (images[1][at] + images[0][at]));
    for (at, (&level, &difference)) in level.iter().zip(&difference).enumerate() {
        if level > 1e-3 {
            let half = 0.5 * difference / level;
            images[0][at] *= 1.0 + half;
            images[1][at] *= 1.0 - half;
        }
    }
}

/// Length of the gradient by central differences, per voxel; 0 on the border.
pub fn steepness(image: &[f32], shape: Shape) -> Vec<f32> {
    let [nx, ny, nz] = shape;
    let mut out = vec![0f32; image.len()];
    parallel::for_each_chunk(&mut out, (nx * ny).max(1), |k, slice| {
        if k == 0 || k + 1 >= nz {
            return;
        }
        for j in 1..ny.saturating_sub(1) {
            for i in 1..nx.saturating_sub(1) {
                let at = i + nx * (j + ny * k);
                let along = |step: usize| 0.5 * (image[at + step] - image[at - step]);
                let (x, y, z) = (along(1), along(nx), along(nx * ny));
                slice[i + nx * j] = (x * x + y * y + z * z).sqrt();
            }
        }
    });
    out
}

/// A figure that depends on another, read at levels of equal counts; straight lines between, level beyond.
pub struct Curve {
    /// Level and figure, ascending.
    pub points: Vec<(f32, f32)>,
}

impl Curve {
    /// Reads `figure` of the values in each of the levels of `by`.
    pub fn of(by: &[f32], values: &[f32], seen: &[bool], figure: impl Fn(&mut [f32]) -> Option<f64>) -> Self {
        let mut known: Vec<f32> = (0..by.len()).filter(|&at| seen[at]).map(|at| by[at]).collect();
        let edges: Vec<f32> = (1..LEVELS)
            .filter_map(|n| percentile(&mut known, 100.0 * n as f64 / LEVELS as f64))
            .map(|v| v as f32)
            .collect();
        let mut parts = vec![(0f64, Vec::new()); edges.len() + 1];
        for at in (0..by.len()).filter(|&at| seen[at]) {
            let part = &mut parts[edges.partition_point(|&edge| edge <= by[at])];
            part.0 += f64::from(by[at]);
            part.1.push(values[at]);
        }
        let points = parts.into_iter().filter_map(|(sum, mut values)| {
            let level = sum / values.len() as f64;
            figure(&mut values).map(|v| (level as f32, v as f32))
        });
        Self { points: points.collect() }
    }

    pub fn at(&self, by: f32) -> f32 {
        let above = self.points.partition_point(|p| p.0 < by);
        match (above.checked_sub(1).and_then(|n| self.points.get(n)), self.points.get(above)) {
            (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (by - a.0) / (b.0 - a.0).max(f32::MIN_POSITIVE),
            (Some(only), None) | (None, Some(only)) => only.1,
            (None, None) => 0.0,
        }
    }
}
