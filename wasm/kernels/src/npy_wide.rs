//! Elements of any type as unsigned bytes, sixteen at a time. Equal to the portable version of npy_decode.rs, but for floats
//! less than 1e-4 below a half, which may be rounded up; viewer/voxel_kernels_test.ts has the naive twin.

use crate::lanes::{bytes_of_words, load, pin, store, store_uninit};
use crate::npy::ElementType;
use crate::npy_tile::{Square, TILE};
use core::arch::wasm32::*;
use core::mem::MaybeUninit;

/// Converts the first elements, as many as make whole blocks; gives their number.
pub fn to_bytes(bytes: &[u8], element: ElementType, out: &mut [MaybeUninit<u8>]) -> usize {
    if element.is_big_endian {
        ordered::<true, false>(bytes, element, 1.0, out)
    } else {
        ordered::<false, false>(bytes, element, 1.0, out)
    }
}

/// The same for floats that are multiplied by a number; none of those whose most significant byte is the first.
pub fn to_scaled_bytes(bytes: &[u8], element: ElementType, scale: f32, out: &mut [MaybeUninit<u8>]) -> usize {
    if element.is_big_endian {
        0
    } else {
        ordered::<false, true>(bytes, element, scale, out)
    }
}

#[inline(always)]
fn ordered<const BIG: bool, const SCALED: bool>(
    bytes: &[u8],
    element: ElementType,
    scale: f32,
    out: &mut [MaybeUninit<u8>],
) -> usize {
    let (one, zero) = (pin(u8x16_splat(1)), pin(u8x16_splat(0)));
    let turned = pin(match element.bytes {
        2 => u8x16(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14),
        4 => u8x16(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12),
        _ => u8x16(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8),
    });
    let read = |row: &[u8; 16]| if BIG { u8x16_swizzle(load(row), turned) } else { load(row) };
    let word = pin(u32x4_splat(255));
    match (element.kind, element.bytes) {
        (b'f', 4) => {
            let (black, scale) = (pin(f32x4_splat(0.0)), pin(f32x4_splat(scale)));
            let (hair, no_fraction) = (pin(f32x4_splat(3e-5)), pin(f32x4_splat(8_388_608.0)));
            // The nearest integers from 0 on; NaN is 0. Adding 2^23 rounds the fraction away: the sum's bits are those of
            // 2^23 plus the integer, or more where the value is too large. A hair is added before, so that a half is
            // rounded up.
            let byte = |row: &[u8; 16]| {
                let value = if SCALED { f32x4_mul(read(row), scale) } else { read(row) };
                let sum = f32x4_add(f32x4_pmax(black, f32x4_add(value, hair)), no_fraction);
                i32x4_sub(sum, no_fraction)
            };
            blocks::<4, 1>(bytes, out, |[a, b, c, d]| bytes_of_words([byte(a), byte(b), byte(c), byte(d)]))
        }
        (b'f', _) => {
            let (black, scale) = (pin(f64x2_splat(0.0)), pin(f64x2_splat(scale.into())));
            let (half, none) = (pin(f64x2_splat(1_048_576.5)), pin(i32x4_splat(0x4130_0000)));
            // The upper word of the sum with 2^20 is that of 2^20 and the integer, the lower one is the fraction.
            let sum = |row: &[u8; 16]| {
                let value = if SCALED { f64x2_mul(read(row), scale) } else { read(row) };
                f64x2_add(f64x2_pmax(black, value), half)
            };
            let byte =
                |a: &[u8; 16], b: &[u8; 16]| i32x4_sub(i32x4_shuffle::<1, 3, 5, 7>(sum(a), sum(b)), none);
            blocks::<8, 1>(bytes, out, |[a, b, c, d, e, f, g, h]| {
                bytes_of_words([byte(a, b), byte(c, d), byte(e, f), byte(g, h)])
            })
        }
        _ if SCALED => 0,
        (b'b', _) => blocks::<1, 4>(bytes, out, |[a]| u8x16_min(load(a), one)),
        (b'i', 1) => blocks::<1, 4>(bytes, out, |[a]| i8x16_max(load(a), zero)),
        (_, 1) => blocks::<1, 4>(bytes, out, |[a]| load(a)),
        (b'u', 2) => {
            let short = pin(u16x8_splat(255));
            let byte = |row: &[u8; 16]| u16x8_min(read(row), short);
            blocks::<2, 2>(bytes, out, |[a, b]| u8x16_narrow_i16x8(byte(a), byte(b)))
        }
        (_, 2) => blocks::<2, 2>(bytes, out, |[a, b]| u8x16_narrow_i16x8(read(a), read(b))),
        (b'u', _) => {
            let byte = |row: &[u8; 16]| u32x4_min(read(row), word);
            blocks::<4, 1>(bytes, out, |[a, b, c, d]| bytes_of_words([byte(a), byte(b), byte(c), byte(d)]))
        }
        _ => blocks::<4, 1>(bytes, out, |[a, b, c, d]| bytes_of_words([read(a), read(b), read(c), read(d)])),
    }
}

