//! Rigid registration of a FLAIR series to a T1-weighted one by mutual information, without gradients.
//!
//! # Source
//! Studholme, Hill and Hawkes 1999, doi:10.1016/S0031-3203(98)00091-0 (normalised mutual information); Hooke and
//! Jeeves 1961, doi:10.1145/321062.321069 (pattern search).

use super::stack::is_brain;
use super::{Flair, T1Side};
use crate::numbers::percentile::percentile;
use crate::visits::halfway::{affine_about, Motion};
use crate::voxels::conform::SIDE;
use crate::voxels::filter::gaussian;
use crate::voxels::morphology::dilate;
use crate::voxels::sample::trilinear_border;
use volume::{Affine, Error, Shape};

const BINS: usize = 32;
/// Weight of one point in the joint histogram, shared by the two bins nearest to its value.
const UNIT: u32 = 256;
const LEAST_NMI: f64 = 1.05;
const LEAST_OVERLAP: f64 = 0.9;
/// Resolutions, mm; first and last step of the search, mm. Rotations step by the same length at `RADIUS_MM`.
const LEVELS: [(usize, f64, f64); 3] = [(8, 8.0, 1.0), (4, 2.0, 0.25), (2, 0.5, 0.03)];
const RADIUS_MM: f64 = 60.0;
/// Around the brain the points reach this many mm: the skull's dark band guides as well.
const MARGIN: usize = 4;
/// Points of one part.
const PART: usize = 8192;
/// Least part of a brain that must lie inside the field of view while searching.
const LEAST_INSIDE: f64 = 0.5;

/// Result of `register`.
#[derive(Debug, Clone)]
pub struct Rigid {
    /// RAS mm of the FLAIR's scanner coordinates to those of the T1-weighted series.
    pub t1_from_flair: Affine,
    /// Normalised mutual information at 2 mm, 1 (independent) to 2.
    pub nmi: f64,
    /// Part of the brain's tissue that the FLAIR shows: inside its field of view and not black.
    pub overlap: f64,
}

/// Points of the T1 side at one resolution with the bin of each, and the blurred FLAIR.
struct Level {
    points: Vec<[f64; 3]>,
    bins: Vec<u8>,
    flair: Vec<f32>,
    shape: Shape,
    ijk_from_ras: Affine,
}

/// Bin position of a value: values above `high` share the last bin.
fn bin_of(v: f32, high: f32) -> f32 {
    let at = v / high * (BINS - 1) as f32;
    at.clamp(0.0, (BINS - 1) as f32)
}

/// Level below which all but the brightest part of the voxels above the mean lie.
fn brightest(values: &[f32]) -> f32 {
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len().max(1) as f64;
    let mut above: Vec<f32> = values.iter().copied().filter(|&v| f64::from(v) > mean).collect();
    percentile(&mut above, 98.0).map_or(1.0, |v| v as f32).max(f32::MIN_POSITIVE)
}

impl Level {
    fn new(flair: &Flair, t1: &T1Side, near: &[bool], mm: usize) -> Result<Self, Error> {
        let [nx, ny, nz] = t1.window.shape;
        let mut image: Vec<f32> = (0..t1.window.count())
            .map(|at| {
                let [i, j, k] = t1.window.ijk(at);
                f32::from(t1.conformed[i + SIDE * (j + SIDE * k)])
            })
            .collect();
        let sigma = mm as f64 / 2.355;
        gaussian(&mut image, t1.window.shape, [sigma; 3], 1);
        let (mut points, mut values) = (Vec::new(), Vec::new());
        for k in (mm / 2..nz).step_by(mm) {
            for j in (mm / 2..ny).step_by(mm) {
                for i in (mm / 2..nx).step_by(mm) {
                    let at = i + nx * (j + ny * k);
                    if near[at] {
                        points.push(t1.grid.ras_from_ijk.apply(t1.window.ijk(at).map(|v| v as f64)));
                        values.push(image[at]);
                    }
                }
            }
        }
        let high = percentile(&mut values.clone(), 99.0).map_or(1.0, |v| v as f32).max(1.0);
        let bins = values.iter().map(|&v| (bin_of(v, high) + 0.5) as u8).collect();
        let high = brightest(flair.voxels);
        let mut blurred: Vec<f32> = flair.voxels.iter().map(|&v| v.max(0.0)).collect();
        // A slice as thick as the resolution is blurred already.
        let blur = flair.grid.ras_from_ijk.spacing_mm().map(|s| {
            let mm = mm as f64;
            (mm * mm - s * s).max(0.0).sqrt() / 2.355 / s
        });
        gaussian(&mut blurred, flair.grid.shape, blur, 1);
        blurred.iter_mut().for_each(|v| *v = bin_of(*v, high));
        Ok(Self {
            points,
            bins,
            flair: blurred,
            shape: flair.grid.shape,
            ijk_from_ras: flair.grid.ras_from_ijk.invert()?,
        })
    }

