//! From the subject to the template: where the head is, twelve parameters, and the nonlinear deformation.

pub mod affine;
pub mod affine_parameters;
pub mod aligned;
pub mod deform;
pub mod lncc;
pub mod matching;
pub mod squaring;
pub mod start;
pub mod velocity;
pub mod velocity_grid;
pub mod view;
