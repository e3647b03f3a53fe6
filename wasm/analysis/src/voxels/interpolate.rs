//! Intensities between grids: linearly, or on the way to 1 mm as sharp as their source is.

use crate::voxels::filter::{kernel, mirrored, weigh};
use crate::voxels::spline::{coefficient_kernel, sample_spline};
use volume::{Affine, Error, Grid, Shape};

/// Blur before resampling an axis when it is coarsened by more than this.
const ANTIALIAS_ABOVE: f64 = 1.3;
/// Sigma of that blur in source voxels per voxel of coarsening.
const ANTIALIAS_SIGMA: f64 = 0.42;
/// Voxels, mm, between which a cubic spline runs. Finer ones are blurred on purpose; of what lies between coarser ones too little
/// is known.
const SPLINE_MM: std::ops::RangeInclusive<f64> = 1.0 / ANTIALIAS_ABOVE..=1.3;
/// Rounding of affines must not blacken the outermost voxels.
const EDGE: f64 = 1e-6;
/// Voxels of the target worked on together: their part of the source fits the cache.
const BLOCK: [usize; 3] = [64, 64, 32];
/// Rounding of affines in files that leaves every voxel on a sample.
const ALIGNED: f64 = 1e-5;
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

/// Values on a grid of 1 mm; 0 outside. Finer axes of the source are blurred and taken linearly, those of about 1 mm as cubic
/// splines, coarser ones linearly. Where every value falls on a sample it is that sample. None is darker than the darkest
/// sample, or than 0.
///
/// # Errors
/// `volume.affine_singular`.
pub fn interpolate<T: Voxel>(voxels: &[T], source: &Grid, grid: &Grid) -> Result<Vec<f32>, Error> {
    let (map, mm) =
        (source.ras_from_ijk.invert()?.compose(&grid.ras_from_ijk), source.ras_from_ijk.spacing_mm());
    let is_whole = |v: &f64| (v - v.round()).abs() < ALIGNED;
    if map.0.iter().all(is_whole) && mm.iter().all(|v| (v - 1.0).abs() < ALIGNED) {
        return resample(voxels, source, grid);
    }
    let filters = mm.map(Filter::of_spacing);
    let mut values = resample_filtered(voxels, source, grid, &filters)?;
    if filters.iter().any(|filter| filter.is_cubic) {
        // a spline overshoots beside an edge
        let least = lowest(voxels).min(0.0);
        parallel::for_each_chunk(&mut values, PART, |_, piece| {
            piece.iter_mut().for_each(|v| *v = if *v < least { least } else { *v });
        });
    }
    Ok(values)
}

fn lowest<T: Voxel>(voxels: &[T]) -> f32 {
    let part_of = |part: usize| &voxels[part * PART..voxels.len().min((part + 1) * PART)];
    let lowest = |part: usize| part_of(part).iter().fold(f32::INFINITY, |low, v| low.min(v.to_f32()));
    parallel::map(voxels.len().div_ceil(PART), lowest).into_iter().fold(f32::INFINITY, f32::min)
}

/// What an axis of the source goes through before it is sampled on another grid.
struct Filter {
    /// Weights of neighbours from the centre outwards; 1 alone leaves the samples as they are.
    kernel: Vec<f32>,
    /// Sampled as a cubic spline, of which `kernel` makes the coefficients; else linearly.
    is_cubic: bool,
}

impl Filter {
    fn none() -> Self {
        Self { kernel: vec![1.0], is_cubic: false }
    }

    /// On the way to 1 mm.
    fn of_spacing(mm: f64) -> Self {
        let coarsened = 1.0 / mm;
        if SPLINE_MM.contains(&mm) {
            Self { kernel: coefficient_kernel(), is_cubic: true }
        } else if coarsened < ANTIALIAS_ABOVE {
            Self::none()
        } else {
            Self { kernel: kernel(ANTIALIAS_SIGMA * coarsened), is_cubic: false }
        }
    }
}

/// Trilinear values of `src` on the target grid; 0 where the position leaves the range of voxel centres.
///
/// # Errors
/// `volume.affine_singular`.
pub fn resample<T: Voxel>(src: &[T], from: &Grid, to: &Grid) -> Result<Vec<f32>, Error> {
    resample_filtered(src, from, to, &[0; 3].map(|_| Filter::none()))
}

