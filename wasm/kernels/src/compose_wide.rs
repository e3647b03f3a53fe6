//! The compositor's last step, four pixels at a time.

use crate::colours::blend;
use crate::compose::{Ramp, OUTSIDE};
use crate::lanes::{kept, load_floats, load_pair, load_words, store_floats, store_words};
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

/// One row of pixels: between two rows of values, through the window, under the colours. Equal to the portable road, bit
/// by bit.
pub fn shade_row(
    upper: &[f32],
    lower: &[f32],
    fraction: f32,
    ramp: Ramp,
    colours: Option<&[u32]>,
    out: &mut [u32],
) {
    let part = f32x4_splat(fraction);
    let (centre, scale, offset) =
        (f32x4_splat(ramp.centre), f32x4_splat(ramp.scale), f32x4_splat(ramp.offset));
    let (black, white) = (kept(f32x4_splat(0.0)), kept(f32x4_splat(255.0)));
    let (no_fraction, half) = (kept(f32x4_splat(8_388_608.0)), kept(u16x8_splat(128)));
    let opaque = kept(u32x4_splat(OUTSIDE));
    // the grey value in the lowest byte of each pixel
    let grey = |upper: &[f32; 4], lower: &[f32; 4]| {
        let (a, b) = (load_floats(upper), load_floats(lower));
        let value = f32x4_add(a, f32x4_mul(f32x4_sub(b, a), part));
        let y = f32x4_add(f32x4_mul(f32x4_sub(value, centre), scale), offset);
        f32x4_add(f32x4_pmin(white, f32x4_pmax(black, y)), no_fraction)
    };
    let ((uppers, upper_rest), (lowers, lower_rest)) = (upper.as_chunks::<4>(), lower.as_chunks::<4>());
    let (outs, out_rest) = out.as_chunks_mut::<4>();
    let rest = upper_rest.iter().zip(lower_rest).map(|(&a, &b)| ramp.grey(a + (b - a) * fraction));
    let Some(colours) = colours else {
        for ((upper, lower), out) in uppers.iter().zip(lowers).zip(outs) {
            let g = grey(upper, lower);
            let pixels =
                i8x16_shuffle::<0, 0, 0, 16, 4, 4, 4, 16, 8, 8, 8, 16, 12, 12, 12, 16>(g, u8x16_splat(255));
            store_words(out, pixels);
        }
        out_rest.iter_mut().zip(rest).for_each(|(pixel, g)| *pixel = OUTSIDE | (g * 0x0001_0101));
        return;
    };
    let (colours, colours_rest) = colours.as_chunks::<4>();
    for (((upper, lower), colours), out) in uppers.iter().zip(lowers).zip(colours).zip(outs) {
        let (g, c) = (grey(upper, lower), load_words(colours));
        let g = i8x16_shuffle::<0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12>(g, g);
        let alpha = i8x16_shuffle::<3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15>(c, c);
        let under = v128_not(alpha);
        let low = u16x8_add(u16x8_extmul_low_u8x16(c, alpha), u16x8_extmul_low_u8x16(g, under));
        let high = u16x8_add(u16x8_extmul_high_u8x16(c, alpha), u16x8_extmul_high_u8x16(g, under));
        let pixels = u8x16_narrow_i16x8(over_255(low, half), over_255(high, half));
        store_words(out, v128_or(pixels, opaque));
    }
    for ((pixel, g), &colour) in out_rest.iter_mut().zip(rest).zip(colours_rest) {
        *pixel = blend(g, colour);
    }
}

/// Eight sums divided by 255 and rounded, exactly; `half` is 128 everywhere.
#[inline(always)]
fn over_255(sums: v128, half: v128) -> v128 {
    let raised = u16x8_add(sums, half);
    u16x8_shr(u16x8_add(raised, u16x8_shr(raised, 8)), 8)
}
