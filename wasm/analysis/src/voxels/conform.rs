//! Any grid to 256^3 at 1 mm with axes left, inferior, anterior and the centre of the field of view kept.

use crate::voxels::interpolate::{interpolate, Voxel};
use volume::{Affine, Error, Grid};

/// Voxels along each axis of the conformed grid.
pub const SIDE: usize = 256;

/// Rows of the affine: left, inferior, anterior, 1 mm.
const AXES: [[f64; 3]; 3] = [[-1., 0., 0.], [0., 0., 1.], [0., -1., 0.]];
/// Rounding of the axes in files.
const AXES_TOLERANCE: f64 = 1e-3;
const BINS: usize = 1000;
/// Voxels of one part of a pass over the volume.
const PART: usize = 1 << 18;

/// A volume on the conformed grid, 0..255.
pub struct Conformed {
    pub voxels: Vec<u8>,
    pub grid: Grid,
}

/// The conformed grid of a source: the same middle as FreeSurfer's `mri_convert --conform`, where index n/2 of the source
/// falls on index 128. For an odd n the whole number below is taken, where FreeSurfer's lies between two voxels: a 1 mm
/// scan along the patient's axes keeps its samples whatever its size.
pub fn conformed_grid(source: &Grid) -> Grid {
    let middle = [0, 1, 2].map(|axis| {
        let column = [0, 1, 2].map(|row| source.ras_from_ijk.at(row, axis));
        let along = (0..3).max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs())).unwrap_or(0);
        // counted from the end that a conformed volume begins at: however it is stored, a head has one grid
        let is_along = (column[along] > 0.0) == (along == 1);
        let n = source.shape[axis];
        (if is_along { n / 2 } else { n.saturating_sub(1) / 2 }) as f64
    });
    conformed_around(source.ras_from_ijk.apply(middle))
}

/// The conformed grid whose index 128 lies at a point, RAS mm.
pub fn conformed_around(centre: [f64; 3]) -> Grid {
    let half = SIDE as f64 / 2.0;
    let origin = [centre[0] + half, centre[1] - half, centre[2] + half];
    Grid { shape: [SIDE; 3], ras_from_ijk: Affine::from_parts(AXES, origin) }
}

/// Resamples to the conformed grid (as `conform_onto`) and scales to 8 bits. A volume that is on such a grid
/// already, wherever that lies, and holds whole numbers 0..255 passes unchanged.
///
/// # Errors
/// `engine.unsupported_input`: `empty` when all voxels are equal, `shape` when the array does not fit the grid or a
/// voxel is not finite.
///
/// # Source
/// FreeSurfer's conform and its robust histogram scaling; blur as `sigma = 0.42 * (1 mm / voxel)`.
pub fn conform<T: Voxel>(voxels: &[T], source: &Grid) -> Result<Conformed, Error> {
    if voxels.len() != source.count() {
        return Err(Error::unsupported("shape", "Cannot conform: voxel count and shape differ"));
    }
    if is_conformed(source) && voxels.iter().all(|v| is_byte(v.to_f32())) {
        return Ok(Conformed { voxels: voxels.iter().map(|v| v.to_f32() as u8).collect(), grid: *source });
    }
    let grid = conformed_grid(source);
    Ok(Conformed { voxels: conform_onto(voxels, source, &grid)?, grid })
}

/// Resamples to a given 1 mm grid and scales to 8 bits; never passes a volume unchanged. Axes of about 1 mm are interpolated by
/// cubic splines, others linearly; 0 outside.
///
/// # Errors
/// As `conform`; `volume.affine_singular`.
pub fn conform_onto<T: Voxel>(voxels: &[T], source: &Grid, grid: &Grid) -> Result<Vec<u8>, Error> {
    if voxels.len() != source.count() {
        return Err(Error::unsupported("shape", "Cannot conform: voxel count and shape differ"));
    }
    scale_to_bytes(&interpolate(voxels, source, grid)?)
}

