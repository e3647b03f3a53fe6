//! A stationary velocity field on the 4 mm grid of the atlas: its exponential, its inverse and its Jacobian.

use crate::atlas::ORIGIN_MM;
use crate::numbers::percentile::percentile;
use crate::registration::squaring::step_into;
use crate::registration::velocity_grid::{Cell, Vector, COUNT, SHAPE, SLICE, SPACING_MM};

/// Squarings when the field is applied.
const SQUARINGS: i32 = 6;

/// Displacements of a diffeomorphism of atlas space: a point `m` goes to `m` + displacement at `m`, which is
/// trilinear and constant beyond the border.
#[derive(Debug, Clone)]
pub struct Displacement {
    /// mm, COUNT points.
    pub vectors: Vec<Vector>,
}

impl Displacement {
    /// Exponential of a velocity field in mm, COUNT values an axis; `sign` -1 gives the inverse.
    ///
    /// # Source
    /// Arsigny et al. 2006, doi:10.1007/11866565_113: scaling and squaring.
    pub fn exponential(velocity: &[Vec<f32>; 3], sign: f32) -> Self {
        let scale = sign / 2f32.powi(SQUARINGS);
        let mut vectors: Vec<Vector> = (0..COUNT)
            .map(|v| [velocity[0][v], velocity[1][v], velocity[2][v], 0.0].map(|c| c * scale))
            .collect();
        let mut next = vec![[0.0; 4]; COUNT];
        for _ in 0..SQUARINGS {
            step_into(&vectors, &mut next);
            std::mem::swap(&mut vectors, &mut next);
        }
        Self { vectors }
    }

    /// Where the point goes, RAS mm.
    #[inline]
    pub fn displaced(&self, mm: [f64; 3]) -> [f64; 3] {
        let at = [0, 1, 2].map(|a| ((mm[a] - ORIGIN_MM[a]) / f64::from(SPACING_MM)) as f32);
        let by = Cell::clamped(at).value(&self.vectors);
        [0, 1, 2].map(|a| mm[a] + f64::from(by[a]))
    }

    /// Largest component.
    pub fn largest_mm(&self) -> f64 {
        self.vectors.iter().flatten().fold(0.0, |m, &d| m.max(f64::from(d.abs())))
    }

    /// Determinant of the derivative of the map at each point: central differences, one-sided at the border.
    pub fn jacobian(&self) -> Vec<f32> {
        let stride = [1, SHAPE[0], SLICE];
        (0..COUNT)
            .map(|v| {
                let ijk = [v % SHAPE[0], v / SHAPE[0] % SHAPE[1], v / SLICE];
                let mut d = [[0f32; 3]; 3];
                for a in 0..3 {
                    let low = if ijk[a] > 0 { v - stride[a] } else { v };
                    let high = if ijk[a] + 1 < SHAPE[a] { v + stride[a] } else { v };
                    let distance = SPACING_MM * ((high - low) / stride[a]) as f32;
                    for c in 0..3 {
                        d[c][a] = (self.vectors[high][c] - self.vectors[low][c]) / distance;
                    }
                    d[a][a] += 1.0;
                }
                d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1])
                    - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0])
                    + d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])
            })
            .collect()
    }
}

/// Distribution of the Jacobian determinant over a mask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JacobianRange {
    pub min: f64,
    /// 1st percentile.
    pub p1: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Part of the mask's points where the determinant is not positive.
    pub folded_fraction: f64,
}

impl JacobianRange {
    /// Over the points of the mask; all 1 and none folded when it is empty.
    pub fn over(determinants: &[f32], mask: &[bool]) -> Self {
        let mut kept: Vec<f32> = determinants.iter().zip(mask).filter(|(_, &m)| m).map(|(&d, _)| d).collect();
        let folded = kept.iter().filter(|&&d| d <= 0.0).count();
        let folded_fraction = folded as f64 / kept.len().max(1) as f64;
        let mut rank = |r: f64| percentile(&mut kept, r).unwrap_or(1.0);
        Self { min: rank(0.0), p1: rank(1.0), p99: rank(99.0), folded_fraction }
    }
}

#[cfg(test)]
#[path = "velocity_tests.rs"]
mod tests;
