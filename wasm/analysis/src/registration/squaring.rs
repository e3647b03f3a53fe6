//! One squaring of a displacement field, u -> u + u o (id + u), and its exact adjoint.

use crate::registration::velocity_grid::{minus, mix, Cell, Vector, COUNT, SHAPE, SLICE, SPACING_MM};
use parallel::{for_each_chunk, for_each_chunk2};
use std::ops::Range;

/// Slices whose adjoint one part computes.
const SLAB: usize = 6;

/// Position in voxels of a point displaced by `by` mm.
#[inline(always)]
fn moved(i: usize, j: usize, k: usize, by: Vector) -> [f32; 3] {
    let scale = 1.0 / SPACING_MM;
    [i as f32 + by[0] * scale, j as f32 + by[1] * scale, k as f32 + by[2] * scale]
}

/// Writes the square of `field`.
pub fn step_into(field: &[Vector], out: &mut [Vector]) {
    for_each_chunk(out, SLICE, |k, slice| {
        let here = &field[k * SLICE..(k + 1) * SLICE];
        for j in 0..SHAPE[1] {
            let row = j * SHAPE[0]..(j + 1) * SHAPE[0];
            for (i, (to, &by)) in slice[row.clone()].iter_mut().zip(&here[row]).enumerate() {
                let there = Cell::clamped(moved(i, j, k, by)).value(field);
                for l in 0..4 {
                    to[l] = by[l] + there[l];
                }
            }
        }
    });
}

/// What the points of one slab add to the gradient; only the slices in `touched` hold values.
struct Slab {
    values: Vec<Vector>,
    touched: Range<usize>,
}

/// An exponential whose steps are kept, so that a gradient can go back through them.
pub struct Squarings {
    stages: Vec<Vec<Vector>>,
    slabs: Vec<Slab>,
    gradient: Vec<Vector>,
}

impl Squarings {
    pub fn new(steps: usize) -> Self {
        Self {
            stages: vec![vec![[0.0; 4]; COUNT]; steps + 1],
            slabs: (0..SHAPE[2].div_ceil(SLAB))
                .map(|_| Slab { values: vec![[0.0; 4]; COUNT], touched: 0..0 })
                .collect(),
            gradient: vec![[0.0; 4]; COUNT],
        }
    }

    fn scale(&self) -> f32 {
        1.0 / (1u32 << (self.stages.len() - 1)) as f32
    }

    /// Displacement in mm of the exponential of a velocity field in mm.
    pub fn exponential(&mut self, velocity: &[Vector]) -> &[Vector] {
        let scale = self.scale();
        self.stages[0].iter_mut().zip(velocity).for_each(|(d, v)| *d = v.map(|c| c * scale));
        for step in 1..self.stages.len() {
            let (before, after) = self.stages.split_at_mut(step);
            step_into(&before[step - 1], &mut after[0]);
        }
        &self.stages[self.stages.len() - 1]
    }

    /// Turns the gradient by the displacement of the last `exponential` into the gradient by its velocity.
    pub fn pull_back(&mut self, gradient: &mut Vec<Vector>) {
        for step in (0..self.stages.len() - 1).rev() {
            let (field, by_square) = (&self.stages[step], &*gradient);
            for_each_chunk(&mut self.slabs, 1, |part, slab| adjoint(field, by_square, part, &mut slab[0]));
            let slabs = &self.slabs;
            for_each_chunk(&mut self.gradient, SLICE, |k, out| {
                out.fill([0.0; 4]);
                for slab in slabs.iter().filter(|s| s.touched.contains(&k)) {
                    for (to, from) in out.iter_mut().zip(&slab.values[k * SLICE..(k + 1) * SLICE]) {
                        for l in 0..4 {
                            to[l] += from[l];
                        }
                    }
                }
            });
            std::mem::swap(gradient, &mut self.gradient);
        }
        let scale = self.scale();
        for_each_chunk(gradient, SLICE, |_, g| g.iter_mut().flatten().for_each(|c| *c *= scale));
    }
}

/// Slices that the points of a slab reach or lie in.
fn reach(field: &[Vector], slices: Range<usize>) -> Range<usize> {
    let (mut low, mut high) = (slices.start as f32, (slices.end - 1) as f32);
    for k in slices.clone() {
        for by in &field[k * SLICE..(k + 1) * SLICE] {
            let z = k as f32 + by[2] * (1.0 / SPACING_MM);
            low = if z < low { z } else { low };
            high = if z > high { z } else { high };
        }
    }
    // The cell of a point on the last slice begins one slice before it.
    let low = (low.max(0.0) as usize).min(SHAPE[2] - 2);
    let high = (high.max(0.0) as usize).min(SHAPE[2] - 2);
    low..high + 2
}

