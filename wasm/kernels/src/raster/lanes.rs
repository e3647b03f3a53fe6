//! Four lanes of 32 bits: one SIMD register in WebAssembly, an array elsewhere. Both give the same bits. Long because every operation stands here in both forms.
#![allow(clippy::should_implement_trait)]

/// 1.5 · 2^23: a float of less than 2^22 that is added to it keeps no fraction, and the sum's bits are its integer and these.
const WHOLE: f32 = 12_582_912.0;
/// Farthest integer that [`Lanes::snapped`] gives.
pub const MOST_SNAPPED: i32 = (1 << 22) - 1;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod vector {
    use super::{MOST_SNAPPED, WHOLE};
    use core::arch::wasm32::*;
    use core::hint::black_box;

    /// Bytes of the set lanes of each of 16 masks, one lane after another; 255 takes none.
    static PACKED: [[u64; 2]; 16] = {
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
        pub const fn ints(v: [i32; 4]) -> Lanes {
            Lanes(i32x4(v[0], v[1], v[2], v[3]))
        }
        #[inline(always)]
        pub fn floats(v: [f32; 4]) -> Lanes {
            Lanes(f32x4(v[0], v[1], v[2], v[3]))
        }
        #[inline(always)]
        pub fn int<const N: usize>(self) -> i32 {
            i32x4_extract_lane::<N>(self.0)
        }
        #[inline(always)]
        pub fn to_ints(self) -> [i32; 4] {
            [self.int::<0>(), self.int::<1>(), self.int::<2>(), self.int::<3>()]
        }
        #[inline(always)]
        pub fn float<const N: usize>(self) -> f32 {
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
        pub fn least(self, o: Lanes) -> Lanes {
            Lanes(i32x4_min(self.0, o.0))
        }
        #[inline(always)]
        pub fn greatest(self, o: Lanes) -> Lanes {
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
        pub fn exclusive_or(self, o: Lanes) -> Lanes {
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
        pub fn down_unsigned(self, bits: u32) -> Lanes {
            Lanes(u32x4_shr(self.0, bits))
        }
        /// The same of each half of a lane.
        #[inline(always)]
        pub fn shorts_down(self, bits: u32) -> Lanes {
            Lanes(u16x8_shr(self.0, bits))
        }
        /// Sums of the halves of the lanes.
        #[inline(always)]
        pub fn add_shorts(self, o: Lanes) -> Lanes {
            Lanes(i16x8_add(self.0, o.0))
        }
        /// The greatest of the lower halves of the lanes, and of the upper ones.
        #[inline(always)]
        pub fn greatest_short(self) -> u32 {
            let two = i16x8_max(self.0, i32x4_shuffle::<2, 3, 2, 3>(self.0, self.0));
            u32x4_extract_lane::<0>(i16x8_max(two, i32x4_shuffle::<1, 1, 1, 1>(two, two)))
        }
        /// The nearest whole float.
        #[inline(always)]
        pub fn whole(self) -> Lanes {
            Lanes(f32x4_nearest(self.0))
        }
        /// One of the lanes in every lane.
        #[inline(always)]
        pub fn spread<const N: usize>(self) -> Lanes {
            Lanes(i32x4_shuffle::<N, N, N, N>(self.0, self.0))
        }
        /// Another float in the last lane.
        #[inline(always)]
        pub fn with_last(self, last: f32) -> Lanes {
            Lanes(f32x4_replace_lane::<3>(self.0, last))
        }
        /// All bits of the lanes that are 0.
        #[inline(always)]
        pub fn zeros(self) -> Lanes {
            Lanes(i32x4_eq(self.0, i32x4_splat(0)))
        }
        /// Shift to the left.
        #[inline(always)]
        pub fn up(self, bits: u32) -> Lanes {
            Lanes(i32x4_shl(self.0, bits))
        }
        /// Shift to the right, keeping the sign.
        #[inline(always)]
        pub fn down(self, bits: u32) -> Lanes {
            Lanes(i32x4_shr(self.0, bits))
        }
        /// Bit n says that lane n is negative.
        #[inline(always)]
        pub fn negatives(self) -> u8 {
            i32x4_bitmask(self.0)
        }
        /// All bits of the lanes that are smaller than those of the other, as integers.
        #[inline(always)]
        pub fn less(self, o: Lanes) -> Lanes {
            Lanes(i32x4_lt(self.0, o.0))
        }
        /// Whether a bit is set anywhere.
        #[inline(always)]
        pub fn any(self) -> bool {
            v128_any_true(self.0)
        }
        /// The bits of `self` that are not set in `o`.
        #[inline(always)]
        pub fn without(self, o: Lanes) -> Lanes {
            Lanes(v128_andnot(self.0, o.0))
        }
        #[inline(always)]
        pub fn to_floats(self) -> Lanes {
            Lanes(f32x4_convert_i32x4(self.0))
        }
        #[inline(always)]
        pub fn plus(self, o: Lanes) -> Lanes {
            Lanes(f32x4_add(self.0, o.0))
        }
        #[inline(always)]
        pub fn minus(self, o: Lanes) -> Lanes {
            Lanes(f32x4_sub(self.0, o.0))
        }
        #[inline(always)]
        pub fn times(self, o: Lanes) -> Lanes {
            Lanes(f32x4_mul(self.0, o.0))
        }
        #[inline(always)]
        pub fn over(self, o: Lanes) -> Lanes {
            Lanes(f32x4_div(self.0, o.0))
        }
        #[inline(always)]
        pub fn larger(self, o: Lanes) -> Lanes {
            Lanes(f32x4_pmax(self.0, o.0))
        }
        #[inline(always)]
        pub fn smaller(self, o: Lanes) -> Lanes {
            Lanes(f32x4_pmin(self.0, o.0))
        }
        #[inline(always)]
        pub fn magnitude(self) -> Lanes {
            Lanes(f32x4_abs(self.0))
        }
        /// Keeps the lanes whose float is at least `low`; the others become zero bits.
        #[inline(always)]
        pub fn where_at_least(self, value: Lanes, low: Lanes) -> Lanes {
            Lanes(v128_and(self.0, f32x4_ge(value.0, low.0)))
        }
        /// Nearest integer, halves to the even one; clamped to ± [`MOST_SNAPPED`], NaN to the lowest.
        #[inline(always)]
        pub fn snapped(self) -> Lanes {
            let most = Lanes::floats([MOST_SNAPPED as f32; 4]);
            let least = Lanes::floats([-MOST_SNAPPED as f32; 4]);
            let whole = Lanes::floats([WHOLE; 4]);
            most.smaller(least.larger(self)).plus(whole).sub(whole)
        }
        /// The lanes whose bit is set, in their order, from the first lane on.
        #[inline(always)]
        pub fn packed(self, bits: u8) -> Lanes {
            let [a, b] = PACKED[usize::from(bits & 15)];
            Lanes(u8x16_swizzle(self.0, u64x2(a, b)))
        }
        /// The first lanes of four, and the second ones.
        #[inline(always)]
        pub fn pairs([a, b, c, d]: [&Lanes; 4]) -> (Lanes, Lanes) {
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
        pub fn transposed([a, b, c, d]: [&Lanes; 4]) -> [Lanes; 4] {
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

    /// Makes words of colours. Engines make a constant that they know anew at each use, in several steps: these stay.
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
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod vector {
    use super::{MOST_SNAPPED, WHOLE};
    use core::array::from_fn;

    /// Four lanes, read as i32 or as f32 bits.
    #[derive(Clone, Copy)]
    pub struct Lanes([i32; 4]);

    impl Lanes {
        fn each(self, o: Lanes, f: impl Fn(i32, i32) -> i32) -> Lanes {
            Lanes(from_fn(|n| f(self.0[n], o.0[n])))
        }
        fn each_float(self, o: Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
            Lanes(from_fn(|n| {
                f(f32::from_bits(self.0[n] as u32), f32::from_bits(o.0[n] as u32)).to_bits() as i32
            }))
        }
        fn at(self, n: usize) -> f32 {
            f32::from_bits(self.0[n] as u32)
        }
        pub const fn ints(v: [i32; 4]) -> Lanes {
            Lanes(v)
        }
        pub fn floats(v: [f32; 4]) -> Lanes {
            Lanes(v.map(|x| x.to_bits() as i32))
        }
        pub fn int<const N: usize>(self) -> i32 {
            self.0[N]
        }
        pub fn to_ints(self) -> [i32; 4] {
            self.0
        }
        pub fn float<const N: usize>(self) -> f32 {
            self.at(N)
        }
        pub fn add(self, o: Lanes) -> Lanes {
            self.each(o, i32::wrapping_add)
        }
        pub fn sub(self, o: Lanes) -> Lanes {
            self.each(o, i32::wrapping_sub)
        }
        pub fn mul(self, o: Lanes) -> Lanes {
            self.each(o, i32::wrapping_mul)
        }
        pub fn least(self, o: Lanes) -> Lanes {
            self.each(o, i32::min)
        }
        pub fn greatest(self, o: Lanes) -> Lanes {
            self.each(o, i32::max)
        }
        pub fn and(self, o: Lanes) -> Lanes {
            self.each(o, |a, b| a & b)
        }
        pub fn or(self, o: Lanes) -> Lanes {
            self.each(o, |a, b| a | b)
        }
        pub fn exclusive_or(self, o: Lanes) -> Lanes {
            self.each(o, |a, b| a ^ b)
        }
        pub fn spread<const N: usize>(self) -> Lanes {
            Lanes([self.0[N]; 4])
        }
        pub fn store(self, words: &mut [u32; 4]) {
            *words = self.0.map(|word| word as u32);
        }
        pub fn down_unsigned(self, bits: u32) -> Lanes {
            Lanes(self.0.map(|v| (v as u32 >> bits) as i32))
        }
        fn halves(self, o: Lanes, f: impl Fn(i16, i16) -> i16) -> Lanes {
            self.each(o, |a, b| {
                let low = f(a as i16, b as i16) as u16;
                let high = f((a >> 16) as i16, (b >> 16) as i16) as u16;
                (u32::from(low) | u32::from(high) << 16) as i32
            })
        }
        pub fn shorts_down(self, bits: u32) -> Lanes {
            self.halves(self, |a, _| (a as u16 >> bits) as i16)
        }
        pub fn add_shorts(self, o: Lanes) -> Lanes {
            self.halves(o, i16::wrapping_add)
        }
        pub fn greatest_short(self) -> u32 {
            let [a, b, c, d] = self.0.map(|lane| Lanes([lane; 4]));
            let most = |a: Lanes, b: Lanes| a.halves(b, i16::max);
            most(most(a, b), most(c, d)).0[0] as u32
        }
        pub fn whole(self) -> Lanes {
            Lanes::floats(from_fn(|n| self.at(n).round_ties_even()))
        }
        pub fn with_last(self, last: f32) -> Lanes {
            Lanes([self.0[0], self.0[1], self.0[2], last.to_bits() as i32])
        }
        pub fn zeros(self) -> Lanes {
            Lanes(self.0.map(|v| -i32::from(v == 0)))
        }
        pub fn up(self, bits: u32) -> Lanes {
            Lanes(self.0.map(|v| v << bits))
        }
        pub fn down(self, bits: u32) -> Lanes {
            Lanes(self.0.map(|v| v >> bits))
        }
        pub fn less(self, o: Lanes) -> Lanes {
            self.each(o, |a, b| -i32::from(a < b))
        }
        pub fn any(self) -> bool {
            self.0.iter().any(|&lane| lane != 0)
        }
        pub fn without(self, o: Lanes) -> Lanes {
            self.each(o, |a, b| a & !b)
        }
        pub fn negatives(self) -> u8 {
            (0..4).map(|n| u8::from(self.0[n] < 0) << n).sum()
        }
        pub fn to_floats(self) -> Lanes {
            Lanes::floats(self.0.map(|v| v as f32))
        }
        pub fn plus(self, o: Lanes) -> Lanes {
            self.each_float(o, |a, b| a + b)
        }
        pub fn minus(self, o: Lanes) -> Lanes {
            self.each_float(o, |a, b| a - b)
        }
        pub fn times(self, o: Lanes) -> Lanes {
            self.each_float(o, |a, b| a * b)
        }
        pub fn over(self, o: Lanes) -> Lanes {
            self.each_float(o, |a, b| a / b)
        }
        pub fn larger(self, o: Lanes) -> Lanes {
            self.each_float(o, |a, b| if a < b { b } else { a })
        }
        pub fn smaller(self, o: Lanes) -> Lanes {
            self.each_float(o, |a, b| if b < a { b } else { a })
        }
        pub fn magnitude(self) -> Lanes {
            Lanes(self.0.map(|v| v & 0x7fff_ffff))
        }
        pub fn where_at_least(self, value: Lanes, low: Lanes) -> Lanes {
            Lanes(from_fn(|n| if value.at(n) >= low.at(n) { self.0[n] } else { 0 }))
        }
        pub fn snapped(self) -> Lanes {
            Lanes(from_fn(|n| {
                let v = self.at(n);
                let (least, most) = (-MOST_SNAPPED as f32, MOST_SNAPPED as f32);
                let v = if least < v { v } else { least };
                let v = if v < most { v } else { most };
                (v + WHOLE).to_bits() as i32 - WHOLE.to_bits() as i32
            }))
        }
        pub fn packed(self, bits: u8) -> Lanes {
            let mut set = (0..4).filter(|n| bits >> n & 1 != 0);
            Lanes(from_fn(|_| set.next().map_or(0, |n| self.0[n])))
        }
        pub fn pairs(points: [&Lanes; 4]) -> (Lanes, Lanes) {
            (Lanes(points.map(|p| p.0[0])), Lanes(points.map(|p| p.0[1])))
        }
        pub fn transposed(rows: [&Lanes; 4]) -> [Lanes; 4] {
            from_fn(|column| Lanes(from_fn(|row| rows[row].0[column])))
        }
    }

    /// Makes words of colours.
    #[derive(Clone, Copy)]
    pub struct Opaque;

    impl Opaque {
        pub fn new() -> Opaque {
            Opaque
        }
        pub fn word(self, colour: Lanes) -> u32 {
            let byte = |n| (colour.at(n) + 8_388_608.0).to_bits() as u8;
            u32::from_le_bytes([byte(0), byte(1), byte(2), 255])
        }
    }
}

pub use vector::{Lanes, Opaque};
