//! Trilinear interpolation on index coordinates.

use volume::Shape;

/// Value at an index position; corners outside the grid count as 0.
#[inline]
pub fn trilinear_zero(src: &[f32], shape: Shape, p: [f64; 3]) -> f64 {
    let (value, _) = trilinear_gradient(src, shape, p);
    value
}

/// Value and its derivative by index; corners outside the grid count as 0.
#[inline]
pub fn trilinear_gradient(src: &[f32], shape: Shape, p: [f64; 3]) -> (f64, [f64; 3]) {
    let base = [p[0].floor(), p[1].floor(), p[2].floor()];
    let f = [p[0] - base[0], p[1] - base[1], p[2] - base[2]];
    let b = [base[0] as i64, base[1] as i64, base[2] as i64];
    let [nx, ny, nz] = [shape[0] as i64, shape[1] as i64, shape[2] as i64];
    if b[0] < -1 || b[1] < -1 || b[2] < -1 || b[0] >= nx || b[1] >= ny || b[2] >= nz {
        return (0.0, [0.0; 3]);
    }
    let is_inner = b[0] >= 0 && b[1] >= 0 && b[2] >= 0 && b[0] + 1 < nx && b[1] + 1 < ny && b[2] + 1 < nz;
    let c = if is_inner {
        let low = (b[0] + nx * (b[1] + ny * b[2])) as usize;
        let (row, slice) = (shape[0], shape[0] * shape[1]);
        let near = &src[low..low + slice + row + 2];
        [
            near[0],
            near[1],
            near[row],
            near[row + 1],
            near[slice],
            near[slice + 1],
            near[slice + row],
            near[slice + row + 1],
        ]
        .map(f64::from)
    } else {
        let corner = |dx: i64, dy: i64, dz: i64| {
            let (x, y, z) = (b[0] + dx, b[1] + dy, b[2] + dz);
            if x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz {
                0.0
            } else {
                f64::from(src[(x + nx * (y + ny * z)) as usize])
            }
        };
        [
            corner(0, 0, 0),
            corner(1, 0, 0),
            corner(0, 1, 0),
            corner(1, 1, 0),
            corner(0, 0, 1),
            corner(1, 0, 1),
            corner(0, 1, 1),
            corner(1, 1, 1),
        ]
    };
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let x00 = mix(c[0], c[1], f[0]);
    let x10 = mix(c[2], c[3], f[0]);
    let x01 = mix(c[4], c[5], f[0]);
    let x11 = mix(c[6], c[7], f[0]);
    let y0 = mix(x00, x10, f[1]);
    let y1 = mix(x01, x11, f[1]);
    let dx0 = mix(c[1] - c[0], c[3] - c[2], f[1]);
    let dx1 = mix(c[5] - c[4], c[7] - c[6], f[1]);
    let gradient = [mix(dx0, dx1, f[2]), mix(x10 - x00, x11 - x01, f[2]), y1 - y0];
    (mix(y0, y1, f[2]), gradient)
}

/// Cell and weights of a position clamped to the grid: index of the low corner, steps to the next voxel per axis
/// (0 at the border) and the fraction along each.
#[derive(Clone, Copy)]
pub struct Cell {
    pub low: usize,
    pub step: [usize; 3],
    pub fraction: [f32; 3],
}

impl Cell {
    #[inline]
    pub fn clamped(shape: Shape, p: [f64; 3]) -> Self {
        let stride = [1, shape[0], shape[0] * shape[1]];
        let mut cell = Self { low: 0, step: [0; 3], fraction: [0.0; 3] };
        for axis in 0..3 {
            let last = shape[axis] - 1;
            let q = p[axis].clamp(0.0, last as f64);
            let low = (q as usize).min(last.saturating_sub(1));
            cell.low += low * stride[axis];
            cell.step[axis] = if last == 0 { 0 } else { stride[axis] };
            cell.fraction[axis] = (q - low as f64) as f32;
        }
        cell
    }

    /// The eight corners: index and weight.
    #[inline]
    pub fn corners(&self) -> [(usize, f32); 8] {
        let [fx, fy, fz] = self.fraction;
        let [sx, sy, sz] = self.step;
        let (gx, gy, gz) = (1.0 - fx, 1.0 - fy, 1.0 - fz);
        let low = self.low;
        [
            (low, gx * gy * gz),
            (low + sx, fx * gy * gz),
            (low + sy, gx * fy * gz),
            (low + sx + sy, fx * fy * gz),
            (low + sz, gx * gy * fz),
            (low + sx + sz, fx * gy * fz),
            (low + sy + sz, gx * fy * fz),
            (low + sx + sy + sz, fx * fy * fz),
        ]
    }
}

/// Value at an index position; positions outside are moved to the border.
#[inline]
pub fn trilinear_border(src: &[f32], shape: Shape, p: [f64; 3]) -> f32 {
    Cell::clamped(shape, p).corners().iter().map(|&(at, w)| w * src[at]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;

    const SHAPE: Shape = [5, 6, 4];

    fn noise(seed: u64) -> Vec<f32> {
        let mut random = Random::new(seed);
        (0..120).map(|_| random.unit() as f32).collect()
    }

    /// The definition: sum over all voxels of value times the product of three hats.
    fn naive(src: &[f32], p: [f64; 3]) -> f64 {
        let hat = |d: f64| (1.0 - d.abs()).max(0.0);
        let mut sum = 0.0;
        for k in 0..4 {
            for j in 0..6 {
                for i in 0..5 {
                    let w = hat(p[0] - i as f64) * hat(p[1] - j as f64) * hat(p[2] - k as f64);
                    sum += w * f64::from(src[i + 5 * (j + 6 * k)]);
                }
            }
        }
        sum
    }

    #[test]
    fn trilinear_zero_agrees_with_the_sum_of_hats() {
        let src = noise(1);
        let mut random = Random::new(2);
        for _ in 0..2000 {
            let p = [random.range(-2.0, 7.0), random.range(-2.0, 8.0), random.range(-2.0, 6.0)];
            assert!((trilinear_zero(&src, SHAPE, p) - naive(&src, p)).abs() < 1e-9, "{p:?}");
        }
    }

    #[test]
    fn trilinear_gradient_agrees_with_finite_differences() {
        let src = noise(4);
        let mut random = Random::new(5);
        for _ in 0..500 {
            let p = [random.range(0.0, 4.0), random.range(0.0, 5.0), random.range(0.0, 3.0)];
            if p.iter().any(|v| v.fract() < 1e-3 || v.fract() > 1.0 - 1e-3) {
                continue;
            }
            let (_, g) = trilinear_gradient(&src, SHAPE, p);
            for axis in 0..3 {
                let (mut a, mut b) = (p, p);
                a[axis] += 1e-4;
                b[axis] -= 1e-4;
                let want = (naive(&src, a) - naive(&src, b)) / 2e-4;
                assert!((g[axis] - want).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn trilinear_border_equals_the_value_at_the_clamped_position() {
        let src = noise(6);
        let mut random = Random::new(7);
        for _ in 0..2000 {
            let p = [random.range(-3.0, 8.0), random.range(-3.0, 9.0), random.range(-3.0, 7.0)];
            let q = [p[0].clamp(0.0, 4.0), p[1].clamp(0.0, 5.0), p[2].clamp(0.0, 3.0)];
            assert!((f64::from(trilinear_border(&src, SHAPE, p)) - naive(&src, q)).abs() < 1e-5);
        }
    }
}
