use crate::error::Error;

/// Homogeneous 4x4 affine, column-major f64 as in `model/geometry.ts`; maps voxel indices to RAS mm (or back).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine(pub [f64; 16]);

impl Affine {
    pub const IDENTITY: Self = Self([1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.]);

    /// From the 3x3 part given by rows and a translation.
    pub fn from_parts(m: [[f64; 3]; 3], t: [f64; 3]) -> Self {
        let mut out = Self::IDENTITY;
        for r in 0..3 {
            for c in 0..3 {
                out.0[c * 4 + r] = m[r][c];
            }
            out.0[12 + r] = t[r];
        }
        out
    }

    /// Element of row `r`, column `c`.
    pub fn at(&self, r: usize, c: usize) -> f64 {
        self.0[c * 4 + r]
    }

    pub fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        let row =
            |r: usize| self.at(r, 0) * p[0] + self.at(r, 1) * p[1] + self.at(r, 2) * p[2] + self.at(r, 3);
        [row(0), row(1), row(2)]
    }

    /// `self` after `other`.
    pub fn compose(&self, other: &Self) -> Self {
        let mut out = [0.0; 16];
        for c in 0..4 {
            for r in 0..4 {
                out[c * 4 + r] = (0..4).map(|k| self.at(r, k) * other.at(k, c)).sum();
            }
        }
        Self(out)
    }

    /// Determinant of the 3x3 part; negative for a left-handed grid.
    pub fn determinant(&self) -> f64 {
        let a = |r, c| self.at(r, c);
        a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) - a(0, 1) * (a(1, 0) * a(2, 2) - a(1, 2) * a(2, 0))
            + a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0))
    }

    /// # Errors
    /// `volume.affine_singular` if the 3x3 part has no inverse or is not finite.
    pub fn invert(&self) -> Result<Self, Error> {
        let d = self.determinant();
        if !d.is_finite() || d.abs() < 1e-12 || self.0.iter().any(|v| !v.is_finite()) {
            return Err(Error::affine_singular(d));
        }
        let mut m = [[0.0; 3]; 3];
        for (r, row) in m.iter_mut().enumerate() {
            for (c, value) in row.iter_mut().enumerate() {
                let (r1, r2, c1, c2) = ((c + 1) % 3, (c + 2) % 3, (r + 1) % 3, (r + 2) % 3);
                *value = (self.at(r1, c1) * self.at(r2, c2) - self.at(r1, c2) * self.at(r2, c1)) / d;
            }
        }
        let t = [0, 1, 2].map(|r| -(0..3).map(|c| m[r][c] * self.at(c, 3)).sum::<f64>());
        Ok(Self::from_parts(m, t))
    }

    /// Lengths of the three columns: voxel size in mm.
    pub fn spacing_mm(&self) -> [f64; 3] {
        [0, 1, 2].map(|c| (0..3).map(|r| self.at(r, c).powi(2)).sum::<f64>().sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invert_undoes_an_oblique_left_handed_affine() {
        let a =
            Affine::from_parts([[-0.9, 0.1, 0.3], [0.2, 1.1, -0.2], [0.05, 0.3, 1.4]], [12.0, -40.0, 7.5]);
        assert!(a.determinant() < 0.0);
        let id = a.invert().unwrap().compose(&a);
        for (x, y) in id.0.iter().zip(Affine::IDENTITY.0) {
            assert!((x - y).abs() < 1e-12);
        }
    }

    #[test]
    fn invert_refuses_a_flat_affine() {
        let flat = Affine::from_parts([[1., 0., 0.], [0., 1., 0.], [1., 1., 0.]], [0.; 3]);
        assert_eq!(flat.invert().unwrap_err().code(), "volume.affine_singular");
    }
}
