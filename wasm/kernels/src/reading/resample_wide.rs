//! Rows of a resampled slice, four columns at a time.
//!
//! Places become voxels without a conversion, which WebAssembly checks lane by lane: a number added to 1.5 · 2^23 is rounded
//! to a whole one, which is then the lower bits of the sum. A place half way between voxels may go to either of them; what
//! it lies between is the same.
#![allow(unsafe_code)]

use super::{Scale, Source};
use core::arch::wasm32::*;

/// Floats from here on are whole numbers, in steps of 1 and of 1 bit.
const WHOLE: f32 = 12_582_912.0;
const WHOLE_BITS: u32 = WHOLE.to_bits();
/// The next voxel's weight, of all; as much as a signed half of a lane holds.
const UNIT: i32 = 32_767;

/// The parts of four places that belong to the next voxel.
#[derive(Clone, Copy)]
pub struct Parts {
    floats: v128,
    /// Both voxels' weights of each place, in 16 bits.
    weights: v128,
}

impl Parts {
    /// Of floats of 0..=1.
    #[inline(always)]
    fn new(floats: v128) -> Parts {
        let sum = f32x4_add(f32x4_mul(floats, f32x4_splat(UNIT as f32)), f32x4_splat(WHOLE));
        let next = v128_and(sum, i32x4_splat(UNIT));
        let weights = i32x4_add(i32x4_sub(i32x4_shl(next, 16), next), i32x4_splat(UNIT));
        Parts { floats, weights }
    }
}

/// Stored numbers that are read in pairs.
pub trait Pairs: Copy {
    /// Of what [`Pairs::between`] gives: a value's factor, after this was taken from it.
    const FACTOR: f32;
    const OFFSET: f32;

    /// Between the voxels of four places and the next ones along the row, as floats.
    ///
    /// # Safety
    /// The voxels `at`, and the next ones, are there.
    unsafe fn between(voxels: *const Self, at: [usize; 4], parts: Parts) -> v128;
}

/// Sums of pairs of signed 16-bit numbers.
#[inline(always)]
fn weighed(pairs: v128, parts: Parts) -> v128 {
    f32x4_convert_i32x4(i32x4_dot_i16x8(pairs, parts.weights))
}

/// Four words of two voxels of 16 bits.
///
/// # Safety
/// As [`Pairs::between`].
#[inline(always)]
unsafe fn words<T>(voxels: *const T, [p, q, r, s]: [usize; 4]) -> v128 {
    let at = |index: usize| voxels.add(index).cast::<u32>();
    let pairs = v128_load32_zero(at(p));
    v128_load32_lane::<3>(v128_load32_lane::<2>(v128_load32_lane::<1>(pairs, at(q)), at(r)), at(s))
}

impl Pairs for u8 {
    const FACTOR: f32 = UNIT as f32;
    const OFFSET: f32 = 0.0;

    #[inline(always)]
    unsafe fn between(voxels: *const u8, [p, q, r, s]: [usize; 4], parts: Parts) -> v128 {
        let at = |index: usize| voxels.add(index).cast::<u16>();
        let pairs = v128_load16_lane::<1>(v128_load16_lane::<0>(i16x8_splat(0), at(p)), at(q));
        let pairs = v128_load16_lane::<3>(v128_load16_lane::<2>(pairs, at(r)), at(s));
        weighed(i16x8_extend_low_u8x16(pairs), parts)
    }
}

impl Pairs for i16 {
    const FACTOR: f32 = UNIT as f32;
    const OFFSET: f32 = 0.0;

    #[inline(always)]
    unsafe fn between(voxels: *const i16, at: [usize; 4], parts: Parts) -> v128 {
        weighed(words(voxels, at), parts)
    }
}

impl Pairs for u16 {
    const FACTOR: f32 = UNIT as f32;
    // the highest bit turned: 32 768 less, as a signed number
    const OFFSET: f32 = 32_768.0;

    #[inline(always)]
    unsafe fn between(voxels: *const u16, at: [usize; 4], parts: Parts) -> v128 {
        weighed(v128_xor(words(voxels, at), i16x8_splat(i16::MIN)), parts)
    }
}