/// Calls `convert` for every sixteen elements of N bytes, U times in a row.
#[inline(always)]
fn blocks<const N: usize, const U: usize>(
    bytes: &[u8],
    out: &mut [MaybeUninit<u8>],
    convert: impl Fn(&[[u8; 16]; N]) -> v128,
) -> usize {
    let rows = bytes.as_chunks::<16>().0.as_chunks::<N>().0.as_chunks::<U>().0;
    let outs = out.as_chunks_mut::<16>().0.as_chunks_mut::<U>().0;
    for (rows, outs) in rows.iter().zip(&mut *outs) {
        for n in 0..U {
            store_uninit(&mut outs[n], convert(&rows[n]));
        }
    }
    rows.len().min(outs.len()) * U * 16
}

/// Clamps signed bytes to 0..=127, in place.
pub fn clamp_negatives(bytes: &mut [u8]) {
    let (zero, sign) = (pin(u8x16_splat(0)), pin(u8x16_splat(0x80)));
    in_place(bytes, sign, |lanes| i8x16_max(lanes, zero), |byte| (byte as i8).max(0) as u8);
}

/// Makes booleans 0 or 1, in place.
pub fn clamp_booleans(bytes: &mut [u8]) {
    let (one, others) = (pin(u8x16_splat(1)), pin(u8x16_splat(0xfe)));
    in_place(bytes, others, |lanes| u8x16_min(lanes, one), |byte| byte.min(1));
}

/// Bytes of two cache lines.
const PAIR: usize = 128;
/// Pairs that are looked at before one of them is rewritten: half of the nearest cache.
const PAIRS: usize = (1 << 14) / PAIR;

/// Rewrites the parts in which a byte has one of the bits `wrong`. Few files have such bytes, and memory that is only read
/// need not be written back. A copy bypasses the nearest caches, so its halves are read side by side to hide the latency.
#[inline(always)]
fn in_place(bytes: &mut [u8], wrong: v128, wide: impl Fn(v128) -> v128, single: impl Fn(u8) -> u8) {
    // an access across two cache lines takes twice as long
    let before = bytes.as_ptr().align_offset(64).min(bytes.len());
    let (first, bytes) = bytes.split_at_mut(before);
    let (pairs, rest) = bytes.as_chunks_mut::<PAIR>();
    let none = pin(u8x16_splat(0));
    let mut is_wrong = false;
    for part in pairs.chunks_mut(PAIRS) {
        let half = part.len();
        let (a, b) = part.as_flattened_mut().as_chunks_mut::<64>().0.split_at_mut(half);
        let mut sums = [none; 4];
        // wrong parts come together, so the next one is rewritten without a look
        if !is_wrong {
            for (a, b) in a.iter().zip(&*b) {
                let (a, b) = (a.as_chunks::<16>().0, b.as_chunks::<16>().0);
                sums = core::array::from_fn(|n| v128_or(sums[n], v128_or(load(&a[n]), load(&b[n]))));
            }
            is_wrong = have(sums, wrong);
        }
        if is_wrong {
            sums = [none; 4];
            for (a, b) in a.iter_mut().zip(b) {
                for line in [a, b] {
                    for (row, sum) in line.as_chunks_mut::<16>().0.iter_mut().zip(&mut sums) {
                        let lanes = load(row);
                        *sum = v128_or(*sum, lanes);
                        store(row, wide(lanes));
                    }
                }
            }
            is_wrong = have(sums, wrong);
        }
    }
    first.iter_mut().chain(rest).for_each(|byte| *byte = single(*byte));
}

#[inline(always)]
fn have([a, b, c, d]: [v128; 4], bits: v128) -> bool {
    v128_any_true(v128_and(v128_or(v128_or(a, b), v128_or(c, d)), bits))
}

/// Copies without calling `memcpy`.
#[inline(always)]
pub fn copy(from: &[u8; TILE], to: &mut [u8; TILE]) {
    for (from, to) in from.as_chunks::<16>().0.iter().zip(to.as_chunks_mut::<16>().0) {
        store(to, load(from));
    }
}

/// Rows become columns, sixteen by sixteen bytes at a time.
pub fn transpose(square: &mut Square<u8>) {
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
    let mut rows: [v128; 16] = core::array::from_fn(|n| load(&square[16 * a + n].as_chunks::<16>().0[b]));
    for _ in 0..4 {
        rows = core::array::from_fn(|n| {
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
