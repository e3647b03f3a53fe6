//! The chain of layers and the order in which slices pass through it.

use crate::convolution::{Convolution, Pool, Slice};
use crate::ends::{FirstLayer, LastLayer};
use crate::need::{needed_below, needed_for, Interval};
use crate::winograd::{Row, LANES};
use volume::{Error, Shape};

/// Shape of a network; the weights follow it without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Channels of every layer but the input and the classes; at most LANES.
    pub channels: usize,
    /// Dilation of each 3 x 3 x 3 convolution; the first is 1.
    pub dilations: Vec<usize>,
    pub classes: usize,
}

impl Layout {
    /// 32-bit numbers in the weight file: for each convolution its kernel `[x][y][z][input][output]` and its bias.
    pub fn count(&self) -> usize {
        let c = self.channels;
        let deep = self.dilations.len().saturating_sub(1);
        27 * c + c + deep * (27 * c * c + c) + c * self.classes + self.classes
    }

    /// Voxels on each side that a voxel's class depends on.
    pub fn reach(&self) -> usize {
        self.dilations.iter().sum()
    }
}

/// A network ready to run; about 4 MB for 30 channels and nine layers.
pub struct Network {
    first: FirstLayer,
    deep: Vec<Convolution>,
    last: LastLayer,
}

impl Network {
    /// Reads little-endian 32-bit floats.
    ///
    /// # Errors
    /// `internal` (misuse) when the layout is not of this kind or the weights do not fit it or are not finite.
    pub fn new(layout: &Layout, weights: &[u8]) -> Result<Self, Error> {
        let c = layout.channels;
        let fits = (1..=LANES).contains(&c)
            && (1..=256).contains(&layout.classes)
            && layout.dilations.first() == Some(&1)
            && layout.dilations.iter().all(|d| (1..=64).contains(d));
        if !fits || weights.len() != 4 * layout.count() {
            return Err(Error::misuse("Cannot read network: weights do not fit the layout"));
        }
        let values: Vec<f32> =
            weights.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        if values.iter().any(|v| !v.is_finite()) {
            return Err(Error::misuse("Cannot read network: a weight is not finite"));
        }
        let mut rest = values.as_slice();
        let mut take = |count: usize| {
            let (head, tail) = rest.split_at(count);
            rest = tail;
            head
        };
        let first = FirstLayer::new(take(27 * c), take(c));
        let deep = layout.dilations[1..]
            .iter()
            .map(|&dilation| Convolution::new(take(27 * c * c), take(c), c, dilation))
            .collect();
        let last = LastLayer::new(take(c * layout.classes), take(layout.classes), c);
        Ok(Self { first, deep, last })
    }

    /// Class of every wanted voxel, 0 elsewhere. The volume outside `shape` counts as zero at every layer.
    ///
    /// # Shape
    /// `input` and `wanted` are `shape`, i fastest. Slices are across the third axis: memory grows with the first two.
    ///
    /// # Errors
    /// `internal` (misuse) when the arrays do not fit the shape or an axis is longer than 1024.
    ///
    /// # Exactness
    /// Equal for any number of threads. Differs from a plain convolution by rounding (about 1e-5 of a value).
    /// Allocates 128 bytes · nx · ny · (sum of 2 · dilation + 1 over the layers after the first, + 1).
    pub fn run(&self, input: &[f32], shape: Shape, wanted: &[bool]) -> Result<Vec<u8>, Error> {
        let [nx, ny, nz] = shape;
        let count: usize = shape.iter().product();
        if shape.iter().any(|&n| n == 0 || n > 1024) || input.len() != count || wanted.len() != count {
            return Err(Error::misuse("Cannot run network: arrays do not fit the shape"));
        }
        let needs = self.needs(needed_for(wanted, shape), shape);
        let depth = self.deep.len();
        let mut rings: Vec<Ring> = self.deep.iter().map(|l| Ring::new(2 * l.dilation + 1, nx * ny)).collect();
        rings.push(Ring::new(1, nx * ny));
        let mut made = vec![0; depth + 1];
        let mut classes = vec![0u8; count];
        let pool = Pool::default();
        while made[depth] < nz {
            for layer in 0..=depth {
                let z = made[layer];
                let ready = layer == 0
                    || z + self.deep[layer - 1].dilation < made[layer - 1]
                    || made[layer - 1] == nz;
                if z == nz || !ready {
                    continue;
                }
                let need = &needs[layer][z * ny..][..ny];
                let (before, after) = rings.split_at_mut(layer);
                let out = after[0].at_mut(z);
                match before.last() {
                    None => self.first.slice(input, shape, z, out, need),
                    Some(ring) => {
                        let convolution = &self.deep[layer - 1];
                        let d = convolution.dilation;
                        let near = [z.checked_sub(d), Some(z), Some(z + d)]
                            .map(|z| z.filter(|&z| z < nz).map(|z| Slice { rows: ring.at(z), nx, ny }));
                        convolution.slice(near, out, nx, need, &pool);
                    }
                }
                if layer == depth {
                    self.last.slice(after[0].at(z), nx, &mut classes[z * nx * ny..][..nx * ny], need);
                }
                made[layer] += 1;
            }
        }
        classes.iter_mut().zip(wanted).filter(|(_, &wanted)| !wanted).for_each(|(class, _)| *class = 0);
        Ok(classes)
    }

    /// Needed voxels of each layer's output, the first layer first.
    fn needs(&self, wanted: Vec<Interval>, shape: Shape) -> Vec<Vec<Interval>> {
        let mut needs = vec![wanted];
        for layer in self.deep.iter().rev() {
            needs.push(needed_below(&needs[needs.len() - 1], shape, layer.dilation));
        }
        needs.reverse();
        needs
    }
}

/// The newest slices of a layer's output.
struct Ring {
    slices: Vec<Vec<Row>>,
}

impl Ring {
    fn new(len: usize, area: usize) -> Self {
        Self { slices: (0..len).map(|_| vec![[0.0; LANES]; area]).collect() }
    }

    fn at(&self, z: usize) -> &[Row] {
        &self.slices[z % self.slices.len()]
    }

    fn at_mut(&mut self, z: usize) -> &mut [Row] {
        let len = self.slices.len();
        &mut self.slices[z % len]
    }
}

#[cfg(test)]
#[path = "network_tests.rs"]
mod tests;
