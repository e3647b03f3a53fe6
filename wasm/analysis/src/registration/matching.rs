//! One resolution of the nonlinear registration: the subject warped by a displacement, compared with the template, and
//! the gradient by the displacement.

use crate::registration::lncc::{Lncc, ROW};
use crate::registration::velocity_grid::{Vector, SHAPE, SLICE};
use parallel::{for_each_chunk, for_each_chunk2};
use volume::Shape;

/// Zeros around the subject, so that a position clamped to them has value and slope 0.
const PAD: usize = 2;
/// Voxels kept around the weight.
const MARGIN: usize = 2;

/// Images cut to the box of the weight.
pub struct Level {
    low: [usize; 3],
    shape: Shape,
    /// Voxels per 4 mm: 1 or 2.
    ratio: usize,
    padded: Vec<f32>,
    lncc: Lncc,
    warped: Vec<f32>,
    /// Derivative of the warped image by the displacement, per mm.
    slope: Vec<Vector>,
    by_image: Vec<f32>,
    /// By slice of the box: gradient on the points of the 4 mm grid in its plane.
    in_plane: Vec<Vector>,
}

/// Box of the weight with a margin; starts at even voxels.
fn bounds(weight: &[f32], shape: Shape) -> ([usize; 3], Shape) {
    let (mut low, mut high) = (shape, [0; 3]);
    for (at, _) in weight.iter().enumerate().filter(|(_, &w)| w > 0.0) {
        let ijk = [at % shape[0], at / shape[0] % shape[1], at / (shape[0] * shape[1])];
        for a in 0..3 {
            low[a] = low[a].min(ijk[a]);
            high[a] = high[a].max(ijk[a]);
        }
    }
    let low = low.map(|l| l.saturating_sub(MARGIN) / 2 * 2);
    (low, [0, 1, 2].map(|a| (high[a] + MARGIN + 1).min(shape[a]) - low[a]))
}

impl Level {
    /// Of images on a grid of `shape` that is the 4 mm grid or twice as fine (from the same origin); `radius` of the
    /// correlation in voxels. The weight must not be empty.
    pub fn new(subject: &[f32], template: &[f32], weight: &[f32], shape: Shape, radius: usize) -> Self {
        let ratio = if shape == SHAPE { 1 } else { 2 };
        assert!((0..3).all(|a| (shape[a] - 1).div_ceil(ratio) < SHAPE[a]));
        let (low, size) = bounds(weight, shape);
        let cut = |src: &[f32]| {
            let rows = (0..size[1] * size[2]).map(|r| (r % size[1] + low[1], r / size[1] + low[2]));
            let start = |(j, k)| low[0] + shape[0] * (j + shape[1] * k);
            rows.flat_map(|r| src[start(r)..start(r) + size[0]].to_vec()).collect::<Vec<f32>>()
        };
        let wide = size.map(|n| n + 2 * PAD);
        let mut padded = vec![0f32; wide.iter().product()];
        for (r, row) in cut(subject).chunks_exact(size[0]).enumerate() {
            let at = PAD + wide[0] * (r % size[1] + PAD + wide[1] * (r / size[1] + PAD));
            padded[at..at + size[0]].copy_from_slice(row);
        }
        let count = size.iter().product();
        let [cx, cy] = [0, 1].map(|a| size[a] / ratio + 1);
        Self {
            low,
            shape: size,
            ratio,
            padded,
            lncc: Lncc::new(cut(template), cut(weight), size, radius),
            warped: vec![0.0; count],
            slope: vec![[0.0; 4]; count],
            by_image: vec![0.0; count],
            in_plane: vec![[0.0; 4]; cx * cy * size[2]],
        }
    }

    /// Correlation of the subject warped by a displacement in mm on the 4 mm grid with the template.
    pub fn correlate(&mut self, displacement: &[Vector]) -> f64 {
        let ([nx, ny, _], low, ratio) = (self.shape, self.low, self.ratio);
        let (padded, shape) = (&self.padded, self.shape);
        for_each_chunk2((&mut self.warped, nx * ny), (&mut self.slope, nx * ny), |k, warped, slope| {
            let mut by = [[0f32; 4]; ROW];
            for j in 0..ny {
                row_of(displacement, ratio, [low[0], low[1] + j, low[2] + k], &mut by[..nx]);
                let row = j * nx..(j + 1) * nx;
                let to = warped[row.clone()].iter_mut().zip(&mut slope[row]);
                for (i, ((value, slope), by)) in to.zip(&by[..nx]).enumerate() {
                    let per_mm = ratio as f32 / 4.0;
                    let p = [i as f32 + by[0] * per_mm, j as f32 + by[1] * per_mm, k as f32 + by[2] * per_mm];
                    let (v, s) = sample(padded, shape, p);
                    *value = v;
                    *slope = [s[0] * per_mm, s[1] * per_mm, s[2] * per_mm, 0.0];
                }
            }
        });
        self.lncc.correlate(&self.warped)
    }