    /// Normalised mutual information under a map from T1 mm to FLAIR mm; 0 when most of the brain is out of view.
    fn nmi(&self, flair_from_t1: &Affine) -> f64 {
        let map = self.ijk_from_ras.compose(flair_from_t1);
        let last = self.shape.map(|n| n as f64 - 0.5);
        let pieces = parallel::map(self.points.len().div_ceil(PART), |part| {
            let range = part * PART..self.points.len().min((part + 1) * PART);
            let mut joint = vec![0u32; BINS * BINS];
            for (p, &bin) in self.points[range.clone()].iter().zip(&self.bins[range]) {
                let q = map.apply(*p);
                if (0..3).any(|a| q[a] < -0.5 || q[a] > last[a]) {
                    continue;
                }
                let v = trilinear_border(&self.flair, self.shape, q).min((BINS - 1) as f32);
                let low = (v as usize).min(BINS - 2);
                let share = ((v - low as f32) * UNIT as f32) as u32;
                let row = &mut joint[usize::from(bin) * BINS..][..BINS];
                row[low] += UNIT - share.min(UNIT);
                row[low + 1] += share.min(UNIT);
            }
            joint
        });
        let mut joint = vec![0u64; BINS * BINS];
        pieces.iter().for_each(|p| joint.iter_mut().zip(p).for_each(|(a, &b)| *a += u64::from(b)));
        let inside = joint.iter().sum::<u64>() as f64 / f64::from(UNIT);
        if inside < LEAST_INSIDE * self.points.len() as f64 {
            return 0.0;
        }
        nmi_of(&joint)
    }
}

/// Natural logarithm of a normal positive number without the platform's libm: native and WebAssembly builds agree.
/// Absolute error below 1e-15 for 1e-12 <= x <= 1.
fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    // Exponent and mantissa so that the mantissa lies around 1: from 1/sqrt 2 to sqrt 2.
    let shift = u64::from((bits & 0x000f_ffff_ffff_ffff) > 0x0006_a09e_667f_3bcd);
    let exponent = (bits >> 52) as i64 - 1023 + shift as i64;
    let mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | ((1023 - shift) << 52));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    // ln m = 2 artanh s, series to s^21.
    let series = (0..11).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * s * series
}

/// (H(A) + H(B)) / H(A, B) of a joint histogram, rows A.
fn nmi_of(joint: &[u64]) -> f64 {
    let total = joint.iter().sum::<u64>() as f64;
    let entropy = |counts: &mut dyn Iterator<Item = u64>| -> f64 {
        counts.filter(|&c| c > 0).map(|c| c as f64 / total).map(|p| -p * ln(p)).sum()
    };
    let rows = entropy(&mut joint.chunks_exact(BINS).map(|row| row.iter().sum()));
    let columns = entropy(&mut (0..BINS).map(|c| joint.iter().skip(c).step_by(BINS).sum()));
    let both = entropy(&mut joint.iter().copied());
    if both > 0.0 {
        (rows + columns) / both
    } else {
        0.0
    }
}

/// Pattern search upwards: tries each parameter by plus and minus one step, repeats a successful move as a whole, and
/// halves the steps when nothing helps. Returns the motion and the value there.
fn climb(value: impl Fn(&Motion) -> f64, start: Motion, first_mm: f64, last_mm: f64) -> (Motion, f64) {
    let (mut best, mut top) = (start, value(&start));
    let mut step = first_mm;
    while step >= last_mm {
        let (before, mut moved, mut high) = (best, best, top);
        for k in 0..6 {
            let d = if k < 3 { step / RADIUS_MM } else { step };
            for sign in [1.0, -1.0] {
                let mut tried = moved;
                tried[k] += sign * d;
                let v = value(&tried);
                if v > high {
                    (moved, high) = (tried, v);
                    break;
                }
            }
        }
        if high <= top {
            step *= 0.5;
            continue;
        }
        (best, top) = (moved, high);
        let leap: Motion = std::array::from_fn(|k| 2.0 * best[k] - before[k]);
        let v = value(&leap);
        if v > top {
            (best, top) = (leap, v);
        }
    }
    (best, top)
}

