use crate::affine::Affine;
use crate::error::Error;

/// [nx, ny, nz]; i is fastest in memory.
pub type Shape = [usize; 3];

/// Voxels are refused above this count: 512 MiB as f32, more than any clinical 3D series, and what the engine has room
/// for.
const MAX_VOXELS: usize = 1 << 27;

/// A sampling grid in the patient: shape and affine to RAS mm. Index = i + nx·(j + ny·k).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    pub shape: Shape,
    pub ras_from_ijk: Affine,
}

impl Grid {
    /// # Errors
    /// `engine.unsupported_input` when an axis is empty or the grid is too large; `volume.affine_singular`.
    pub fn new(shape: Shape, ras_from_ijk: Affine) -> Result<Self, Error> {
        let count = shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s)).unwrap_or(usize::MAX);
        if count == 0 || count > MAX_VOXELS {
            return Err(Error::unsupported("shape", format!("Cannot use grid: shape is {shape:?}")));
        }
        ras_from_ijk.invert()?;
        Ok(Self { shape, ras_from_ijk })
    }

    /// Number of voxels.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    pub fn index(&self, i: usize, j: usize, k: usize) -> usize {
        i + self.shape[0] * (j + self.shape[1] * k)
    }
}
