//! Vectors on the 4 mm grid of the atlas and the trilinear cell that reads them.

use crate::atlas::TAIL_SHAPE;
use volume::Shape;

/// x, y and z in mm; the fourth lane is zero, so that one vector instruction treats a point.
pub type Vector = [f32; 4];

/// Grid of velocities and displacements: voxel (0, 0, 0) at ORIGIN_MM, axes RAS.
pub const SHAPE: Shape = TAIL_SHAPE;
pub const SPACING_MM: f32 = 4.0;
pub const COUNT: usize = SHAPE[0] * SHAPE[1] * SHAPE[2];
/// Points of one slice.
pub const SLICE: usize = SHAPE[0] * SHAPE[1];

/// The eight points around a position, moved to the border when outside.
#[derive(Clone, Copy)]
pub struct Cell {
    /// Index of the low corner.
    pub low: usize,
    pub fraction: [f32; 3],
    /// 1 along axes on which the position lies strictly inside, else 0: the derivative of the clamping.
    pub free: [f32; 3],
}

impl Cell {
    /// Of a position in voxels.
    #[inline(always)]
    pub fn clamped(p: [f32; 3]) -> Self {
        const LAST: [f32; 3] = [(SHAPE[0] - 1) as f32, (SHAPE[1] - 1) as f32, (SHAPE[2] - 1) as f32];
        const STRIDE: [usize; 3] = [1, SHAPE[0], SLICE];
        let mut cell = Self { low: 0, fraction: [0.0; 3], free: [0.0; 3] };
        for a in 0..3 {
            let q = if p[a] > 0.0 { p[a] } else { 0.0 };
            let q = if q < LAST[a] { q } else { LAST[a] };
            let low = (q as i32).min(SHAPE[a] as i32 - 2);
            cell.fraction[a] = q - low as f32;
            cell.free[a] = if p[a] > 0.0 && p[a] < LAST[a] { 1.0 } else { 0.0 };
            cell.low += low as usize * STRIDE[a];
        }
        cell
    }

    /// Values at the corners, x fastest.
    #[inline(always)]
    pub fn corners(&self, field: &[Vector]) -> [Vector; 8] {
        let pair = |at: usize| {
            let two = &field[at..at + 2];
            (two[0], two[1])
        };
        let (a, b) = pair(self.low);
        let (c, d) = pair(self.low + SHAPE[0]);
        let (e, f) = pair(self.low + SLICE);
        let (g, h) = pair(self.low + SLICE + SHAPE[0]);
        [a, b, c, d, e, f, g, h]
    }

    /// Trilinear value.
    #[inline(always)]
    pub fn value(&self, field: &[Vector]) -> Vector {
        let c = self.corners(field);
        let [fx, fy, fz] = self.fraction;
        let low = mix(mix(c[0], c[1], fx), mix(c[2], c[3], fx), fy);
        let high = mix(mix(c[4], c[5], fx), mix(c[6], c[7], fx), fy);
        mix(low, high, fz)
    }
}

/// a + t (b - a).
#[inline(always)]
pub fn mix(a: Vector, b: Vector, t: f32) -> Vector {
    let mut out = a;
    for l in 0..4 {
        out[l] += t * (b[l] - a[l]);
    }
    out
}

/// b - a.
#[inline(always)]
pub fn minus(b: Vector, a: Vector) -> Vector {
    let mut out = b;
    for l in 0..4 {
        out[l] -= a[l];
    }
    out
}
