//! Any grid to 256^3 at 1 mm with axes left, inferior, anterior and the centre of the field of view kept.

use crate::voxels::filter::{kernel, mirrored, weigh};
use volume::{Affine, Error, Grid, Shape};

/// Voxels along each axis of the conformed grid.
pub const SIDE: usize = 256;

/// Rows of the affine: left, inferior, anterior, 1 mm.
const AXES: [[f64; 3]; 3] = [[-1., 0., 0.], [0., 0., 1.], [0., -1., 0.]];
/// Rounding of the axes in files.
const AXES_TOLERANCE: f64 = 1e-3;
/// Blur before resampling an axis when it is coarsened by more than this.
const ANTIALIAS_ABOVE: f64 = 1.3;
/// Sigma of that blur in source voxels per voxel of coarsening.
const ANTIALIAS_SIGMA: f64 = 0.42;
const BINS: usize = 1000;
/// Rounding of affines must not blacken the outermost voxels.
const EDGE: f64 = 1e-6;
/// Voxels of the target worked on together: their part of the source fits the cache.
const BLOCK: [usize; 3] = [64, 64, 32];
/// Voxels of one part of a pass over the volume.
const PART: usize = 1 << 18;

/// Voxel types a source may have.
pub trait Voxel: Copy + Sync {
    fn to_f32(self) -> f32;
}

macro_rules! voxel {
    ($($t:ty),*) => { $(impl Voxel for $t { fn to_f32(self) -> f32 { self as f32 } })* };
}
voxel!(u8, i8, u16, i16, i32, f32);

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

/// Resamples to the conformed grid (trilinear, 0 outside) and scales to 8 bits. A volume that is on such a grid
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

/// Resamples to a given 1 mm grid (trilinear, 0 outside) and scales to 8 bits; never passes a volume unchanged.
///
/// # Errors
/// As `conform`; `volume.affine_singular`.
pub fn conform_onto<T: Voxel>(voxels: &[T], source: &Grid, grid: &Grid) -> Result<Vec<u8>, Error> {
    if voxels.len() != source.count() {
        return Err(Error::unsupported("shape", "Cannot conform: voxel count and shape differ"));
    }
    let sigma = source.ras_from_ijk.spacing_mm().map(|mm| {
        let coarsened = 1.0 / mm;
        if coarsened < ANTIALIAS_ABOVE {
            0.0
        } else {
            ANTIALIAS_SIGMA * coarsened
        }
    });
    scale_to_bytes(&resample_blurred(voxels, source, grid, sigma)?)
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

/// Trilinear values of `src` on the target grid; 0 where the position leaves the range of voxel centres.
///
/// # Errors
/// `volume.affine_singular`.
pub fn resample<T: Voxel>(src: &[T], from: &Grid, to: &Grid) -> Result<Vec<f32>, Error> {
    resample_blurred(src, from, to, [0.0; 3])
}

/// The same from the source blurred by a Gaussian, sigma in source voxels. The target is worked through in blocks, and
/// only a block's part of the source is blurred at a time: no copy of the source is held.
fn resample_blurred<T: Voxel>(src: &[T], from: &Grid, to: &Grid, sigma: [f64; 3]) -> Result<Vec<f32>, Error> {
    let map = from.ras_from_ijk.invert()?.compose(&to.ras_from_ijk);
    let kernels = sigma.map(|s| if s > 0.0 { kernel(s) } else { vec![1.0] });
    let is_blurred = sigma.iter().any(|&s| s > 0.0);
    let whole = View { values: src, low: [0; 3], shape: from.shape, full: from.shape };
    let [nx, ny, nz] = to.shape;
    let mut out = vec![0f32; to.count()];
    parallel::for_each_chunk(&mut out, nx * ny * BLOCK[2], |part, layer| {
        let first = part * BLOCK[2];
        let mut tile = Tile::default();
        for j in (0..ny).step_by(BLOCK[1]) {
            for i in (0..nx).step_by(BLOCK[0]) {
                let block = Block {
                    low: [i, j, first],
                    high: [(i + BLOCK[0]).min(nx), (j + BLOCK[1]).min(ny), (first + BLOCK[2]).min(nz)],
                };
                let Some(bounds) = block.bounds(&map, from.shape) else { continue };
                if is_blurred {
                    tile.fill(src, from.shape, bounds, &kernels);
                    block.sample(&map, &tile.view(from.shape), layer, to.shape);
                } else {
                    block.sample(&map, &whole, layer, to.shape);
                }
            }
        }
    });
    Ok(out)
}

/// A box of the target: first voxel and the one after the last.
struct Block {
    low: [usize; 3],
    high: [usize; 3],
}

impl Block {
    /// First and last source voxel that the block needs; `None` when it lies outside the source.
    fn bounds(&self, map: &Affine, shape: Shape) -> Option<([usize; 3], [usize; 3])> {
        let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for corner in 0..8 {
            let at = |a: usize| if corner >> a & 1 == 1 { self.high[a] - 1 } else { self.low[a] };
            let p = map.apply([0, 1, 2].map(|a| at(a) as f64));
            for a in 0..3 {
                least[a] = least[a].min(p[a] - 2.0 * EDGE);
                most[a] = most[a].max(p[a] + 2.0 * EDGE);
            }
        }
        if (0..3).any(|a| most[a] < 0.0 || least[a] > (shape[a] - 1) as f64) {
            return None;
        }
        let low = [0, 1, 2].map(|a| (least[a].max(0.0) as usize).min(shape[a].saturating_sub(2)));
        let high = [0, 1, 2].map(|a| (most[a].max(0.0) as usize + 1).min(shape[a] - 1));
        Some((low, high))
    }

    /// Writes the block's values into its layer of the target.
    fn sample<T: Voxel>(&self, map: &Affine, view: &View<T>, layer: &mut [f32], shape: Shape) {
        let step = [map.at(0, 0), map.at(1, 0), map.at(2, 0)];
        for k in self.low[2]..self.high[2] {
            for j in self.low[1]..self.high[1] {
                let start = map.apply([0.0, j as f64, k as f64]);
                let row = shape[0] * (j + shape[1] * (k - self.low[2]));
                view.sample(start, step, self.low[0], &mut layer[row + self.low[0]..row + self.high[0]]);
            }
        }
    }
}

/// Part of a source of shape `full`, from voxel `low` on.
struct View<'a, T> {
    values: &'a [T],
    low: [usize; 3],
    shape: Shape,
    full: Shape,
}

