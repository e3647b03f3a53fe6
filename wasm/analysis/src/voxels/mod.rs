//! What is done with voxels whatever they show: grids, interpolation, filters, morphology and distances.

pub mod component;
pub mod conform;
pub mod edt;
pub mod filter;
pub mod interpolate;
pub mod morphology;
pub mod output;
pub mod resample;
pub mod sample;
pub mod spline;
