//! One dilated 3 x 3 x 3 convolution with ELU on one slice, from three slices of the layer before.

use crate::need::Interval;
use crate::product::{block, Columns, COLUMNS, ROWS};
use crate::winograd::{transform_filter, transform_input, transform_output, Row, IN, LANES, OUT, POSITIONS};
use std::sync::{Mutex, PoisonError};

/// Blocks of ROWS tiles whose factors are in the cache at the same time.
const GROUPS: usize = 4;
const TAPS: usize = 3;
const BLOCKS: usize = LANES / COLUMNS;
const ZERO: Row = [0.0; LANES];

/// Weights of a layer with as many inputs as outputs, at the positions of a tile.
pub struct Convolution {
    pub dilation: usize,
    channels: usize,
    bias: Row,
    /// `[position][block of outputs][slice][input][COLUMNS]`
    weights: Vec<Columns>,
}

/// Working memory of one thread, about 0.5 MB.
struct Scratch {
    /// `[position][group][row][slice]`
    factors: Vec<[[Row; TAPS]; ROWS]>,
    /// `[position][group][row]`
    products: Vec<[Row; ROWS]>,
    wide: [[Row; IN]; IN],
    narrow: [[Row; OUT]; IN],
    starts: Vec<usize>,
}

impl Scratch {
    fn new() -> Self {
        Self {
            factors: vec![[[ZERO; TAPS]; ROWS]; POSITIONS * GROUPS],
            products: vec![[ZERO; ROWS]; POSITIONS * GROUPS],
            wide: [[ZERO; IN]; IN],
            narrow: [[ZERO; OUT]; IN],
            starts: Vec::new(),
        }
    }
}

/// Working memory that threads take and give back.
#[derive(Default)]
pub struct Pool(Mutex<Vec<Scratch>>);

impl Pool {
    fn lend<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = lock().pop();
        let mut scratch = taken.unwrap_or_else(Scratch::new);
        let result = work(&mut scratch);
        lock().push(scratch);
        result
    }
}

/// A slice of a layer's output: rows of channels, x fastest.
#[derive(Clone, Copy)]
pub struct Slice<'a> {
    pub rows: &'a [Row],
    pub nx: usize,
    pub ny: usize,
}

impl Slice<'_> {
    fn line(&self, y: Option<usize>) -> &[Row] {
        y.filter(|&y| y < self.ny).map_or(&[], |y| &self.rows[y * self.nx..][..self.nx])
    }
}

/// Four lines of the output, `dilation` apart, that share their tiles.
struct Band<'a> {
    first: usize,
    lines: [Option<&'a mut [Row]>; OUT],
    need: Interval,
}

impl Convolution {
    /// `kernel` is `[x][y][z][input][output]`, the axes of the volume.
    pub fn new(kernel: &[f32], bias: &[f32], channels: usize, dilation: usize) -> Self {
        let mut weights = vec![[0f32; COLUMNS]; POSITIONS * BLOCKS * TAPS * channels];
        let tap = |x: usize, y: usize, z: usize, input: usize, output: usize| {
            f64::from(kernel[((x * 3 + y) * 3 + z) * channels * channels + input * channels + output])
        };
        for (z, input, output) in
            (0..TAPS).flat_map(|z| (0..channels).flat_map(move |i| (0..channels).map(move |o| (z, i, o))))
        {
            let along_x = [0, 1, 2].map(|y| transform_filter([0, 1, 2].map(|x| tap(x, y, z, input, output))));
            for j in 0..IN {
                let along_y = transform_filter([0, 1, 2].map(|y| along_x[y][j]));
                for (i, &value) in along_y.iter().enumerate() {
                    let at = ((i * IN + j) * BLOCKS + output / COLUMNS) * TAPS * channels;
                    weights[at + z * channels + input][output % COLUMNS] = value as f32;
                }
            }
        }
        let mut padded = ZERO;
        padded[..channels].copy_from_slice(bias);
        Self { dilation, channels, bias: padded, weights }
    }

    /// Computes the tiles that hold a needed voxel. `near` are the slices at z - dilation, z and z + dilation, `None`
    /// outside the volume; `need` has one interval of x for each line.
    pub fn slice(
        &self,
        near: [Option<Slice>; TAPS],
        out: &mut [Row],
        nx: usize,
        need: &[Interval],
        pool: &Pool,
    ) {
        let d = self.dilation;
        let mut lines: Vec<Option<&mut [Row]>> = out.chunks_mut(nx).map(Some).collect();
        let ny = lines.len();
        let mut bands = Vec::new();
        for first in (0..ny).filter(|y| (y / d).is_multiple_of(OUT)) {
            let mut band = Band { first, lines: [None, None, None, None], need: Interval::EMPTY };
            for (a, line) in band.lines.iter_mut().enumerate() {
                if first + a * d < ny {
                    *line = lines[first + a * d].take();
                    band.need = band.need.join(need[first + a * d]);
                }
            }
            if !band.need.is_empty() {
                bands.push(band);
            }
        }
        parallel::for_each_chunk(&mut bands, 1, |_, band| {
            pool.lend(|scratch| band.iter_mut().for_each(|band| self.band(near, band, nx, scratch)));
        });
    }

