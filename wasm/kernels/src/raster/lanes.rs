//! Four lanes of 32 bits: one SIMD register in WebAssembly, an array elsewhere. Both give the same bits.
//!
//! Operations have the names of WebAssembly's; those of floats begin with an f, as LLVM's do.

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable;
mod rounding;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd;

pub use rounding::MAX_ROUNDED;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub use portable::{Lanes, Opaque};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub use simd::{Lanes, Opaque};
