//! The layers in their order.

use crate::convolution::Convolution;
use crate::norm::Norm;
use crate::tensor::Tensor;
use crate::weights::Weights;
use meshnet::convolution::exp_below_zero;
use meshnet::product::COLUMNS;
use volume::{Error, Shape};

/// Levels of resolution; an axis of the volume is a multiple of 2^(LEVELS - 1).
const LEVELS: usize = 4;
/// Channels of a level, and classes.
const MAX_WIDTH: usize = 128;
/// Voxels of an axis.
const MAX_AXIS: usize = 256;

/// Convolution, instance norm and leaky ReLU.
struct Block {
    convolution: Convolution,
    norm: Norm,
}

impl Block {
    fn read(
        weights: &mut Weights,
        name: &str,
        [inputs, outputs]: [usize; 2],
        stride: usize,
    ) -> Result<Self, Error> {
        let kernel = weights.take(&format!("{name}.weight"), &[outputs, inputs, 3, 3, 3])?;
        let convolution = Convolution::new(kernel, &[], [inputs, outputs], 3, stride);
        let scale = weights.take(&format!("{name}.scale"), &[outputs])?.to_vec();
        let shift = weights.take(&format!("{name}.shift"), &[outputs])?.to_vec();
        Ok(Self { convolution, norm: Norm { scale, shift } })
    }

    fn run(&self, input: &Tensor) -> Tensor {
        let mut out = self.convolution.run(input);
        self.norm.activate(&mut out);
        out
    }
}

fn read_pointwise(
    weights: &mut Weights,
    name: &str,
    [inputs, outputs]: [usize; 2],
) -> Result<Convolution, Error> {
    let kernel = weights.take(&format!("{name}.weight"), &[outputs, inputs, 1, 1, 1])?.to_vec();
    let bias = weights.take(&format!("{name}.bias"), &[outputs])?;
    Ok(Convolution::new(&kernel, bias, [inputs, outputs], 1, 1))
}

/// A network ready to run; about twice the size of its file.
pub struct Network {
    pub version: String,
    pub classes: usize,
    stem: Block,
    /// By level: half the resolution, then refine.
    down: Vec<[Block; 2]>,
    /// From the coarsest level up: to the channels of the next, then refine the sum.
    up: Vec<(Convolution, Block)>,
    last: Convolution,
}

impl Network {
    /// Reads a weights file: `e0`, `d1`, `e1` … `d3`, `e3`, `u2`, `f2` … `u0`, `f0`, `out`.
    ///
    /// # Errors
    /// `internal` (misuse) when the file is not of the form in `weights` or not of such a network.
    pub fn new(file: &[u8]) -> Result<Self, Error> {
        let mut weights = Weights::read(file)?;
        let width = |name: &str| weights.shape_of(name).and_then(|shape| shape.first()).copied().unwrap_or(0);
        let widths = ["e0.weight", "d1.weight", "d2.weight", "d3.weight", "out.weight"].map(width);
        if let Some(w) = widths.iter().find(|&&w| w == 0 || w > MAX_WIDTH || !w.is_multiple_of(COLUMNS)) {
            let why =
                format!("Cannot read network: {w} channels, not a multiple of {COLUMNS} up to {MAX_WIDTH}");
            return Err(Error::misuse(why));
        }
        let stem = Block::read(&mut weights, "e0", [1, widths[0]], 1)?;
        let (mut down, mut up) = (Vec::new(), Vec::new());
        for level in 1..LEVELS {
            let width = widths[level];
            down.push([
                Block::read(&mut weights, &format!("d{level}"), [widths[level - 1], width], 2)?,
                Block::read(&mut weights, &format!("e{level}"), [width, width], 1)?,
            ]);
        }
        for level in (0..LEVELS - 1).rev() {
            let width = widths[level];
            up.push((
                read_pointwise(&mut weights, &format!("u{level}"), [widths[level + 1], width])?,
                Block::read(&mut weights, &format!("f{level}"), [width, width], 1)?,
            ));
        }
        let classes = widths[LEVELS];
        let last = read_pointwise(&mut weights, "out", [widths[0], classes])?;
        if !weights.is_exhausted() {
            return Err(Error::misuse("Cannot read network: layers after the last"));
        }
        Ok(Self { version: weights.version, classes, stem, down, up, last })
    }

