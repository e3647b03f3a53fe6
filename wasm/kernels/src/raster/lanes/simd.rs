//! One register of 128-bit SIMD in WebAssembly.
#![allow(clippy::should_implement_trait)]

use super::rounding::{MAX_ROUNDED, ROUNDER};
use core::arch::wasm32::*;
use core::hint::black_box;

/// Bytes of the set lanes of each of 16 masks, one lane after another; 255 takes none.
static COMPACTED: [[u64; 2]; 16] = {
    let mut table = [[u64::MAX; 2]; 16];
    let mut bits = 0;
    while bits < 16 {
        let (mut at, mut lane) = (0, 0);
        while lane < 4 {
            if bits >> lane & 1 == 1 {
                let shift = at % 2 * 32;
                let word = 0x0302_0100 + 0x0404_0404 * lane;
                table[bits][at / 2] = table[bits][at / 2] & !(0xffff_ffff << shift) | word << shift;
                at += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    table
};

/// Four lanes, read as i32 or as f32 bits.
#[derive(Clone, Copy)]
pub struct Lanes(v128);

impl Lanes {
    #[inline(always)]
    pub const fn from_i32(v: [i32; 4]) -> Lanes {
        Lanes(i32x4(v[0], v[1], v[2], v[3]))
    }
    #[inline(always)]
    pub fn from_f32(v: [f32; 4]) -> Lanes {
        Lanes(f32x4(v[0], v[1], v[2], v[3]))
    }
    #[inline(always)]
    pub fn i32_lane<const N: usize>(self) -> i32 {
        i32x4_extract_lane::<N>(self.0)
    }
    #[inline(always)]
    pub fn to_array(self) -> [i32; 4] {
        [self.i32_lane::<0>(), self.i32_lane::<1>(), self.i32_lane::<2>(), self.i32_lane::<3>()]
    }
    #[inline(always)]
    pub fn f32_lane<const N: usize>(self) -> f32 {
        f32x4_extract_lane::<N>(self.0)
    }
    #[inline(always)]
    pub fn add(self, o: Lanes) -> Lanes {
        Lanes(i32x4_add(self.0, o.0))
    }
    #[inline(always)]
    pub fn sub(self, o: Lanes) -> Lanes {
        Lanes(i32x4_sub(self.0, o.0))
    }
    #[inline(always)]
    pub fn mul(self, o: Lanes) -> Lanes {
        Lanes(i32x4_mul(self.0, o.0))
    }
    #[inline(always)]
    pub fn min(self, o: Lanes) -> Lanes {
        Lanes(i32x4_min(self.0, o.0))
    }
    #[inline(always)]
    pub fn max(self, o: Lanes) -> Lanes {
        Lanes(i32x4_max(self.0, o.0))
    }
    #[inline(always)]
    pub fn and(self, o: Lanes) -> Lanes {
        Lanes(v128_and(self.0, o.0))
    }
    #[inline(always)]
    pub fn or(self, o: Lanes) -> Lanes {
        Lanes(v128_or(self.0, o.0))
    }
    #[inline(always)]
    pub fn xor(self, o: Lanes) -> Lanes {
        Lanes(v128_xor(self.0, o.0))
    }
    #[inline(always)]
    pub fn store(self, words: &mut [u32; 4]) {
        // SAFETY: the reference is valid and unique for 16 bytes; the store asks for no alignment.
        #[allow(unsafe_code)]
        unsafe {
            v128_store(words.as_mut_ptr().cast(), self.0);
        }
    }
    /// Shift to the right; zeros come in.
    #[inline(always)]
    pub fn shr_u(self, bits: u32) -> Lanes {
        Lanes(u32x4_shr(self.0, bits))
    }
    /// The same of each half of a lane.
    #[inline(always)]
    pub fn shr_u16(self, bits: u32) -> Lanes {
        Lanes(u16x8_shr(self.0, bits))
    }
    /// Sums of the halves of the lanes.
    #[inline(always)]
    pub fn add_i16(self, o: Lanes) -> Lanes {
        Lanes(i16x8_add(self.0, o.0))
    }
    /// The greatest of the lower halves of the lanes, and of the upper ones.
    #[inline(always)]
    pub fn max_i16(self) -> u32 {
        let two = i16x8_max(self.0, i32x4_shuffle::<2, 3, 2, 3>(self.0, self.0));
        u32x4_extract_lane::<0>(i16x8_max(two, i32x4_shuffle::<1, 1, 1, 1>(two, two)))
    }
    /// The nearest whole float.
    #[inline(always)]
    pub fn fround(self) -> Lanes {
        Lanes(f32x4_nearest(self.0))
    }
    /// One of the lanes in every lane.
    #[inline(always)]
    pub fn broadcast<const N: usize>(self) -> Lanes {
        Lanes(i32x4_shuffle::<N, N, N, N>(self.0, self.0))
    }
    /// Another float in the last lane.
    #[inline(always)]
    pub fn with_last(self, last: f32) -> Lanes {
        Lanes(f32x4_replace_lane::<3>(self.0, last))
    }
    /// All bits of the lanes that are 0.
    #[inline(always)]
    pub fn eq_zero(self) -> Lanes {
        Lanes(i32x4_eq(self.0, i32x4_splat(0)))
    }
    /// Shift to the left.
    #[inline(always)]
    pub fn shl(self, bits: u32) -> Lanes {
        Lanes(i32x4_shl(self.0, bits))
    }
    /// Shift to the right, keeping the sign.
    #[inline(always)]
    pub fn shr(self, bits: u32) -> Lanes {
        Lanes(i32x4_shr(self.0, bits))
    }
    /// Bit n says that lane n is negative.
    #[inline(always)]
    pub fn sign_mask(self) -> u8 {
        i32x4_bitmask(self.0)
    }
    /// All bits of the lanes that are smaller than those of the other, as integers.
    #[inline(always)]
    pub fn lt(self, o: Lanes) -> Lanes {
        Lanes(i32x4_lt(self.0, o.0))
    }
    /// Whether a bit is set anywhere.
    #[inline(always)]
    pub fn any_true(self) -> bool {
        v128_any_true(self.0)
    }
    /// The bits of `self` that are not set in `o`.
    #[inline(always)]
    pub fn and_not(self, o: Lanes) -> Lanes {
        Lanes(v128_andnot(self.0, o.0))
    }
    #[inline(always)]
    pub fn to_f32(self) -> Lanes {
        Lanes(f32x4_convert_i32x4(self.0))
    }
    #[inline(always)]
    pub fn fadd(self, o: Lanes) -> Lanes {
        Lanes(f32x4_add(self.0, o.0))
    }
    #[inline(always)]
    pub fn fsub(self, o: Lanes) -> Lanes {
        Lanes(f32x4_sub(self.0, o.0))
    }
    #[inline(always)]
    pub fn fmul(self, o: Lanes) -> Lanes {
        Lanes(f32x4_mul(self.0, o.0))
    }
    #[inline(always)]
    pub fn fdiv(self, o: Lanes) -> Lanes {
        Lanes(f32x4_div(self.0, o.0))
    }
    #[inline(always)]
    pub fn fmax(self, o: Lanes) -> Lanes {
        Lanes(f32x4_pmax(self.0, o.0))
    }
    #[inline(always)]
    pub fn fmin(self, o: Lanes) -> Lanes {
        Lanes(f32x4_pmin(self.0, o.0))
    }
    #[inline(always)]
    pub fn fabs(self) -> Lanes {
        Lanes(f32x4_abs(self.0))
    }
    /// Keeps the lanes whose float is at least `low`; the others become zero bits.
    #[inline(always)]
    pub fn keep_where_ge(self, value: Lanes, low: Lanes) -> Lanes {
        Lanes(v128_and(self.0, f32x4_ge(value.0, low.0)))
    }
    /// Nearest integer, halves to the even one; clamped to ± [`MAX_ROUNDED`], NaN to the lowest.
    #[inline(always)]
    pub fn round_to_i32(self) -> Lanes {
        let most = Lanes::from_f32([MAX_ROUNDED as f32; 4]);
        let least = Lanes::from_f32([-MAX_ROUNDED as f32; 4]);
        let whole = Lanes::from_f32([ROUNDER; 4]);
        most.fmin(least.fmax(self)).fadd(whole).sub(whole)
    }
    /// The lanes whose bit is set, in their order, from the first lane on.
    #[inline(always)]
    pub fn compact(self, bits: u8) -> Lanes {
        let [a, b] = COMPACTED[usize::from(bits & 15)];
        Lanes(u8x16_swizzle(self.0, u64x2(a, b)))
    }
    /// The first lanes of four, and the second ones.
    #[inline(always)]
    pub fn transpose_pairs([a, b, c, d]: [&Lanes; 4]) -> (Lanes, Lanes) {
        // SAFETY: each reference is valid for 16 bytes; the loads ask for no alignment.
        #[allow(unsafe_code)]
        let (ab, cd) = unsafe {
            let of = |lanes: &Lanes| core::ptr::from_ref(lanes).cast();
            let ab = v128_load64_lane::<1>(v128_load64_zero(of(a)), of(b));
            (ab, v128_load64_lane::<1>(v128_load64_zero(of(c)), of(d)))
        };
        (Lanes(i32x4_shuffle::<0, 2, 4, 6>(ab, cd)), Lanes(i32x4_shuffle::<1, 3, 5, 7>(ab, cd)))
    }
    /// Rows become columns.
    #[inline(always)]
    pub fn transpose([a, b, c, d]: [&Lanes; 4]) -> [Lanes; 4] {
        let (ab, cd) = (i32x4_shuffle::<0, 4, 1, 5>(a.0, b.0), i32x4_shuffle::<0, 4, 1, 5>(c.0, d.0));
        let (ef, gh) = (i32x4_shuffle::<2, 6, 3, 7>(a.0, b.0), i32x4_shuffle::<2, 6, 3, 7>(c.0, d.0));
        [
            Lanes(i32x4_shuffle::<0, 1, 4, 5>(ab, cd)),
            Lanes(i32x4_shuffle::<2, 3, 6, 7>(ab, cd)),
            Lanes(i32x4_shuffle::<0, 1, 4, 5>(ef, gh)),
            Lanes(i32x4_shuffle::<2, 3, 6, 7>(ef, gh)),
        ]
    }
}

/// Makes words of colours. JavaScript engines rebuild a known constant at each use, in several instructions; these stay in registers.
#[derive(Clone, Copy)]
pub struct Opaque {
    no_fraction: v128,
    order: v128,
}

impl Opaque {
    pub fn new() -> Opaque {
        let order = u8x16(0, 4, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255);
        Opaque { no_fraction: black_box(f32x4_splat(8_388_608.0)), order: black_box(order) }
    }
    /// Red, green, blue of 0..=255 in the first three lanes, rounded, as an opaque RGBA word.
    #[inline(always)]
    pub fn word(self, colour: Lanes) -> u32 {
        let bytes = u8x16_swizzle(f32x4_add(colour.0, self.no_fraction), self.order);
        u32x4_extract_lane::<0>(bytes) | 0xff00_0000
    }
}