impl Pairs for f32 {
    const FACTOR: f32 = 1.0;
    const OFFSET: f32 = 0.0;

    #[inline(always)]
    unsafe fn between(voxels: *const f32, [p, q, r, s]: [usize; 4], parts: Parts) -> v128 {
        let at = |index: usize| voxels.add(index).cast::<u64>();
        let left = v128_load64_lane::<1>(v128_load64_zero(at(p)), at(q));
        let right = v128_load64_lane::<1>(v128_load64_zero(at(r)), at(s));
        let (a, b) = (i32x4_shuffle::<0, 2, 4, 6>(left, right), i32x4_shuffle::<1, 3, 5, 7>(left, right));
        mixed(a, b, parts.floats)
    }
}

#[inline(always)]
fn mixed(a: v128, b: v128, part: v128) -> v128 {
    f32x4_add(a, f32x4_mul(f32x4_sub(b, a), part))
}

/// As [`super::row_inside`], of as many columns as come in fours; gives how many those are.
pub fn row_inside<T: Pairs>(
    Source { voxels, shape: [nx, ny, _] }: Source<T>,
    start: [f32; 3],
    step: [f32; 3],
    scale: Scale,
    out: &mut [u8],
) -> usize {
    let layer = nx * ny;
    // of eight voxels, the last one that the first may be
    let Some(most) = voxels.len().checked_sub(layer + nx + 2) else { return 0 };
    let most = u32x4_splat(most as u32);
    let bias = WHOLE_BITS.wrapping_add((nx as u32).wrapping_mul(WHOLE_BITS.wrapping_mul(ny as u32 + 1)));
    let low = f32x4_splat((scale.low - T::OFFSET) * T::FACTOR);
    let gain = f32x4_splat(scale.gain / T::FACTOR);
    let (start, step) = (start.map(|n| f32x4_splat(n)), step.map(|n| f32x4_splat(n)));
    let mut columns = f32x4(0.0, 1.0, 2.0, 3.0);
    let (fours, _) = out.as_chunks_mut::<4>();
    for four in fours.iter_mut() {
        let axis = |axis: usize| {
            // rounding may leave places a little below 0
            let place = f32x4_pmax(f32x4_splat(0.0), f32x4_add(start[axis], f32x4_mul(step[axis], columns)));
            let whole = f32x4_add(f32x4_sub(place, f32x4_splat(0.5)), f32x4_splat(WHOLE));
            (whole, f32x4_sub(place, f32x4_sub(whole, f32x4_splat(WHOLE))))
        };
        let ((i, fx), (j, fy), (k, fz)) = (axis(0), axis(1), axis(2));
        let rows = i32x4_add(j, i32x4_mul(k, u32x4_splat(ny as u32)));
        let first = i32x4_add(i, i32x4_mul(rows, u32x4_splat(nx as u32)));
        let first = u32x4_min(i32x4_sub(first, u32x4_splat(bias)), most);
        let at = [
            u32x4_extract_lane::<0>(first) as usize,
            u32x4_extract_lane::<1>(first) as usize,
            u32x4_extract_lane::<2>(first) as usize,
            u32x4_extract_lane::<3>(first) as usize,
        ];
        let parts = Parts::new(fx);
        // SAFETY: `most` keeps the eight voxels of each place within the slice.
        let line = |further: usize| unsafe { T::between(voxels.as_ptr().add(further), at, parts) };
        let plane = |further: usize| mixed(line(further), line(further + nx), fy);
        let value = f32x4_mul(f32x4_sub(mixed(plane(0), plane(layer), fz), low), gain);
        // what is no number becomes 0
        let within = f32x4_pmin(f32x4_splat(255.0), f32x4_pmax(f32x4_splat(0.0), value));
        let whole = f32x4_add(within, f32x4_splat(WHOLE));
        let bytes = i8x16_shuffle::<0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>(whole, whole);
        *four = u32x4_extract_lane::<0>(bytes).to_le_bytes();
        columns = f32x4_add(columns, f32x4_splat(4.0));
    }
    4 * fours.len()
}
