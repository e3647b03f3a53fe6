//! Convolutions of 3 x 3 x 3 taps (stride 1 or 2) and of one. The taps along x lie side by side in memory, so that a
//! convolution is a sum over its lines of products of rows of factors with a matrix, the kernel of the MeshNet runner.

use crate::tensor::{Tensor, BORDER};
use meshnet::product::{accumulate, Columns, COLUMNS, ROWS};

/// Weights of one convolution.
pub struct Convolution {
    inputs: usize,
    outputs: usize,
    /// Taps along an axis, 1 or 3.
    taps: usize,
    stride: usize,
    /// By block of outputs.
    bias: Vec<Columns>,
    /// `[block of outputs][tap z][tap y][tap x][input][COLUMNS]`
    weights: Vec<Columns>,
}

impl Convolution {
    /// `kernel` is `[output][input][x][y][z]`, the axes of the volume; `outputs` is a multiple of COLUMNS; an empty
    /// bias is zero.
    ///
    /// # Panics
    /// When the kernel does not have the size that follows from the rest.
    pub fn new(
        kernel: &[f32],
        bias: &[f32],
        [inputs, outputs]: [usize; 2],
        taps: usize,
        stride: usize,
    ) -> Self {
        assert!(kernel.len() == inputs * outputs * taps.pow(3) && outputs.is_multiple_of(COLUMNS));
        let blocks = outputs / COLUMNS;
        let mut weights = vec![[0f32; COLUMNS]; blocks * taps.pow(3) * inputs];
        for (at, &value) in kernel.iter().enumerate() {
            let (z, y, x) = (at % taps, at / taps % taps, at / taps.pow(2) % taps);
            let (input, output) = (at / taps.pow(3) % inputs, at / taps.pow(3) / inputs);
            let tap = (z * taps + y) * taps + x;
            let row = (output / COLUMNS * taps.pow(3) + tap) * inputs + input;
            weights[row][output % COLUMNS] = value;
        }
        let mut biases = vec![[0f32; COLUMNS]; blocks];
        biases.as_flattened_mut().iter_mut().zip(bias).for_each(|(to, &from)| *to = from);
        Self { inputs, outputs, taps, stride, bias: biases, weights }
    }

    /// Multiplications and additions for an output of `voxels`.
    pub fn operations(&self, voxels: usize) -> f64 {
        2.0 * (voxels * self.inputs * self.outputs * self.taps.pow(3)) as f64
    }

    /// The convolved volume; its shape is the input's over the stride, upwards.
    ///
    /// # Exactness
    /// Sums in f32 in a fixed order for each voxel: equal for any number of threads.
    pub fn run(&self, input: &Tensor) -> Tensor {
        let mut out = Tensor::zeros(input.shape.map(|n| n.div_ceil(self.stride)), self.outputs);
        let lines: Vec<_> = (0..out.shape[1]).map(|y| out.inner(y)).collect();
        let nx = out.shape[0];
        out.for_each_slice(|z, slice| {
            let weights = self.weights.chunks_exact(self.taps.pow(3) * self.inputs);
            for (block, (weights, bias)) in weights.zip(&self.bias).enumerate() {
                for (y, range) in lines.iter().enumerate() {
                    self.line(input, [y, z], weights, bias, nx, &mut slice[range.clone()], block * COLUMNS);
                }
            }
        });
        out
    }

