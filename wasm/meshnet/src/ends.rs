//! The two layers that are not like the others: from one channel to many, and from many to the winning class.

use crate::convolution::activate;
use crate::need::Interval;
use crate::product::{block, Columns, COLUMNS, ROWS};
use crate::winograd::{Row, LANES};
use volume::Shape;

/// The 3 x 3 x 3 convolution of the input volume.
pub struct FirstLayer {
    bias: Row,
    /// `[z][y][x]`
    weights: [Row; 27],
}

impl FirstLayer {
    /// `kernel` is `[x][y][z][output]`.
    pub fn new(kernel: &[f32], bias: &[f32]) -> Self {
        let channels = bias.len();
        let mut first = Self { bias: [0.0; LANES], weights: [[0.0; LANES]; 27] };
        first.bias[..channels].copy_from_slice(bias);
        for (at, row) in first.weights.iter_mut().enumerate() {
            let (x, y, z) = (at % 3, at / 3 % 3, at / 9);
            row[..channels].copy_from_slice(&kernel[((x * 3 + y) * 3 + z) * channels..][..channels]);
        }
        first
    }

    /// Slice `z` of the output at the needed voxels.
    pub fn slice(&self, input: &[f32], shape: Shape, z: usize, out: &mut [Row], need: &[Interval]) {
        let [nx, ny, nz] = shape;
        parallel::for_each_chunk(out, nx, |y, out| {
            let lines: [&[f32]; 9] = std::array::from_fn(|at| {
                let (j, k) = ((y + at % 3).wrapping_sub(1), (z + at / 3).wrapping_sub(1));
                if j < ny && k < nz {
                    &input[nx * (j + ny * k)..][..nx]
                } else {
                    &[]
                }
            });
            for x in usize::from(need[y].low)..usize::from(need[y].high) {
                let mut sum = [0f32; LANES];
                for (at, weights) in self.weights.iter().enumerate() {
                    let value = lines[at / 3].get((x + at % 3).wrapping_sub(1)).copied().unwrap_or(0.0);
                    for l in 0..LANES {
                        sum[l] += value * weights[l];
                    }
                }
                activate(&mut sum, &self.bias);
                out[x] = sum;
            }
        });
    }
}

/// The classifier of one voxel's channels.
pub struct LastLayer {
    channels: usize,
    classes: usize,
    bias: Vec<f32>,
    /// `[block of classes][input][COLUMNS]`
    weights: Vec<Columns>,
}

impl LastLayer {
    /// `kernel` is `[input][class]`.
    pub fn new(kernel: &[f32], bias: &[f32], channels: usize) -> Self {
        let classes = bias.len();
        let mut weights = vec![[0f32; COLUMNS]; classes.div_ceil(COLUMNS) * channels];
        for (at, &value) in kernel.iter().enumerate() {
            let (input, class) = (at / classes, at % classes);
            weights[class / COLUMNS * channels + input][class % COLUMNS] = value;
        }
        Self { channels, classes, bias: bias.to_vec(), weights }
    }

    /// First class with the largest value at the needed voxels of a slice.
    pub fn slice(&self, slice: &[Row], nx: usize, out: &mut [u8], need: &[Interval]) {
        parallel::for_each_chunk(out, nx, |y, out| {
            let (low, high) = (usize::from(need[y].low), usize::from(need[y].high).max(need[y].low.into()));
            let Some(out) = out.get_mut(low..high) else { return };
            let line = &slice[y * nx..][low..high];
            for (rows, out) in line.chunks(ROWS).zip(out.chunks_mut(ROWS)) {
                let mut factors = [[[0f32; LANES]; 1]; ROWS];
                factors.iter_mut().zip(rows).for_each(|(factor, row)| factor[0] = *row);
                let mut top = [f32::NEG_INFINITY; ROWS];
                for (at, weights) in self.weights.chunks_exact(self.channels).enumerate() {
                    let sums = block(&factors, weights, self.channels);
                    for (r, winner) in out.iter_mut().enumerate() {
                        for (l, sum) in sums[r].iter().enumerate().take(self.classes - at * COLUMNS) {
                            let value = sum + self.bias[at * COLUMNS + l];
                            if value > top[r] {
                                (top[r], *winner) = (value, (at * COLUMNS + l) as u8);
                            }
                        }
                    }
                }
            }
        });
    }
}
