//! Elements of any type as unsigned bytes, sixteen at a time. Equal to the portable road of npy_decode.rs, but for
//! 32-bit floats less than 1e-4 below a half, which may be rounded up; viewer/voxel_kernels_test.ts has the naive twin.

use crate::lanes::{kept, load, store};
use crate::npy::ElementType;
use crate::npy_decode::{Square, TILE};
use core::arch::wasm32::*;

/// Converts the first elements, as many as make whole registers; gives their number.
pub fn to_bytes(bytes: &[u8], element: ElementType, out: &mut [u8]) -> usize {
    if element.is_big_endian {
        ordered::<true>(bytes, element, out)
    } else {
        ordered::<false>(bytes, element, out)
    }
}

fn ordered<const BIG: bool>(bytes: &[u8], element: ElementType, out: &mut [u8]) -> usize {
    let (one, short, word) = (kept(u8x16_splat(1)), kept(u16x8_splat(255)), kept(u32x4_splat(255)));
    let (black, white) = (kept(f32x4_splat(0.0)), kept(f32x4_splat(255.0)));
    let (hair, no_fraction) = (kept(f32x4_splat(3e-5)), kept(f32x4_splat(8_388_608.0)));
    // The nearest integers of 0..=255; NaN is 0. The sum with 2^23 has no room for a fraction: it is rounded, and the
    // integer is its lowest byte. A hair more than the value makes of a half the next one.
    let round = |v| {
        let clamped = f32x4_pmin(white, f32x4_pmax(black, f32x4_add(v, hair)));
        v128_and(f32x4_add(clamped, no_fraction), word)
    };
    match (element.kind, element.bytes) {
        (b'b', _) => rows::<1>(bytes, out, |[a]| u8x16_min(a, one)),
        (b'i', 1) => rows::<1>(bytes, out, |[a]| i8x16_max(a, black)),
        (_, 1) => rows::<1>(bytes, out, |[a]| a),
        (b'u', 2) => rows::<2>(bytes, out, |[a, b]| {
            let byte = |v| u16x8_min(swapped_2::<BIG>(v), short);
            u8x16_narrow_i16x8(byte(a), byte(b))
        }),
        (_, 2) => {
            rows::<2>(bytes, out, |[a, b]| u8x16_narrow_i16x8(swapped_2::<BIG>(a), swapped_2::<BIG>(b)))
        }
        (b'u', 4) => rows::<4>(bytes, out, |[a, b, c, d]| {
            let byte = |v| u32x4_min(swapped_4::<BIG>(v), word);
            narrow([byte(a), byte(b), byte(c), byte(d)])
        }),
        (b'i', 4) => rows::<4>(bytes, out, |[a, b, c, d]| {
            narrow([swapped_4::<BIG>(a), swapped_4::<BIG>(b), swapped_4::<BIG>(c), swapped_4::<BIG>(d)])
        }),
        (_, 4) => rows::<4>(bytes, out, |[a, b, c, d]| {
            let byte = |v| round(swapped_4::<BIG>(v));
            narrow([byte(a), byte(b), byte(c), byte(d)])
        }),
        _ => rows::<8>(bytes, out, |[a, b, c, d, e, f, g, h]| {
            let half = |v| f32x4_demote_f64x2_zero(swapped_8::<BIG>(v));
            let byte = |v, w| round(i64x2_shuffle::<0, 2>(half(v), half(w)));
            narrow([byte(a, b), byte(c, d), byte(e, f), byte(g, h)])
        }),
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

#[inline(always)]
fn swapped_2<const BIG: bool>(v: v128) -> v128 {
    if !BIG {
        return v;
    }
    i8x16_shuffle::<1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14>(v, v)
}

#[inline(always)]
fn swapped_4<const BIG: bool>(v: v128) -> v128 {
    if !BIG {
        return v;
    }
    i8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(v, v)
}

#[inline(always)]
fn swapped_8<const BIG: bool>(v: v128) -> v128 {
    if !BIG {
        return v;
    }
    i8x16_shuffle::<7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8>(v, v)
}

/// Clamps signed bytes to 0..=127, in place.
pub fn clear_negatives(bytes: &mut [u8]) {
    in_place(bytes, |lanes| i8x16_max(lanes, u8x16_splat(0)), |byte| (byte as i8).max(0) as u8);
}

/// Makes truths 0 or 1, in place.
pub fn clear_truths(bytes: &mut [u8]) {
    let one = kept(u8x16_splat(1));
    in_place(bytes, |lanes| u8x16_min(lanes, one), |byte| byte.min(1));
}

#[inline(always)]
fn in_place(bytes: &mut [u8], wide: impl Fn(v128) -> v128, single: impl Fn(u8) -> u8) {
    let (blocks, rest) = bytes.as_chunks_mut::<64>();
    for block in blocks {
        for row in block.as_chunks_mut::<16>().0 {
            let lanes = wide(load(row));
            store(row, lanes);
        }
    }
    rest.iter_mut().for_each(|byte| *byte = single(*byte));
}

/// A copy without a call.
#[inline(always)]
pub fn copy(from: &[u8; TILE], to: &mut [u8; TILE]) {
    for (from, to) in from.as_chunks::<16>().0.iter().zip(to.as_chunks_mut::<16>().0) {
        store(to, load(from));
    }
}

/// Rows become columns, sixteen by sixteen bytes at a time.
pub fn flip(square: &mut Square<u8>) {
    for a in 0..TILE / 16 {
        for b in a..TILE / 16 {
            let (upper, lower) = (turned(square, a, b), turned(square, b, a));
            put(square, b, a, upper);
            put(square, a, b, lower);
        }
    }
}

/// Block (a, b) with rows as columns. Four times, each row is mixed with the one eight below: a byte's place, row and
/// column as one number of eight bits, turns by one bit each time. Not inlined: it is long.
#[inline(never)]
fn turned(square: &Square<u8>, a: usize, b: usize) -> [v128; 16] {
    let mut rows: [v128; 16] = std::array::from_fn(|n| load(&square[16 * a + n].as_chunks::<16>().0[b]));
    for _ in 0..4 {
        rows = std::array::from_fn(|n| {
            let (x, y) = (rows[n / 2], rows[n / 2 + 8]);
            if n % 2 == 0 {
                i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(x, y)
            } else {
                i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(x, y)
            }
        });
    }
    rows
}

#[inline(always)]
fn put(square: &mut Square<u8>, a: usize, b: usize, rows: [v128; 16]) {
    for n in 0..16 {
        store(&mut square[16 * a + n].as_chunks_mut::<16>().0[b], rows[n]);
    }
}
