//! The compositor's last step, four pixels at a time.

use crate::colours::under_hue;
use crate::compose::OUTSIDE;
use crate::lanes::{kept, load_floats, load_hues, load_pair, store_floats, store_words};
use crate::window::nearest_grey;
use core::arch::wasm32::*;

/// Values between the voxels of a row; `values` has one more than the largest of `firsts` asks for.
pub fn resample_row(values: &[f32], firsts: &[u32], fractions: &[f32], out: &mut [f32]) {
    let pair = |first: u32| {
        let from = &values[first as usize..][..2];
        <&[f32; 2]>::try_from(from).map_or(f32x4_splat(0.0), load_pair)
    };
    let ((columns, columns_rest), (parts, parts_rest)) =
        (firsts.as_chunks::<4>(), fractions.as_chunks::<4>());
    let (outs, out_rest) = out.as_chunks_mut::<4>();
    for ((out, &[p, q, r, s]), part) in outs.iter_mut().zip(columns).zip(parts) {
        let left = i64x2_shuffle::<0, 2>(pair(p), pair(q));
        let right = i64x2_shuffle::<0, 2>(pair(r), pair(s));
        let a = i32x4_shuffle::<0, 2, 4, 6>(left, right);
        let b = i32x4_shuffle::<1, 3, 5, 7>(left, right);
        store_floats(out, f32x4_add(a, f32x4_mul(f32x4_sub(b, a), load_floats(part))));
    }
    for ((value, &first), &fraction) in out_rest.iter_mut().zip(columns_rest).zip(parts_rest) {
        let (a, b) = (values[first as usize], values[first as usize + 1]);
        *value = a + (b - a) * fraction;
    }
}

/// One row of pixels: between two rows of grey values, under the hues. Equal to the portable road, bit by bit.
pub fn shade_row(upper: &[f32], lower: &[f32], fraction: f32, hues: Option<&[u64]>, out: &mut [u32]) {
    let part = f32x4_splat(fraction);
    let (black, white) = (kept(f32x4_splat(0.0)), kept(f32x4_splat(255.0)));
    let (no_fraction, opaque) = (kept(f32x4_splat(8_388_608.0)), kept(u32x4_splat(OUTSIDE)));
    // the grey value in the lower half of each pixel
    let grey = |upper: &[f32; 4], lower: &[f32; 4]| {
        let (a, b) = (load_floats(upper), load_floats(lower));
        let place = f32x4_add(a, f32x4_mul(f32x4_sub(b, a), part));
        f32x4_add(f32x4_pmin(white, f32x4_pmax(black, place)), no_fraction)
    };
    let ((uppers, upper_rest), (lowers, lower_rest)) = (upper.as_chunks::<4>(), lower.as_chunks::<4>());
    let (outs, out_rest) = out.as_chunks_mut::<4>();
    let rest = upper_rest.iter().zip(lower_rest).map(|(&a, &b)| nearest_grey(a + (b - a) * fraction));
    let Some(hues) = hues else {
        // what the sum has above its lower half is lost in the opaque byte
        let thrice = kept(u32x4_splat(0x0001_0101));
        for ((upper, lower), out) in uppers.iter().zip(lowers).zip(outs) {
            store_words(out, v128_or(u32x4_mul(grey(upper, lower), thrice), opaque));
        }
        out_rest.iter_mut().zip(rest).for_each(|(pixel, g)| *pixel = OUTSIDE | (g * 0x0001_0101));
        return;
    };
    let (hues, hues_rest) = hues.as_chunks::<4>();
    for (((upper, lower), hues), out) in uppers.iter().zip(lowers).zip(hues).zip(outs) {
        let &[left, right] = hues.as_chunks::<2>().0 else { break };
        let (left, right) = (load_hues(&left), load_hues(&right));
        let opposite = u32x4_shr(i32x4_shuffle::<1, 3, 5, 7>(left, right), 16);
        // at most 255 · 255: half a pixel, which is made two
        let under = u16x8_mul(grey(upper, lower), opposite);
        let under = v128_or(under, u32x4_shl(under, 16));
        let left = over_255(u16x8_add(left, i32x4_shuffle::<0, 0, 1, 1>(under, under)));
        let right = over_255(u16x8_add(right, i32x4_shuffle::<2, 2, 3, 3>(under, under)));
        store_words(out, v128_or(u8x16_narrow_i16x8(left, right), opaque));
    }
    for ((pixel, g), &hue) in out_rest.iter_mut().zip(rest).zip(hues_rest) {
        *pixel = under_hue(g, hue);
    }
}

/// Eight sums, raised by 128 already, divided by 255 and rounded, exactly.
#[inline(always)]
fn over_255(raised: v128) -> v128 {
    u16x8_shr(u16x8_add(raised, u16x8_shr(raised, 8)), 8)
}
