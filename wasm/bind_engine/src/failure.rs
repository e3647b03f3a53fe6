//! Failures, and grids from JavaScript, which may have any length.

use volume::{Affine, Error, Grid};
use wasm_bindgen::prelude::*;

/// A typed failure; `code` is a key of `model/errors.ts`.
#[wasm_bindgen]
pub struct EngineFailure {
    error: Error,
}

#[wasm_bindgen]
impl EngineFailure {
    #[wasm_bindgen(getter)]
    pub fn code(&self) -> String {
        self.error.code().into()
    }

    #[wasm_bindgen(getter)]
    pub fn reason(&self) -> String {
        self.error.reason().into()
    }

    #[wasm_bindgen(getter)]
    pub fn message(&self) -> String {
        self.error.message().into()
    }
}

impl From<Error> for EngineFailure {
    fn from(error: Error) -> Self {
        Self { error }
    }
}

/// A grid from its shape [nx, ny, nz] and its affine, 16 numbers column by column.
///
/// # Errors
/// `internal` for other lengths; as `Grid::new`.
pub(crate) fn grid(shape: &[u32], ras_from_ijk: &[f64]) -> Result<Grid, Error> {
    let affine: [f64; 16] =
        ras_from_ijk.try_into().map_err(|_| Error::misuse("Cannot read affine: not 16 numbers"))?;
    let shape: [u32; 3] = shape.try_into().map_err(|_| Error::misuse("Cannot read shape: not 3 numbers"))?;
    Grid::new(shape.map(|n| n as usize), Affine(affine))
}
