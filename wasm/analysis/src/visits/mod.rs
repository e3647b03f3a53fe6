//! Several visits of one patient measured alike.

pub mod halfway;
pub mod longitudinal;
pub mod midspace;
pub mod visit;