    /// Gradient of minus the last `correlate` by its displacement, on the whole 4 mm grid.
    pub fn gradient_into(&mut self, gradient: &mut [Vector]) {
        let ([nx, ny, nz], low, ratio) = (self.shape, self.low, self.ratio);
        let [cx, cy] = [0, 1].map(|a| self.shape[a] / ratio + 1);
        let (lncc, warped, slopes) = (&self.lncc, &self.warped, &self.slope);
        for_each_chunk2((&mut self.by_image, nx * ny), (&mut self.in_plane, cx * cy), |k, by_image, out| {
            lncc.gradient_slice(warped, k, by_image);
            out.fill([0.0; 4]);
            let slopes = &slopes[k * nx * ny..(k + 1) * nx * ny];
            for j in 0..ny {
                let row = j * nx..(j + 1) * nx;
                let mut fine = [[0f32; 4]; ROW];
                for ((to, &d), slope) in fine.iter_mut().zip(&by_image[row.clone()]).zip(&slopes[row]) {
                    *to = slope.map(|s| -d * s);
                }
                if ratio == 1 {
                    out[j * cx..j * cx + nx].copy_from_slice(&fine[..nx]);
                } else {
                    let share = if j % 2 == 0 { [1.0, 0.0] } else { [0.5, 0.5] };
                    for (dj, weight) in share.into_iter().enumerate().filter(|(_, w)| *w > 0.0) {
                        gather_row(&fine, weight, &mut out[(j / 2 + dj) * cx..(j / 2 + dj + 1) * cx]);
                    }
                }
            }
        });
        let planes = &self.in_plane;
        // The last column and row of a plane at ratio 1 are empty and may lie beyond the grid.
        let (used_x, used_y) = (cx.min(SHAPE[0] - low[0] / ratio), cy.min(SHAPE[1] - low[1] / ratio));
        for_each_chunk(gradient, SLICE, |k4, out| {
            out.fill([0.0; 4]);
            let here = (ratio * k4) as isize - low[2] as isize;
            let share: &[(isize, f32)] =
                if ratio == 1 { &[(0, 1.0)] } else { &[(-1, 0.5), (0, 1.0), (1, 0.5)] };
            for &(dk, weight) in share {
                let k = here + dk;
                if k < 0 || k >= nz as isize {
                    continue;
                }
                for j in 0..used_y {
                    let from = &planes[(k as usize * cy + j) * cx..][..used_x];
                    let to = &mut out[low[0] / ratio + SHAPE[0] * (low[1] / ratio + j)..][..used_x];
                    for (to, from) in to.iter_mut().zip(from) {
                        for l in 0..4 {
                            to[l] += weight * from[l];
                        }
                    }
                }
            }
        });
    }
}

/// Adds a row of the 2 mm grid that starts at an even voxel to a row of the 4 mm grid: the transpose of interpolation.
#[inline(always)]
fn gather_row(fine: &[Vector; ROW], weight: f32, out: &mut [Vector]) {
    for (i, to) in out.iter_mut().enumerate() {
        for l in 0..4 {
            let before = if i > 0 { fine[2 * i - 1][l] } else { 0.0 };
            to[l] += weight * (fine[2 * i][l] + 0.5 * (before + fine[2 * i + 1][l]));
        }
    }
}

/// Displacements along a row of the level's grid that starts at voxel `start`, interpolated from the 4 mm grid.
#[inline(always)]
fn row_of(field: &[Vector], ratio: usize, start: [usize; 3], out: &mut [Vector]) {
    let [i, j, k] = start.map(|v| v / ratio);
    let at = i + SHAPE[0] * (j + SHAPE[1] * k);
    if ratio == 1 {
        out.copy_from_slice(&field[at..at + out.len()]);
        return;
    }
    let coarse = out.len() / 2 + 1;
    // Rows to average: an even voxel lies on the coarse row, an odd one half way to the next.
    let (dy, dz) = (start[1] % 2 * SHAPE[0], start[2] % 2 * SLICE);
    let rows = [at, at + dy, at + dz, at + dy + dz].map(|at| &field[at..at + coarse]);
    let mut mean = [[0f32; 4]; ROW];
    for c in 0..coarse {
        for l in 0..4 {
            mean[c][l] = 0.25 * ((rows[0][c][l] + rows[1][c][l]) + (rows[2][c][l] + rows[3][c][l]));
        }
    }
    for (i, to) in out.iter_mut().enumerate() {
        for l in 0..4 {
            to[l] = 0.5 * (mean[i / 2][l] + mean[i / 2 + i % 2][l]);
        }
    }
}

/// Trilinear value and its derivative by the position in voxels of the box; corners outside count as 0. On a voxel
/// the slope is that towards the next one, as on the rest of the cell.
#[inline(always)]
fn sample(padded: &[f32], shape: Shape, p: [f32; 3]) -> (f32, [f32; 3]) {
    let [wx, wy] = [shape[0] + 2 * PAD, shape[1] + 2 * PAD];
    let (mut f, mut at, mut stride) = ([0f32; 3], 0, 1);
    for a in 0..3 {
        let n = shape[a] + 2 * PAD;
        let q = p[a] + PAD as f32;
        let q = if q > 0.0 { q } else { 0.0 };
        let last = (n - 1) as f32;
        let q = if q < last { q } else { last };
        let low = (q as i32).min(n as i32 - 2);
        f[a] = q - low as f32;
        at += low as usize * stride;
        stride *= n;
    }
    let pair = |at: usize| {
        let two = &padded[at..at + 2];
        (two[0], two[1] - two[0])
    };
    let (a0, a1) = pair(at);
    let (b0, b1) = pair(at + wx);
    let (c0, c1) = pair(at + wx * wy);
    let (d0, d1) = pair(at + wx * wy + wx);
    let (a, b, c, d) = (a0 + f[0] * a1, b0 + f[0] * b1, c0 + f[0] * c1, d0 + f[0] * d1);
    let (low, high) = (a + f[1] * (b - a), c + f[1] * (d - c));
    let x_low = a1 + f[1] * (b1 - a1);
    let x_high = c1 + f[1] * (d1 - c1);
    let dy_low = b - a;
    let dy_high = d - c;
    (
        low + f[2] * (high - low),
        [x_low + f[2] * (x_high - x_low), dy_low + f[2] * (dy_high - dy_low), high - low],
    )
}

#[cfg(test)]
#[path = "matching_tests.rs"]
mod tests;
