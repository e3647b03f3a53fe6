//! Data model shared by every crate of the workspace: grids with their place in the patient, and errors with the
//! dotted codes of `model/errors.ts`. Holds no algorithm.

mod affine;
mod error;
mod grid;

pub use affine::Affine;
pub use error::{Error, CODES};
pub use grid::{Grid, Shape};
