//! From the voxels of one T1-weighted series to a label map, volumes and intracranial volume.
//! Pure functions over slices; the order of stages is in `pipeline`. Results are deterministic: fixed order, f64 sums,
//! and an exponential of our own, so that the native build and the WebAssembly build agree.

pub mod affine;
pub mod affine_parameters;
pub mod aligned;
pub mod atlas;
pub mod bias;
pub mod boundary;
pub mod column;
pub mod component;
pub mod conform;
pub mod deform;
pub mod edt;
pub mod em;
pub mod exp;
pub mod filter;
pub mod flair;
pub mod flair_stage;
pub mod halfway;
pub mod lncc;
pub mod longitudinal;
pub mod matching;
pub mod midspace;
pub mod mixture;
pub mod morphology;
pub mod mrf;
pub mod network_input;
pub mod outcome;
pub mod output;
pub mod percentile;
pub mod pipeline;
pub mod prior;
pub mod quality;
pub mod random;
pub mod resample;
pub mod rims;
pub mod sample;
pub mod second_opinion;
pub mod squaring;
pub mod start;
pub mod sulcus;
pub mod surface;
pub mod thickness;
pub mod vectors;
pub mod velocity;
