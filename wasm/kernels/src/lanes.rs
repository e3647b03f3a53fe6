//! Loads and stores of 128-bit SIMD registers in WebAssembly, which need `unsafe`.
#![allow(unsafe_code)]

use core::arch::wasm32::{
    i16x8_narrow_i32x4, u8x16_avgr, u8x16_narrow_i16x8, v128, v128_load, v128_load64_zero, v128_store,
};
use core::mem::MaybeUninit;

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

/// The bytes are initialised afterwards.
#[inline(always)]
pub fn store_uninit(bytes: &mut [MaybeUninit<u8>; 16], lanes: v128) {
    // SAFETY: as in `store`.
    unsafe { v128_store(bytes.as_mut_ptr().cast(), lanes) }
}

#[inline(always)]
pub fn load_floats(floats: &[f32; 4]) -> v128 {
    // SAFETY: as in `load`.
    unsafe { v128_load(floats.as_ptr().cast()) }
}

#[inline(always)]
pub fn load_overlays(overlays: &[u64; 2]) -> v128 {
    // SAFETY: as in `load`.
    unsafe { v128_load(overlays.as_ptr().cast()) }
}

#[inline(always)]
pub fn store_words(words: &mut [u32; 4], lanes: v128) {
    // SAFETY: as in `store`.
    unsafe { v128_store(words.as_mut_ptr().cast(), lanes) }
}

/// Two floats, and zeros.
#[inline(always)]
pub fn load_pair(floats: &[f32; 2]) -> v128 {
    // SAFETY: the reference is valid for 8 bytes; the load asks for no alignment.
    unsafe { v128_load64_zero(floats.as_ptr().cast()) }
}

#[inline(always)]
pub fn store_floats(floats: &mut [f32; 4], lanes: v128) {
    // SAFETY: as in `store`.
    unsafe { v128_store(floats.as_mut_ptr().cast(), lanes) }
}

/// Keeps a constant in its register: JavaScript engines rebuild a known constant at each use, in several instructions.
#[inline(always)]
pub fn pin(lanes: v128) -> v128 {
    core::hint::black_box(lanes)
}

/// Returns the same lanes (the mean of each byte and itself) but hides them from the optimizer, which replaces a narrowing
/// whose operands or use it sees by many other instructions.
#[inline(always)]
fn opaque_to_optimizer(lanes: v128) -> v128 {
    u8x16_avgr(lanes, lanes)
}

/// Sixteen 32-bit integers, clamped to 0..=255.
#[inline(always)]
pub fn bytes_of_words([a, b, c, d]: [v128; 4]) -> v128 {
    u8x16_narrow_i16x8(
        opaque_to_optimizer(i16x8_narrow_i32x4(a, b)),
        opaque_to_optimizer(i16x8_narrow_i32x4(c, d)),
    )
}
