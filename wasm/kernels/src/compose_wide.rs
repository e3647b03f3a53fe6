//! The compositor's last step, four pixels at a time.

use crate::colours::{under_overlay, OUTSIDE};
use crate::lanes::{load_floats, load_overlays, load_pair, pin, store_floats, store_words};
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

/// One row of pixels: between two rows of grey values, under the overlays. Equal to the portable version, bit by bit.
pub fn shade_row(upper: &[f32], lower: &[f32], fraction: f32, overlays: Option<&[u64]>, out: &mut [u32]) {
    let part = f32x4_splat(fraction);
    let (black, white) = (pin(f32x4_splat(0.0)), pin(f32x4_splat(255.0)));
    let (no_fraction, opaque) = (pin(f32x4_splat(8_388_608.0)), pin(u32x4_splat(OUTSIDE)));
    // the grey value in the lower half of each pixel
    let grey = |upper: &[f32; 4], lower: &[f32; 4]| {
        let (a, b) = (load_floats(upper), load_floats(lower));
        let place = f32x4_add(a, f32x4_mul(f32x4_sub(b, a), part));
        f32x4_add(f32x4_pmin(white, f32x4_pmax(black, place)), no_fraction)
    };
    let ((uppers, upper_rest), (lowers, lower_rest)) = (upper.as_chunks::<4>(), lower.as_chunks::<4>());
    let (outs, out_rest) = out.as_chunks_mut::<4>();
    let rest = upper_rest.iter().zip(lower_rest).map(|(&a, &b)| nearest_grey(a + (b - a) * fraction));
    let Some(overlays) = overlays else {
        // the opaque byte overwrites what the sum has above its lower half
        let thrice = pin(u32x4_splat(0x0001_0101));
        for ((upper, lower), out) in uppers.iter().zip(lowers).zip(outs) {
            store_words(out, v128_or(u32x4_mul(grey(upper, lower), thrice), opaque));
        }
        out_rest.iter_mut().zip(rest).for_each(|(pixel, g)| *pixel = OUTSIDE | (g * 0x0001_0101));
        return;
    };
    let (overlays, overlays_rest) = overlays.as_chunks::<4>();
    for (((upper, lower), overlays), out) in uppers.iter().zip(lowers).zip(overlays).zip(outs) {
        let &[left, right] = overlays.as_chunks::<2>().0 else { break };
        let (left, right) = (load_overlays(&left), load_overlays(&right));
        let opposite = u32x4_shr(i32x4_shuffle::<1, 3, 5, 7>(left, right), 16);
        // at most 255 · 255, which fits half a pixel; both halves get it
        let under = u16x8_mul(grey(upper, lower), opposite);
        let under = v128_or(under, u32x4_shl(under, 16));
        let left = over_255(u16x8_add(left, i32x4_shuffle::<0, 0, 1, 1>(under, under)));
        let right = over_255(u16x8_add(right, i32x4_shuffle::<2, 2, 3, 3>(under, under)));
        store_words(out, v128_or(u8x16_narrow_i16x8(left, right), opaque));
    }
    for ((pixel, g), &overlay) in out_rest.iter_mut().zip(rest).zip(overlays_rest) {
        *pixel = under_overlay(g, overlay);
    }
}

/// Divides eight sums, which hold the 128 for rounding already, by 255 and rounds exactly.
#[inline(always)]
fn over_255(raised: v128) -> v128 {
    u16x8_shr(u16x8_add(raised, u16x8_shr(raised, 8)), 8)
}
