//! A volume with channels and a border of zeros, which is what a convolution reads outside.

use volume::Shape;

/// Voxels of the border on each side.
pub const BORDER: usize = 1;

/// Values `[z][y][x][channel]` of the voxels and their border.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    pub shape: Shape,
    pub channels: usize,
    pub values: Vec<f32>,
}

impl Tensor {
    /// All zero. Allocates 4 bytes · channels · product of (shape + 2).
    pub fn zeros(shape: Shape, channels: usize) -> Self {
        let count: usize = shape.iter().map(|n| n + 2 * BORDER).product();
        Self { shape, channels, values: vec![0.0; count * channels] }
    }

    /// Values of a line with its border.
    pub fn line_len(&self) -> usize {
        (self.shape[0] + 2 * BORDER) * self.channels
    }

    /// Values of a slice with its border.
    pub fn slice_len(&self) -> usize {
        (self.shape[1] + 2 * BORDER) * self.line_len()
    }

    /// The line at `y` and `z`, both counted with the border.
    pub fn bordered_line(&self, y: usize, z: usize) -> &[f32] {
        &self.values[z * self.slice_len() + y * self.line_len()..][..self.line_len()]
    }

    /// Where the channels of the voxels of line `y` stand in a slice with its border.
    pub fn inner(&self, y: usize) -> std::ops::Range<usize> {
        let start = (y + BORDER) * self.line_len() + BORDER * self.channels;
        start..start + self.shape[0] * self.channels
    }

    /// The voxels of line `y` of slice `z`, both counted without the border.
    pub fn line(&self, y: usize, z: usize) -> &[f32] {
        &self.values[(z + BORDER) * self.slice_len()..][self.inner(y)]
    }

    /// Runs `work(z, slice with its border)` on every slice that is not border.
    pub fn for_each_slice(&mut self, work: impl Fn(usize, &mut [f32]) + Sync) {
        let (len, nz) = (self.slice_len(), self.shape[2]);
        let inner = &mut self.values[BORDER * len..][..nz * len];
        parallel::for_each_chunk(inner, len, work);
    }

    /// Adds to each voxel the channels of the voxel of `coarse`, half as large, that holds it.
    pub fn add_doubled(&mut self, coarse: &Tensor) {
        let (c, ny) = (self.channels, self.shape[1]);
        let lines: Vec<_> = (0..ny).map(|y| self.inner(y)).collect();
        self.for_each_slice(|z, slice| {
            for (y, range) in lines.iter().enumerate() {
                let from = coarse.line(y / 2, z / 2);
                let voxels = slice[range.clone()].chunks_exact_mut(c).enumerate();
                voxels.for_each(|(x, voxel)| {
                    voxel.iter_mut().zip(&from[x / 2 * c..]).for_each(|(v, &add)| *v += add)
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn add_doubled_repeats_each_voxel_along_every_axis() {
        let mut coarse = Tensor::zeros([2, 3, 2], 2);
        coarse.for_each_slice(|z, slice| {
            slice.iter_mut().enumerate().for_each(|(at, v)| *v = (at + 100 * z) as f32)
        });
        let mut fine = Tensor::zeros([4, 6, 4], 2);
        fine.for_each_slice(|_, slice| slice.fill(0.5));
        fine.add_doubled(&coarse);
        for (z, y, x) in (0..4).flat_map(|z| (0..6).flat_map(move |y| (0..4).map(move |x| (z, y, x)))) {
            for c in 0..2 {
                assert_eq!(fine.line(y, z)[2 * x + c], 0.5 + coarse.line(y / 2, z / 2)[x / 2 * 2 + c]);
            }
        }
    }
}
