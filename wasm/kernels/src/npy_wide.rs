//! Elements of any type as unsigned bytes, sixteen at a time. Equal to the portable road of npy_decode.rs, but for
//! 32-bit floats less than 1e-4 below a half, which may be rounded up; viewer/voxel_kernels_test.ts has the naive twin.

use crate::lanes::{load, store};
use crate::npy::ElementType;
use core::arch::wasm32::*;

/// Converts the first elements, as many as make whole registers; gives their number.
pub fn to_bytes(bytes: &[u8], element: ElementType, out: &mut [u8]) -> usize {
    let is_big = element.is_big_endian;
    match (element.kind, element.bytes) {
        (b'u', 1) => {
            out.copy_from_slice(&bytes[..out.len()]);
            out.len()
        }
        (b'b', _) => rows::<1>(bytes, out, |[a]| v128_and(u8x16_ne(a, u8x16_splat(0)), u8x16_splat(1))),
        (b'i', 1) => rows::<1>(bytes, out, |[a]| i8x16_max(a, u8x16_splat(0))),
        (kind, 2) => {
            let order = |v| if is_big { swap_2(v) } else { v };
            if kind == b'u' {
                let byte = |v| u16x8_min(order(v), u16x8_splat(255));
                rows::<2>(bytes, out, |[a, b]| u8x16_narrow_i16x8(byte(a), byte(b)))
            } else {
                rows::<2>(bytes, out, |[a, b]| u8x16_narrow_i16x8(order(a), order(b)))
            }
        }
        (kind, 4) => {
            let order = |v| if is_big { swap_4(v) } else { v };
            match kind {
                b'u' => {
                    rows::<4>(bytes, out, |row| narrow(row.map(|v| u32x4_min(order(v), u32x4_splat(255)))))
                }
                b'i' => rows::<4>(bytes, out, |row| narrow(row.map(order))),
                _ => rows::<4>(bytes, out, |row| narrow(row.map(|v| round_f32(order(v))))),
            }
        }
        _ => {
            let order = |v| if is_big { swap_8(v) } else { v };
            rows::<8>(bytes, out, |row| {
                let halves: [v128; 8] = row.map(|v| round_f64(order(v)));
                let pair = |n: usize| i64x2_shuffle::<0, 2>(halves[n], halves[n + 1]);
                narrow([pair(0), pair(2), pair(4), pair(6)])
            })
        }
    }
}

/// Calls `convert` for every sixteen elements of N bytes.
#[inline(always)]
fn rows<const N: usize>(bytes: &[u8], out: &mut [u8], convert: impl Fn([v128; N]) -> v128) -> usize {
    let (outs, _) = out.as_chunks_mut::<16>();
    let (lanes, _) = bytes.as_chunks::<16>();
    let done = outs.len();
    for (out, row) in outs.iter_mut().zip(lanes.chunks_exact(N)) {
        store(out, convert(std::array::from_fn(|n| load(&row[n]))));
    }
    done * 16
}

/// Sixteen 32-bit integers, clamped to 0..=255.
#[inline(always)]
fn narrow([a, b, c, d]: [v128; 4]) -> v128 {
    u8x16_narrow_i16x8(i16x8_narrow_i32x4(a, b), i16x8_narrow_i32x4(c, d))
}

/// The nearest integers, half up, of what lies in 0..=255; NaN is 0.
#[inline(always)]
fn round_f32(v: v128) -> v128 {
    let clamped =
        f32x4_pmin(f32x4_splat(255.0), f32x4_pmax(f32x4_splat(0.0), f32x4_add(v, f32x4_splat(0.5))));
    i32x4_trunc_sat_f32x4(clamped)
}

/// The same for two numbers, in the lower half.
#[inline(always)]
fn round_f64(v: v128) -> v128 {
    let clamped =
        f64x2_pmin(f64x2_splat(255.0), f64x2_pmax(f64x2_splat(0.0), f64x2_add(v, f64x2_splat(0.5))));
    i32x4_trunc_sat_f64x2_zero(clamped)
}

#[inline(always)]
fn swap_2(v: v128) -> v128 {
    i8x16_shuffle::<1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14>(v, v)
}

#[inline(always)]
fn swap_4(v: v128) -> v128 {
    i8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(v, v)
}

#[inline(always)]
fn swap_8(v: v128) -> v128 {
    i8x16_shuffle::<7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8>(v, v)
}
