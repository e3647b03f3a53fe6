//! Four lanes of 32 bits: one SIMD register in WebAssembly, an array elsewhere. Both give the same bits.
#![allow(clippy::should_implement_trait)]

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod vector {
    use core::arch::wasm32::*;

    /// Four lanes, read as i32 or as f32 bits.
    #[derive(Clone, Copy)]
    pub struct Lanes(v128);

    impl Lanes {
        #[inline(always)]
        pub fn ints(v: [i32; 4]) -> Lanes {
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
        /// The same for floats that are larger.
        #[inline(always)]
        pub fn exceeds(self, o: Lanes) -> Lanes {
            Lanes(f32x4_gt(self.0, o.0))
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
        /// Lanes of `self` where the mask is set, of `o` elsewhere.
        #[inline(always)]
        pub fn chosen(self, o: Lanes, mask: Lanes) -> Lanes {
            Lanes(v128_bitselect(self.0, o.0, mask.0))
        }
        #[inline(always)]
        pub fn to_floats(self) -> Lanes {
            Lanes(f32x4_convert_i32x4(self.0))
        }
        /// Nearest integer, halves to the even one; saturates.
        #[inline(always)]
        pub fn rounded(self) -> Lanes {
            Lanes(i32x4_trunc_sat_f32x4(f32x4_nearest(self.0)))
        }
        #[inline(always)]
        pub fn plus(self, o: Lanes) -> Lanes {
            Lanes(f32x4_add(self.0, o.0))
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
        /// One float in every lane.
        #[inline(always)]
        pub fn spread<const N: usize>(self) -> Lanes {
            Lanes(i32x4_shuffle::<N, N, N, N>(self.0, self.0))
        }
        /// (b, c, a, d) of (a, b, c, d).
        #[inline(always)]
        pub fn turned(self) -> Lanes {
            Lanes(i32x4_shuffle::<1, 2, 0, 3>(self.0, self.0))
        }
        /// Rows become columns.
        #[inline(always)]
        pub fn transposed([a, b, c, d]: [Lanes; 4]) -> [Lanes; 4] {
            let (ab, cd) = (i32x4_shuffle::<0, 4, 1, 5>(a.0, b.0), i32x4_shuffle::<0, 4, 1, 5>(c.0, d.0));
            let (ef, gh) = (i32x4_shuffle::<2, 6, 3, 7>(a.0, b.0), i32x4_shuffle::<2, 6, 3, 7>(c.0, d.0));
            [
                Lanes(i32x4_shuffle::<0, 1, 4, 5>(ab, cd)),
                Lanes(i32x4_shuffle::<2, 3, 6, 7>(ab, cd)),
                Lanes(i32x4_shuffle::<0, 1, 4, 5>(ef, gh)),
                Lanes(i32x4_shuffle::<2, 3, 6, 7>(ef, gh)),
            ]
        }
        /// (a.x, b.x, c.x, 0 or so) and (a.y, b.y, c.y, ..) of three points; the last lane is alike in its three users.
        #[inline(always)]
        pub fn columns(a: Lanes, b: Lanes, c: Lanes) -> (Lanes, Lanes) {
            let ab = i32x4_shuffle::<0, 4, 1, 5>(a.0, b.0);
            (Lanes(i32x4_shuffle::<0, 1, 4, 4>(ab, c.0)), Lanes(i32x4_shuffle::<2, 3, 5, 5>(ab, c.0)))
        }
        /// The four bytes of a word as floats.
        #[inline(always)]
        pub fn bytes(word: u32) -> Lanes {
            let wide = u16x8_extend_low_u8x16(u32x4_splat(word));
            Lanes(f32x4_convert_u32x4(u32x4_extend_low_u16x8(wide)))
        }
        /// (a.x, b.x, c.x, d.x) and (a.y, ..) of four points.
        #[inline(always)]
        pub fn places([a, b, c, d]: [Lanes; 4]) -> (Lanes, Lanes) {
            let (ab, cd) = (i32x4_shuffle::<0, 4, 1, 5>(a.0, b.0), i32x4_shuffle::<0, 4, 1, 5>(c.0, d.0));
            (Lanes(i32x4_shuffle::<0, 1, 4, 5>(ab, cd)), Lanes(i32x4_shuffle::<2, 3, 6, 7>(ab, cd)))
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod vector {
    use std::array::from_fn;

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
        pub fn ints(v: [i32; 4]) -> Lanes {
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
        pub fn up(self, bits: u32) -> Lanes {
            Lanes(self.0.map(|v| v << bits))
        }
        pub fn down(self, bits: u32) -> Lanes {
            Lanes(self.0.map(|v| v >> bits))
        }
        pub fn less(self, o: Lanes) -> Lanes {
            self.each(o, |a, b| -i32::from(a < b))
        }
        pub fn exceeds(self, o: Lanes) -> Lanes {
            Lanes(from_fn(|n| -i32::from(self.at(n) > o.at(n))))
        }
        pub fn any(self) -> bool {
            self.0.iter().any(|&lane| lane != 0)
        }
        pub fn without(self, o: Lanes) -> Lanes {
            self.each(o, |a, b| a & !b)
        }
        pub fn chosen(self, o: Lanes, mask: Lanes) -> Lanes {
            Lanes(from_fn(|n| (self.0[n] & mask.0[n]) | (o.0[n] & !mask.0[n])))
        }
        pub fn negatives(self) -> u8 {
            (0..4).map(|n| u8::from(self.0[n] < 0) << n).sum()
        }
        pub fn to_floats(self) -> Lanes {
            Lanes::floats(self.0.map(|v| v as f32))
        }
        pub fn rounded(self) -> Lanes {
            Lanes(from_fn(|n| self.at(n).round_ties_even() as i32))
        }
        pub fn plus(self, o: Lanes) -> Lanes {
            self.each_float(o, |a, b| a + b)
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
        pub fn spread<const N: usize>(self) -> Lanes {
            Lanes([self.0[N]; 4])
        }
        pub fn turned(self) -> Lanes {
            Lanes([self.0[1], self.0[2], self.0[0], self.0[3]])
        }
        pub fn transposed(rows: [Lanes; 4]) -> [Lanes; 4] {
            from_fn(|column| Lanes(from_fn(|row| rows[row].0[column])))
        }
        pub fn columns(a: Lanes, b: Lanes, c: Lanes) -> (Lanes, Lanes) {
            (Lanes([a.0[0], b.0[0], c.0[0], c.0[0]]), Lanes([a.0[1], b.0[1], c.0[1], c.0[1]]))
        }
        pub fn bytes(word: u32) -> Lanes {
            Lanes::floats(word.to_le_bytes().map(f32::from))
        }
        pub fn places(points: [Lanes; 4]) -> (Lanes, Lanes) {
            (Lanes(points.map(|p| p.0[0])), Lanes(points.map(|p| p.0[1])))
        }
    }
}

pub use vector::Lanes;
