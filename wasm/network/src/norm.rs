//! Instance norm over the volume and leaky ReLU.

use crate::tensor::Tensor;

/// What the norm adds to a variance, as PyTorch does.
const EPSILON: f64 = 1e-5;
/// Slope of the activation below zero.
const LEAK: f32 = 0.05;

/// Scale and shift of each channel after the norm.
pub struct Norm {
    pub scale: Vec<f32>,
    pub shift: Vec<f32>,
}

impl Norm {
    /// Brings each channel to mean 0 and variance 1 over the volume, scales and shifts it, and takes 0.05 of what is
    /// below zero. In place.
    ///
    /// # Exactness
    /// Moments in f64, slice by slice in their order: equal for any number of threads.
    pub fn activate(&self, tensor: &mut Tensor) {
        let (c, [_, ny, nz]) = (tensor.channels, tensor.shape);
        let count = tensor.shape.iter().product::<usize>() as f64;
        let moments = parallel::map(nz, |z| {
            let (mut sums, mut squares) = (vec![0f64; c], vec![0f64; c]);
            for voxel in (0..ny).flat_map(|y| tensor.line(y, z).chunks_exact(c)) {
                for (channel, &v) in voxel.iter().enumerate() {
                    let v = f64::from(v);
                    sums[channel] += v;
                    squares[channel] += v * v;
                }
            }
            (sums, squares)
        });
        let (mut scale, mut shift) = (vec![0f32; c], vec![0f32; c]);
        for channel in 0..c {
            let mean = moments.iter().map(|(sums, _)| sums[channel]).sum::<f64>() / count;
            let square = moments.iter().map(|(_, squares)| squares[channel]).sum::<f64>() / count;
            let factor = f64::from(self.scale[channel]) / ((square - mean * mean).max(0.0) + EPSILON).sqrt();
            scale[channel] = factor as f32;
            shift[channel] = (f64::from(self.shift[channel]) - mean * factor) as f32;
        }
        let lines: Vec<_> = (0..ny).map(|y| tensor.inner(y)).collect();
        tensor.for_each_slice(|_, slice| {
            for range in &lines {
                for voxel in slice[range.clone()].chunks_exact_mut(c) {
                    for (v, (scale, shift)) in voxel.iter_mut().zip(scale.iter().zip(&shift)) {
                        let y = *v * scale + shift;
                        *v = if y > 0.0 { y } else { LEAK * y };
                    }
                }
            }
        });
    }
}