fn is_byte(v: f32) -> bool {
    (0.0..=255.0).contains(&v) && v.fract() == 0.0
}

/// Whether shape, spacing and axes are those of a conformed grid; the translation may be any.
fn is_conformed(grid: &Grid) -> bool {
    let own = &grid.ras_from_ijk;
    let same = |r: usize, c: usize| (own.at(r, c) - AXES[r][c]).abs() < AXES_TOLERANCE;
    grid.shape == [SIDE; 3] && (0..9).all(|at| same(at / 3, at % 3))
}

/// Part of the voxels that are exactly 0 above which 0 is the background: an extracted brain, or a grid larger than its
/// source. What lies below 0 then is interpolation that overshot, and no darker than air.
const EMPTY_PART: f64 = 0.5;

/// Scales so that the minimum (or 0, where that is the background) is 0 and the upper edge left after dropping the
/// brightest 0.1 % of the non-zero voxels is 255; rounds half to even.
pub fn scale_to_bytes(values: &[f32]) -> Result<Vec<u8>, Error> {
    let parts = values.len().div_ceil(PART);
    let part_of = |part: usize| &values[part * PART..values.len().min((part + 1) * PART)];
    let ranges = parallel::map(parts, |part| {
        part_of(part).iter().fold((f32::INFINITY, f32::NEG_INFINITY, true), |(low, high, fine), &v| {
            (if v < low { v } else { low }, if v > high { v } else { high }, fine & v.is_finite())
        })
    });
    if ranges.iter().any(|&(_, _, fine)| !fine) {
        return Err(Error::unsupported("shape", "Cannot scale volume: a voxel is not a finite number"));
    }
    let least = f64::from(ranges.iter().fold(f32::INFINITY, |m, r| m.min(r.0)));
    let empty = if least < 0.0 { values.iter().filter(|&&v| v == 0.0).count() } else { 0 };
    let low = if empty as f64 > EMPTY_PART * values.len() as f64 { 0.0 } else { least };
    let high = f64::from(ranges.iter().fold(f32::NEG_INFINITY, |m, r| m.max(r.1)));
    if high <= low {
        return Err(Error::unsupported("empty", "Cannot scale volume: all voxels are equal"));
    }
    let width = (high - low) / BINS as f64;
    let mut counts = [0u64; BINS];
    let mut non_zero = 0u64;
    let pieces = parallel::map(parts, |part| {
        let (mut counts, mut non_zero) = ([0u32; BINS], 0u32);
        for &v in part_of(part) {
            let bin = ((f64::from(v) - low) / width) as usize;
            counts[bin.min(BINS - 1)] += 1;
            non_zero += u32::from(v.abs() >= 1e-15);
        }
        (counts, non_zero)
    });
    for (piece, n) in &pieces {
        counts.iter_mut().zip(piece).for_each(|(sum, &n)| *sum += u64::from(n));
        non_zero += u64::from(*n);
    }
    // 0.1 % written as 1 - 0.999: the same rounding as the published scaling.
    let keep = values.len() as u64 - ((1.0 - 0.999) * non_zero as f64) as u64;
    let mut seen = 0;
    let bin = counts.iter().position(|&c| {
        seen += c;
        seen >= keep
    });
    let upper = low + width * (bin.unwrap_or(BINS - 1) + 1).min(BINS) as f64;
    let scale = 255.0 / (upper - low);
    let mut bytes = vec![0u8; values.len()];
    parallel::for_each_chunk(&mut bytes, PART, |part, piece| {
        for (byte, &v) in piece.iter_mut().zip(part_of(part)) {
            *byte = ((f64::from(v) - low) * scale).clamp(0.0, 255.0).round_ties_even() as u8;
        }
    });
    Ok(bytes)
}

#[cfg(test)]
#[path = "conform_tests.rs"]
mod tests;