    fn band(&self, near: [Option<Slice>; TAPS], band: &mut Band, nx: usize, scratch: &mut Scratch) {
        let d = self.dilation;
        let mut starts = std::mem::take(&mut scratch.starts);
        starts.clear();
        starts.extend(
            (0..nx)
                .filter(|x| (x / d).is_multiple_of(OUT) && (0..OUT).any(|b| band.need.contains(x + b * d))),
        );
        for tiles in starts.chunks(GROUPS * ROWS) {
            self.transform_tiles(near, band.first, tiles, scratch);
            self.multiply(tiles.len().div_ceil(ROWS), scratch);
            for (t, &x) in tiles.iter().enumerate() {
                self.write_outputs(t, x, &mut band.lines, nx, scratch);
            }
        }
        scratch.starts = starts;
    }

    fn transform_tiles(
        &self,
        near: [Option<Slice>; TAPS],
        first: usize,
        tiles: &[usize],
        scratch: &mut Scratch,
    ) {
        let d = self.dilation;
        for (tap, slice) in near.iter().enumerate() {
            for (t, &start) in tiles.iter().enumerate() {
                let (group, r) = (t / ROWS, t % ROWS);
                let Some(slice) = slice else {
                    for position in 0..POSITIONS {
                        scratch.factors[position * GROUPS + group][r][tap] = ZERO;
                    }
                    continue;
                };
                for (i, wide) in scratch.wide.iter_mut().enumerate() {
                    let line = slice.line((first + i * d).checked_sub(d));
                    let at =
                        |j: usize| (start + j * d).checked_sub(d).and_then(|x| line.get(x)).unwrap_or(&ZERO);
                    transform_input([at(0), at(1), at(2), at(3), at(4), at(5)], wide.each_mut());
                }
                for j in 0..IN {
                    let mut column = [ZERO; IN];
                    transform_input(scratch.wide.each_ref().map(|wide| &wide[j]), column.each_mut());
                    for (i, factor) in column.iter().enumerate() {
                        scratch.factors[(i * IN + j) * GROUPS + group][r][tap] = *factor;
                    }
                }
            }
        }
    }

    fn multiply(&self, groups: usize, scratch: &mut Scratch) {
        let size = TAPS * self.channels;
        for (at, weights) in self.weights.chunks_exact(size).enumerate() {
            let (position, column) = (at / BLOCKS, at % BLOCKS * COLUMNS);
            for group in position * GROUPS..position * GROUPS + groups {
                let sums = block(&scratch.factors[group], weights, self.channels);
                for (row, sum) in scratch.products[group].iter_mut().zip(&sums) {
                    row[column..column + COLUMNS].copy_from_slice(sum);
                }
            }
        }
    }

    fn write_outputs(
        &self,
        t: usize,
        x: usize,
        lines: &mut [Option<&mut [Row]>; OUT],
        nx: usize,
        scratch: &mut Scratch,
    ) {
        let (group, r) = (t / ROWS, t % ROWS);
        let products = &scratch.products;
        for (j, narrow) in scratch.narrow.iter_mut().enumerate() {
            let at = |i: usize| &products[(i * IN + j) * GROUPS + group][r];
            transform_output([at(0), at(1), at(2), at(3), at(4), at(5)], narrow.each_mut());
        }
        for (a, line) in lines.iter_mut().enumerate() {
            let Some(line) = line else { continue };
            let mut values = [ZERO; OUT];
            transform_output(scratch.narrow.each_ref().map(|narrow| &narrow[a]), values.each_mut());
            for (b, row) in values.iter_mut().enumerate() {
                let at = x + b * self.dilation;
                if at < nx {
                    activate(row, &self.bias);
                    line[at] = *row;
                }
            }
        }
    }
}

/// Adds the bias and applies ELU: x above zero, e^x - 1 below.
#[inline(always)]
pub fn activate(row: &mut Row, bias: &Row) {
    for l in 0..LANES {
        let x = row[l] + bias[l];
        let below = exp_below_zero(x) - 1.0;
        row[l] = if x > 0.0 { x } else { below };
    }
}

/// e^x for x <= 0 without the platform's libm, so that native and WebAssembly builds give the same bits; 1 above zero.
///
/// # Exactness
/// Relative error below 3e-7 down to -87, where it stops falling.
///
/// # Source
/// Moshier, Cephes `expf`.
#[inline(always)]
pub fn exp_below_zero(x: f32) -> f32 {
    let x = if x < 0.0 { x } else { 0.0 };
    let x = if x > -87.0 { x } else { -87.0 };
    // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits of the mantissa.
    let shifted = x * std::f32::consts::LOG2_E + 12_582_912.0;
    let n = shifted - 12_582_912.0;
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let p = ((((1.987_569_1e-4 * r + 1.398_199_9e-3) * r + 8.333_452e-3) * r + 4.166_579_6e-2) * r
        + 1.666_666_6e-1)
        * r
        + 0.500_000_1;
    (p * r * r + r + 1.0) * f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activate_is_the_exponential_linear_unit() {
        for step in -900..900 {
            let x = step as f32 * 0.1;
            let mut row = [x - 0.5; LANES];
            activate(&mut row, &[0.5; LANES]);
            let sum = x - 0.5 + 0.5;
            let want = if sum > 0.0 { f64::from(sum) } else { f64::from(sum).exp_m1() };
            assert!(row.iter().all(|&v| (f64::from(v) - want).abs() < 2e-7 * (1.0 + want.abs())), "{x}");
        }
    }
}