/// Middle of the voxels brighter than the mean, RAS mm.
fn bright_centre(flair: &Flair) -> [f64; 3] {
    let mean = flair.voxels.iter().map(|&v| f64::from(v)).sum::<f64>() / flair.voxels.len().max(1) as f64;
    let [nx, ny, _] = flair.grid.shape;
    let (mut sum, mut n) = ([0.0; 3], 0.0f64);
    for (at, _) in flair.voxels.iter().enumerate().filter(|(_, &v)| f64::from(v) > mean) {
        [at % nx, at / nx % ny, at / (nx * ny)].iter().zip(&mut sum).for_each(|(&v, s)| *s += v as f64);
        n += 1.0;
    }
    flair.grid.ras_from_ijk.apply(sum.map(|s| s / n.max(1.0)))
}

/// Registers a FLAIR to the T1-weighted analysis: from the scanner's coordinates and from matched centres, each upright
/// and pitched, at 8 mm; the best is refined at 4 and 2 mm.
///
/// # Errors
/// `engine.unsupported_input` (`flair registration`) when the information is too low or the FLAIR misses the brain.
pub fn register(flair: &Flair, t1: &T1Side) -> Result<Rigid, Error> {
    let brain: Vec<bool> = t1.labels.iter().map(|&l| l != 0).collect();
    let near = dilate(&brain, t1.window.shape, MARGIN);
    let levels = [
        Level::new(flair, t1, &near, LEVELS[0].0)?,
        Level::new(flair, t1, &near, LEVELS[1].0)?,
        Level::new(flair, t1, &near, LEVELS[2].0)?,
    ];
    let count = levels[2].points.len().max(1) as f64;
    let centre = [0, 1, 2].map(|a| levels[2].points.iter().map(|p| p[a]).sum::<f64>() / count);
    let shift = bright_centre(flair);
    let shift = [0, 1, 2].map(|a| shift[a] - centre[a]);
    let mut starts = Vec::new();
    for [x, y, z] in [[0.0; 3], shift] {
        starts.extend([0.0, -0.2, 0.2].map(|pitch| [pitch, 0.0, 0.0, x, y, z]));
    }
    let on = |level: usize, start: Motion| {
        let (_, first, last) = LEVELS[level];
        climb(|m| levels[level].nmi(&affine_about(m, centre)), start, first, last)
    };
    // The two best of the coarse search go on: the coarsest histogram alone may prefer the wrong one.
    let mut found: Vec<(Motion, f64)> = starts.into_iter().map(|start| on(0, start)).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut fine: Vec<(Motion, f64)> = found.iter().take(2).map(|f| on(1, f.0)).collect();
    fine.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (motion, nmi) = on(2, fine[0].0);
    let flair_from_t1 = affine_about(&motion, centre);
    let overlap = overlap(flair, t1, &flair_from_t1)?;
    if nmi.is_nan() || nmi <= LEAST_NMI || overlap <= LEAST_OVERLAP {
        let message = format!("Cannot register the FLAIR: information {nmi:.3}, overlap {overlap:.2}");
        return Err(Error::unsupported("flair registration", message));
    }
    Ok(Rigid { t1_from_flair: flair_from_t1.invert()?, nmi, overlap })
}

/// Part of the tissue voxels (every second along each axis) where the FLAIR is in view and above a tenth of its bright
/// level.
fn overlap(flair: &Flair, t1: &T1Side, flair_from_t1: &Affine) -> Result<f64, Error> {
    let dark = 0.1 * brightest(flair.voxels);
    let ijk = flair.grid.ras_from_ijk.invert()?.compose(flair_from_t1).compose(&t1.grid.ras_from_ijk);
    let [nx, ny, nz] = t1.window.shape;
    let (mut all, mut shown) = (0usize, 0usize);
    for k in (0..nz).step_by(2) {
        for j in (0..ny).step_by(2) {
            for at in (nx * (j + ny * k)..nx * (j + ny * k + 1)).step_by(2) {
                let label = t1.labels[at];
                if !is_brain(label) || matches!(label, 15..=18 | 25..=27) {
                    continue;
                }
                all += 1;
                let p = ijk.apply(t1.window.ijk(at).map(|v| v as f64)).map(|v| (v + 0.5).floor());
                if (0..3).all(|a| p[a] >= 0.0 && p[a] < flair.grid.shape[a] as f64) {
                    let v = flair.voxels[flair.grid.index(p[0] as usize, p[1] as usize, p[2] as usize)];
                    shown += usize::from(v > dark);
                }
            }
        }
    }
    Ok(shown as f64 / all.max(1) as f64)
}

#[cfg(test)]
#[path = "rigid_tests.rs"]
mod tests;