    /// Posterior of every class at every voxel, `[z][y][x][class]`, of a volume of any gain and offset.
    ///
    /// # Shape
    /// `input` is `shape`, i fastest; every axis a multiple of 8 up to 256.
    ///
    /// # Errors
    /// `internal` (misuse) when the array does not fit the shape, or the shape the network.
    ///
    /// # Exactness
    /// Equal for any number of threads. Differs from another runner by rounding (about 1e-4 of a posterior).
    /// Allocates about 4 bytes · voxels · 4 · (channels of the first level), 120 MB for 56 x 72 x 96 and 16.
    pub fn run(&self, input: &[f32], shape: Shape) -> Result<Vec<f32>, Error> {
        let fits = |n: usize| n > 0 && n <= MAX_AXIS && n.is_multiple_of(1 << (LEVELS - 1));
        if !shape.iter().all(|&n| fits(n)) || input.len() != shape.iter().product::<usize>() {
            return Err(Error::misuse("Cannot run network: the array does not fit the shape or the network"));
        }
        let mut kept = vec![self.stem.run(&normalised(input, shape))];
        for [half, refine] in &self.down {
            let next = refine.run(&half.run(&kept[kept.len() - 1]));
            kept.push(next);
        }
        let mut coarse = kept.pop().ok_or_else(|| Error::misuse("Cannot run network: no level"))?;
        for ((widen, refine), mut skip) in self.up.iter().zip(kept.into_iter().rev()) {
            skip.add_doubled(&widen.run(&coarse));
            coarse = refine.run(&skip);
        }
        Ok(self.posteriors(&coarse))
    }

    /// Multiplications and additions of one run.
    pub fn operations(&self, shape: Shape) -> f64 {
        let voxels = |level: usize| shape.iter().map(|n| n >> level).product::<usize>();
        let down = self.down.iter().flatten().enumerate();
        let down: f64 = down.map(|(at, block)| block.convolution.operations(voxels(at / 2 + 1))).sum();
        let up = self.up.iter().enumerate().map(|(at, (widen, refine))| {
            let level = LEVELS - 2 - at;
            widen.operations(voxels(level + 1)) + refine.convolution.operations(voxels(level))
        });
        self.stem.convolution.operations(voxels(0)) + down + up.sum::<f64>() + self.last.operations(voxels(0))
    }

    /// The last layer and its softmax, a line at a time.
    fn posteriors(&self, features: &Tensor) -> Vec<f32> {
        let logits = self.last.run(features);
        let [nx, ny, nz] = features.shape;
        let classes = self.classes;
        let mut out = vec![0f32; nx * ny * nz * classes];
        parallel::for_each_chunk(&mut out, nx * classes, |line, out| {
            out.copy_from_slice(logits.line(line % ny, line / ny));
            out.chunks_exact_mut(classes).for_each(softmax);
        });
        out
    }
}

/// e^x over the sum of e^x, in place.
fn softmax(values: &mut [f32]) {
    let top = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    values.iter_mut().for_each(|v| *v = exp_below_zero(*v - top));
    let scale = 1.0 / values.iter().sum::<f32>();
    values.iter_mut().for_each(|v| *v *= scale);
}

/// The input with mean 0 and variance 1.
fn normalised(input: &[f32], shape: Shape) -> Tensor {
    let n = input.len() as f64;
    let mean = input.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let variance = input.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let scale = 1.0 / (variance.sqrt() + 1e-6);
    let mut out = Tensor::zeros(shape, 1);
    let [nx, ny, _] = shape;
    let lines: Vec<_> = (0..ny).map(|y| out.inner(y)).collect();
    out.for_each_slice(|z, slice| {
        for (y, range) in lines.iter().enumerate() {
            let from = &input[nx * (y + ny * z)..][..nx];
            slice[range.clone()]
                .iter_mut()
                .zip(from)
                .for_each(|(v, &x)| *v = ((f64::from(x) - mean) * scale) as f32);
        }
    });
    out
}

#[cfg(test)]
#[path = "unet_tests.rs"]
pub mod tests;
