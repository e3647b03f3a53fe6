//! An array, where the target has no such registers. Gives the same bits as `simd`.
#![allow(clippy::should_implement_trait)]

use super::rounding::{MAX_ROUNDED, ROUNDER};
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
    pub const fn from_i32(v: [i32; 4]) -> Lanes {
        Lanes(v)
    }
    pub fn from_f32(v: [f32; 4]) -> Lanes {
        Lanes(v.map(|x| x.to_bits() as i32))
    }
    pub fn i32_lane<const N: usize>(self) -> i32 {
        self.0[N]
    }
    pub fn to_array(self) -> [i32; 4] {
        self.0
    }
    pub fn f32_lane<const N: usize>(self) -> f32 {
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
    pub fn min(self, o: Lanes) -> Lanes {
        self.each(o, i32::min)
    }
    pub fn max(self, o: Lanes) -> Lanes {
        self.each(o, i32::max)
    }
    pub fn and(self, o: Lanes) -> Lanes {
        self.each(o, |a, b| a & b)
    }
    pub fn or(self, o: Lanes) -> Lanes {
        self.each(o, |a, b| a | b)
    }
    pub fn xor(self, o: Lanes) -> Lanes {
        self.each(o, |a, b| a ^ b)
    }
    pub fn broadcast<const N: usize>(self) -> Lanes {
        Lanes([self.0[N]; 4])
    }
    pub fn store(self, words: &mut [u32; 4]) {
        *words = self.0.map(|word| word as u32);
    }
    pub fn shr_u(self, bits: u32) -> Lanes {
        Lanes(self.0.map(|v| (v as u32 >> bits) as i32))
    }
    fn halves(self, o: Lanes, f: impl Fn(i16, i16) -> i16) -> Lanes {
        self.each(o, |a, b| {
            let low = f(a as i16, b as i16) as u16;
            let high = f((a >> 16) as i16, (b >> 16) as i16) as u16;
            (u32::from(low) | u32::from(high) << 16) as i32
        })
    }
    pub fn shr_u16(self, bits: u32) -> Lanes {
        self.halves(self, |a, _| (a as u16 >> bits) as i16)
    }
    pub fn add_i16(self, o: Lanes) -> Lanes {
        self.halves(o, i16::wrapping_add)
    }
    pub fn max_i16(self) -> u32 {
        let [a, b, c, d] = self.0.map(|lane| Lanes([lane; 4]));
        let most = |a: Lanes, b: Lanes| a.halves(b, i16::max);
        most(most(a, b), most(c, d)).0[0] as u32
    }
    pub fn fround(self) -> Lanes {
        Lanes::from_f32(from_fn(|n| self.at(n).round_ties_even()))
    }
    pub fn with_last(self, last: f32) -> Lanes {
        Lanes([self.0[0], self.0[1], self.0[2], last.to_bits() as i32])
    }
    pub fn eq_zero(self) -> Lanes {
        Lanes(self.0.map(|v| -i32::from(v == 0)))
    }
    pub fn shl(self, bits: u32) -> Lanes {
        Lanes(self.0.map(|v| v << bits))
    }
    pub fn shr(self, bits: u32) -> Lanes {
        Lanes(self.0.map(|v| v >> bits))
    }
    pub fn lt(self, o: Lanes) -> Lanes {
        self.each(o, |a, b| -i32::from(a < b))
    }
    pub fn any_true(self) -> bool {
        self.0.iter().any(|&lane| lane != 0)
    }
    pub fn and_not(self, o: Lanes) -> Lanes {
        self.each(o, |a, b| a & !b)
    }
    pub fn sign_mask(self) -> u8 {
        (0..4).map(|n| u8::from(self.0[n] < 0) << n).sum()
    }
    pub fn to_f32(self) -> Lanes {
        Lanes::from_f32(self.0.map(|v| v as f32))
    }
    pub fn fadd(self, o: Lanes) -> Lanes {
        self.each_float(o, |a, b| a + b)
    }
    pub fn fsub(self, o: Lanes) -> Lanes {
        self.each_float(o, |a, b| a - b)
    }
    pub fn fmul(self, o: Lanes) -> Lanes {
        self.each_float(o, |a, b| a * b)
    }
    pub fn fdiv(self, o: Lanes) -> Lanes {
        self.each_float(o, |a, b| a / b)
    }
    pub fn fmax(self, o: Lanes) -> Lanes {
        self.each_float(o, |a, b| if a < b { b } else { a })
    }
    pub fn fmin(self, o: Lanes) -> Lanes {
        self.each_float(o, |a, b| if b < a { b } else { a })
    }
    pub fn fabs(self) -> Lanes {
        Lanes(self.0.map(|v| v & 0x7fff_ffff))
    }
    pub fn keep_where_ge(self, value: Lanes, low: Lanes) -> Lanes {
        Lanes(from_fn(|n| if value.at(n) >= low.at(n) { self.0[n] } else { 0 }))
    }
    pub fn round_to_i32(self) -> Lanes {
        Lanes(from_fn(|n| {
            let v = self.at(n);
            let (least, most) = (-MAX_ROUNDED as f32, MAX_ROUNDED as f32);
            let v = if least < v { v } else { least };
            let v = if v < most { v } else { most };
            (v + ROUNDER).to_bits() as i32 - ROUNDER.to_bits() as i32
        }))
    }
    pub fn compact(self, bits: u8) -> Lanes {
        let mut set = (0..4).filter(|n| bits >> n & 1 != 0);
        Lanes(from_fn(|_| set.next().map_or(0, |n| self.0[n])))
    }
    pub fn transpose_pairs(points: [&Lanes; 4]) -> (Lanes, Lanes) {
        (Lanes(points.map(|p| p.0[0])), Lanes(points.map(|p| p.0[1])))
    }
    pub fn transpose(rows: [&Lanes; 4]) -> [Lanes; 4] {
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