/// The same through a filter along each axis. The target is worked through in blocks, and only a block's part of the source
/// is filtered at a time: no copy of the source is held.
fn resample_filtered<T: Voxel>(
    src: &[T],
    from: &Grid,
    to: &Grid,
    filters: &[Filter; 3],
) -> Result<Vec<f32>, Error> {
    let map = from.ras_from_ijk.invert()?.compose(&to.ras_from_ijk);
    let is_cubic = [0, 1, 2].map(|a| filters[a].is_cubic);
    let is_filtered = filters.iter().any(|filter| filter.kernel.len() > 1);
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
                let Some(bounds) = block.bounds(&map, from.shape, is_cubic) else { continue };
                if is_filtered {
                    tile.fill(src, from.shape, bounds, filters);
                    let view = tile.view(from.shape);
                    if is_cubic.contains(&true) {
                        block.write(&map, layer, to.shape, |line, row| {
                            view.sample_spline(line, row, is_cubic)
                        });
                    } else {
                        block.write(&map, layer, to.shape, |line, row| view.sample(line, row));
                    }
                } else {
                    block.write(&map, layer, to.shape, |line, row| whole.sample(line, row));
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
    fn bounds(&self, map: &Affine, shape: Shape, is_cubic: [bool; 3]) -> Option<([usize; 3], [usize; 3])> {
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
        // a spline reads one coefficient more on either side
        let reach = is_cubic.map(usize::from);
        let high = [0, 1, 2].map(|a| (most[a].max(0.0) as usize + 1 + reach[a]).min(shape[a] - 1));
        Some(([0, 1, 2].map(|a| low[a].saturating_sub(reach[a])), high))
    }

    /// Writes the block's values into its layer of the target: `sample` fills a row, outside the source it leaves 0.
    fn write(&self, map: &Affine, layer: &mut [f32], shape: Shape, sample: impl Fn(&Line, &mut [f32])) {
        let (step, first) = ([map.at(0, 0), map.at(1, 0), map.at(2, 0)], self.low[0]);
        for k in self.low[2]..self.high[2] {
            for j in self.low[1]..self.high[1] {
                let start = map.apply([0.0, j as f64, k as f64]);
                let row = shape[0] * (j + shape[1] * (k - self.low[2]));
                sample(&Line { start, step, first }, &mut layer[row + first..row + self.high[0]]);
            }
        }
    }
}

/// A row of the target in the source's voxels.
struct Line {
    start: [f64; 3],
    step: [f64; 3],
    /// Steps from `start` to the first position.
    first: usize,
}

impl Line {
    fn position(&self, i: usize) -> [f64; 3] {
        let i = (self.first + i) as f64;
        [0, 1, 2].map(|a| self.start[a] + self.step[a] * i)
    }

    /// The `i`-th position, within the source.
    fn at(&self, i: usize, full: Shape) -> [f64; 3] {
        let p = self.position(i);
        [0, 1, 2].map(|a| p[a].clamp(0.0, (full[a] - 1) as f64))
    }

    /// Which of the first `count` positions lie within the source: a straight line is inside over one stretch.
    fn inside(&self, full: Shape, count: usize) -> std::ops::Range<usize> {
        let is_inside = |&i: &usize| {
            let p = self.position(i);
            (0..3).all(|a| p[a] >= -EDGE && p[a] <= (full[a] - 1) as f64 + EDGE)
        };
        let Some(begin) = (0..count).find(is_inside) else { return 0..0 };
        begin..(begin..count).rfind(is_inside).map_or(begin, |i| i + 1)
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
    /// Linear values at a line's positions.
    fn sample(&self, line: &Line, row: &mut [f32]) {
        let [nx, ny, nz] = self.shape;
        let stride = [usize::from(nx > 1), if ny > 1 { nx } else { 0 }, if nz > 1 { nx * ny } else { 0 }];
        let highest = self.full.map(|n| n.saturating_sub(2));
        for i in line.inside(self.full, row.len()) {
            let p = line.at(i, self.full);
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
            row[i] = (a + (plane(stride[2]) - a) * f[2]) as f32;
        }
    }
}

impl View<'_, f32> {
    /// Values at a line's positions, of a spline whose coefficients these are.
    fn sample_spline(&self, line: &Line, row: &mut [f32], is_cubic: [bool; 3]) {
        for i in line.inside(self.full, row.len()) {
            let p = line.at(i, self.full);
            let p = [0, 1, 2].map(|a| p[a] - self.low[a] as f64);
            row[i] = sample_spline(self.values, self.shape, p, is_cubic);
        }
    }
}

/// A filtered box of the source; its memory serves one block after the other.
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

    /// Filters the voxels from `low` to `high` (included); equal to filtering the whole source.
    fn fill<T: Voxel>(
        &mut self,
        src: &[T],
        full: Shape,
        (low, high): ([usize; 3], [usize; 3]),
        filters: &[Filter; 3],
    ) {
        self.low = low;
        self.shape = [0, 1, 2].map(|a| high[a] - low[a] + 1);
        let [nx, ny, nz] = self.shape;
        let radius = [0, 1, 2].map(|a| filters[a].kernel.len() - 1);
        let from = |a: usize, at: usize| mirrored((low[a] + at) as isize - radius[a] as isize, full[a]);
        let (tall, deep) = (ny + 2 * radius[1], nz + 2 * radius[2]);
        self.values.resize(nx * tall * deep, 0.0);
        self.line.resize(nx + 2 * radius[0], 0.0);
        for (at, row) in self.values.chunks_exact_mut(nx).enumerate() {
            let start = full[0] * (from(1, at % tall) + full[1] * from(2, at / tall));
            let source = &src[start..start + full[0]];
            self.line.iter_mut().enumerate().for_each(|(i, v)| *v = source[from(0, i)].to_f32());
            weigh(row, &self.line, radius[0], 1, &filters[0].kernel);
        }
        self.wider.resize(nx * ny * deep, 0.0);
        for (plane, wide) in self.wider.chunks_exact_mut(nx * ny).zip(self.values.chunks_exact(nx * tall)) {
            weigh(plane, wide, radius[1] * nx, nx, &filters[1].kernel);
        }
        self.values.resize(nx * ny * nz, 0.0);
        let slice = nx * ny;
        for (k, plane) in self.values.chunks_exact_mut(slice).enumerate() {
            weigh(plane, &self.wider[k * slice..], radius[2] * slice, slice, &filters[2].kernel);
        }
    }
}

#[cfg(test)]
#[path = "interpolate_tests.rs"]
mod tests;