    /// One block of outputs of one line, ROWS voxels at a time; the last ones overlap those before.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    fn line(
        &self,
        input: &Tensor,
        [y, z]: [usize; 2],
        weights: &[Columns],
        bias: &Columns,
        nx: usize,
        out: &mut [f32],
        column: usize,
    ) {
        let (taps, run) = (self.taps, self.taps * self.inputs);
        // The middle tap reads the voxel itself, which stands BORDER voxels in.
        let first = BORDER - taps / 2;
        let near: [&[f32]; 9] = std::array::from_fn(|at| {
            let (dy, dz) = (at % taps, at / taps % taps);
            &input.bordered_line(y * self.stride + dy + first, z * self.stride + dz + first)
                [first * self.inputs..]
        });
        let mut start = 0;
        loop {
            let at: [usize; ROWS] = std::array::from_fn(|r| (start + r).min(nx - 1));
            let from = at.map(|x| x * self.stride * self.inputs);
            let mut sums = [*bias; ROWS];
            for (line, weights) in near.iter().zip(weights.chunks_exact(run)) {
                accumulate(&mut sums, from.map(|from| &line[from..from + run]), weights);
            }
            for (x, sum) in at.iter().zip(&sums) {
                out[x * self.outputs + column..][..COLUMNS].copy_from_slice(sum);
            }
            if start + ROWS >= nx {
                return;
            }
            start = (start + ROWS).min(nx.saturating_sub(ROWS));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unet::tests::noise;
    use volume::Shape;

    /// By definition, in f64.
    fn naive(
        kernel: &[f32],
        bias: &[f32],
        input: &Tensor,
        outputs: usize,
        taps: usize,
        stride: usize,
    ) -> Vec<f64> {
        let ([nx, ny, nz], c) = (input.shape, input.channels);
        let [mx, my, mz] = input.shape.map(|n| n.div_ceil(stride));
        let half = taps / 2;
        let mut out = Vec::new();
        for (z, y, x) in (0..mz).flat_map(|z| (0..my).flat_map(move |y| (0..mx).map(move |x| (z, y, x)))) {
            for o in 0..outputs {
                let mut sum = bias.get(o).map_or(0.0, |&b| f64::from(b));
                for (at, &w) in kernel[o * c * taps.pow(3)..][..c * taps.pow(3)].iter().enumerate() {
                    let (dz, dy, dx) = (at % taps, at / taps % taps, at / taps.pow(2) % taps);
                    let [i, j, k] =
                        [(x, dx), (y, dy), (z, dz)].map(|(p, d)| (p * stride + d).wrapping_sub(half));
                    if i < nx && j < ny && k < nz {
                        sum += f64::from(w) * f64::from(input.line(j, k)[i * c + at / taps.pow(3)]);
                    }
                }
                out.push(sum);
            }
        }
        out
    }

    fn filled(shape: Shape, channels: usize) -> Tensor {
        let mut tensor = Tensor::zeros(shape, channels);
        let lines: Vec<_> = (0..shape[1]).map(|y| tensor.inner(y)).collect();
        tensor.for_each_slice(|z, slice| {
            for (y, range) in lines.iter().enumerate() {
                let len = range.len();
                slice[range.clone()].copy_from_slice(&noise((z * 100 + y) as u32, len));
            }
        });
        tensor
    }

    #[test]
    fn run_agrees_with_the_definition() {
        for (shape, inputs, outputs, taps, stride) in [
            ([7, 5, 6], 1, 8, 3usize, 1),
            ([8, 6, 4], 8, 16, 3, 2),
            ([9, 5, 3], 16, 8, 3, 2),
            ([11, 4, 2], 5, 8, 3, 1),
            ([3, 4, 5], 8, 8, 1, 1),
            ([1, 1, 1], 3, 8, 3, 1),
        ] {
            let input = filled(shape, inputs);
            let kernel = noise(3, inputs * outputs * taps.pow(3));
            let bias = if taps == 1 { noise(4, outputs) } else { Vec::new() };
            let got = Convolution::new(&kernel, &bias, [inputs, outputs], taps, stride).run(&input);
            let want = naive(&kernel, &bias, &input, outputs, taps, stride);
            let [_, my, mz] = got.shape;
            let flat: Vec<f32> = (0..mz)
                .flat_map(|z| (0..my).flat_map(move |y| [(y, z)]))
                .flat_map(|(y, z)| got.line(y, z).to_vec())
                .collect();
            assert_eq!(flat.len(), want.len());
            assert!(flat.iter().zip(&want).all(|(&g, w)| (f64::from(g) - w).abs() < 2e-5), "{shape:?}");
            // the border stays zero
            let inside: f64 = flat.iter().map(|&v| f64::from(v).abs()).sum();
            let all: f64 = got.values.iter().map(|&v| f64::from(v).abs()).sum();
            assert!((inside - all).abs() < 1e-6 * all);
        }
    }
}
