//! Image kernels of the viewer. Plain functions over slices: no I/O, no allocation per frame; `unsafe` only to load and
//! store SIMD lanes, to read vertices and voxels whose numbers were checked, and where a file's bytes come from others.
//!
//! In WebAssembly without the standard library, which brings the texts of its errors and their printing along.
#![cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), no_std)]

extern crate alloc;

pub mod centres;
pub mod colours;
pub mod compose;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod compose_wide;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod floats;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod lanes;
pub mod mapping;
pub mod npy;
pub mod npy_decode;
mod npy_tile;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod npy_wide;
#[cfg(test)]
mod random;
pub mod raster;
pub mod reading;
pub mod slices;
pub mod stretch;
pub mod volume_decoder;
pub mod window;