/// Adjoint of one squaring for the points of a slab. Each point gives its gradient to itself, through the derivative of
/// the interpolated field to its own displacement, and by the interpolation's weights to the corners it read.
fn adjoint(field: &[Vector], by_square: &[Vector], part: usize, slab: &mut Slab) {
    let slices = part * SLAB..((part + 1) * SLAB).min(SHAPE[2]);
    slab.touched = reach(field, slices.clone());
    slab.values[slab.touched.start * SLICE..slab.touched.end * SLICE].fill([0.0; 4]);
    let values = &mut slab.values[..];
    for k in slices {
        for j in 0..SHAPE[1] {
            let row = (k * SHAPE[1] + j) * SHAPE[0];
            for i in 0..SHAPE[0] {
                let g = by_square[row + i];
                if g == [0.0; 4] {
                    continue;
                }
                let cell = Cell::clamped(moved(i, j, k, field[row + i]));
                let c = cell.corners(field);
                let [fx, fy, fz] = cell.fraction;
                let dx = mix(
                    mix(minus(c[1], c[0]), minus(c[3], c[2]), fy),
                    mix(minus(c[5], c[4]), minus(c[7], c[6]), fy),
                    fz,
                );
                let (x00, x10) = (mix(c[0], c[1], fx), mix(c[2], c[3], fx));
                let (x01, x11) = (mix(c[4], c[5], fx), mix(c[6], c[7], fx));
                let dy = mix(minus(x10, x00), minus(x11, x01), fz);
                let dz = minus(mix(x01, x11, fy), mix(x00, x10, fy));
                let own = &mut values[row + i];
                for (a, slope) in [dx, dy, dz].iter().enumerate() {
                    let along = g[0] * slope[0] + g[1] * slope[1] + g[2] * slope[2];
                    own[a] += g[a] + cell.free[a] * (1.0 / SPACING_MM) * along;
                }
                let (gy, gz) = (1.0 - fy, 1.0 - fz);
                for (at, w) in [
                    (cell.low, gy * gz),
                    (cell.low + SHAPE[0], fy * gz),
                    (cell.low + SLICE, gy * fz),
                    (cell.low + SLICE + SHAPE[0], fy * fz),
                ] {
                    let pair = &mut values[at..at + 2];
                    let (near, far) = (w * (1.0 - fx), w * fx);
                    for l in 0..4 {
                        pair[0][l] += near * g[l];
                    }
                    for l in 0..4 {
                        pair[1][l] += far * g[l];
                    }
                }
            }
        }
    }
}

/// Adds `lambda` times the gradient of the smoothness of `velocity` to `gradient` and returns the smoothness: over the
/// axes, the mean squared first difference plus the mean squared second difference, all components in one mean.
pub fn add_smoothness(velocity: &[Vector], lambda: f64, gradient: &mut [Vector], parts: &mut [f64]) -> f64 {
    let weight = |short: usize, a: usize| 1.0 / (3 * COUNT / SHAPE[a] * (SHAPE[a] - short)) as f64;
    let first = [0, 1, 2].map(|a| weight(1, a));
    let second = [0, 1, 2].map(|a| weight(2, a));
    let by_first = first.map(|w| (2.0 * lambda * w) as f32);
    let by_second = second.map(|w| (2.0 * lambda * w) as f32);
    for_each_chunk2((gradient, SLICE), (parts, 1), |k, out, part| {
        let mut squares = [[0f32; 4]; 6];
        let mut sum = 0.0;
        for j in 0..SHAPE[1] {
            for i in 0..SHAPE[0] {
                let v = i + SHAPE[0] * j + SLICE * k;
                let to = &mut out[i + SHAPE[0] * j];
                for (a, (at, stride)) in [(i, 1), (j, SHAPE[0]), (k, SLICE)].into_iter().enumerate() {
                    // Differences along the axis that start at `at` + from; zero where they leave the grid.
                    let one = |from: isize| {
                        let low = at as isize + from;
                        if low < 0 || low as usize + 1 >= SHAPE[a] {
                            return [0.0; 4];
                        }
                        let p = v.wrapping_add_signed(from * stride as isize);
                        minus(velocity[p + stride], velocity[p])
                    };
                    let ones = [one(-2), one(-1), one(0), one(1)];
                    let has = |from: isize| {
                        let low = at as isize + from;
                        if low >= 0 && low as usize + 2 < SHAPE[a] {
                            1.0f32
                        } else {
                            0.0
                        }
                    };
                    let flags = [has(-2), has(-1), has(0)];
                    for l in 0..4 {
                        let two = [0, 1, 2].map(|n| flags[n] * (ones[n + 1][l] - ones[n][l]));
                        to[l] += by_first[a] * (ones[1][l] - ones[2][l])
                            + by_second[a] * (two[0] - 2.0 * two[1] + two[2]);
                        squares[a][l] += ones[2][l] * ones[2][l];
                        squares[a + 3][l] += two[2] * two[2];
                    }
                }
            }
            for (n, s) in squares.iter_mut().enumerate() {
                let w = if n < 3 { first[n] } else { second[n - 3] };
                sum += w * f64::from((s[0] + s[1]) + s[2]);
                *s = [0.0; 4];
            }
        }
        part[0] = sum;
    });
    parts.iter().sum()
}

#[cfg(test)]
#[path = "squaring_tests.rs"]
mod tests;
