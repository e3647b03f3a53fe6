//! From the voxels of one T1-weighted series to a label map, volumes and intracranial volume.
//! Pure functions over slices; the stages are in `pipeline`, their order in `analyze`. Results are deterministic: fixed order, f64 sums,
//! and an exponential of our own, so that the native build and the WebAssembly build agree.

pub mod analyze;
pub mod atlas;
pub mod change;
pub mod flair;
pub mod flair_stage;
pub mod ghosting;
pub mod network;
pub mod numbers;
pub mod outcome;
pub mod pipeline;
pub mod quality;
pub mod registration;
pub mod surface;
pub mod thickness;
pub mod tissue;
pub mod vectors;
pub mod visits;
pub mod voxels;
