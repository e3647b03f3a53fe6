//! Sixteen bytes at a time where the target has 128-bit SIMD for WebAssembly. The only `unsafe` of this crate.
#![allow(unsafe_code)]

use core::arch::wasm32::{v128, v128_load, v128_store};

#[inline(always)]
pub fn load(bytes: &[u8; 16]) -> v128 {
    // SAFETY: the reference is valid for 16 bytes; the load asks for no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

#[inline(always)]
pub fn store(bytes: &mut [u8; 16], lanes: v128) {
    // SAFETY: the reference is valid and unique for 16 bytes; the store asks for no alignment.
    unsafe { v128_store(bytes.as_mut_ptr().cast(), lanes) }
}