impl<T: Voxel> View<'_, T> {
    /// Values at `start + step * i` for i from `first` on; positions outside the source are left alone.
    fn sample(&self, start: [f64; 3], step: [f64; 3], first: usize, row: &mut [f32]) {
        let last = self.full.map(|n| (n - 1) as f64);
        let at = |i: usize| {
            let i = (first + i) as f64;
            [start[0] + step[0] * i, start[1] + step[1] * i, start[2] + step[2] * i]
        };
        let is_inside = |i: usize| {
            let p = at(i);
            (0..3).all(|a| p[a] >= -EDGE && p[a] <= last[a] + EDGE)
        };
        // A straight line is inside over one stretch.
        let Some(begin) = (0..row.len()).find(|&i| is_inside(i)) else { return };
        let end = (begin..row.len()).rfind(|&i| is_inside(i)).map_or(begin, |i| i + 1);
        let [nx, ny, nz] = self.shape;
        let stride = [usize::from(nx > 1), if ny > 1 { nx } else { 0 }, if nz > 1 { nx * ny } else { 0 }];
        let highest = self.full.map(|n| n.saturating_sub(2));
        for (i, value) in row[begin..end].iter_mut().enumerate() {
            let p = at(begin + i);
            let p = [0, 1, 2].map(|a| p[a].clamp(0.0, last[a]));
            let low = [0, 1, 2].map(|a| (p[a] as usize).min(highest[a]));
            let f = [0, 1, 2].map(|a| p[a] - low[a] as f64);
            let q = [0, 1, 2].map(|a| low[a] - self.low[a]);
            let near = &self.values[q[0] + nx * (q[1] + ny * q[2])..];
            let v = |o: usize| f64::from(near[o].to_f32());
            let along = |o: usize| {
                let a = v(o);
                a + (v(o + stride[0]) - a) * f[0]
            };
            let plane = |o: usize| {
                let a = along(o);
                a + (along(o + stride[1]) - a) * f[1]
            };
            let a = plane(0);
            *value = (a + (plane(stride[2]) - a) * f[2]) as f32;
        }
    }
}

/// A blurred box of the source; its memory serves one block after the other.
#[derive(Default)]
struct Tile {
    low: [usize; 3],
    shape: Shape,
    values: Vec<f32>,
    wider: Vec<f32>,
    line: Vec<f32>,
}

impl Tile {
    fn view(&self, full: Shape) -> View<'_, f32> {
        View { values: &self.values, low: self.low, shape: self.shape, full }
    }

    /// Blurs the voxels from `low` to `high` (included); equal to blurring the whole source.
    fn fill<T: Voxel>(
        &mut self,
        src: &[T],
        full: Shape,
        (low, high): ([usize; 3], [usize; 3]),
        kernels: &[Vec<f32>; 3],
    ) {
        self.low = low;
        self.shape = [0, 1, 2].map(|a| high[a] - low[a] + 1);
        let [nx, ny, nz] = self.shape;
        let radius = [0, 1, 2].map(|a| kernels[a].len() - 1);
        let from = |a: usize, at: usize| mirrored((low[a] + at) as isize - radius[a] as isize, full[a]);
        let (tall, deep) = (ny + 2 * radius[1], nz + 2 * radius[2]);
        self.values.resize(nx * tall * deep, 0.0);
        self.line.resize(nx + 2 * radius[0], 0.0);
        for (at, row) in self.values.chunks_exact_mut(nx).enumerate() {
            let start = full[0] * (from(1, at % tall) + full[1] * from(2, at / tall));
            let source = &src[start..start + full[0]];
            self.line.iter_mut().enumerate().for_each(|(i, v)| *v = source[from(0, i)].to_f32());
            weigh(row, &self.line, radius[0], 1, &kernels[0]);
        }
        self.wider.resize(nx * ny * deep, 0.0);
        for (plane, wide) in self.wider.chunks_exact_mut(nx * ny).zip(self.values.chunks_exact(nx * tall)) {
            weigh(plane, wide, radius[1] * nx, nx, &kernels[1]);
        }
        self.values.resize(nx * ny * nz, 0.0);
        let slice = nx * ny;
        for (k, plane) in self.values.chunks_exact_mut(slice).enumerate() {
            weigh(plane, &self.wider[k * slice..], radius[2] * slice, slice, &kernels[2]);
        }
    }
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
