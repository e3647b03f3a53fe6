//! Colour tables, and the blending of grey values with overlay colours.

/// Label values a colour table can hold: an 8-bit label map.
pub const LABELS: usize = 256;
/// Opaque black: what lies outside the volume.
pub const OUTSIDE: u32 = 0xff00_0000;

/// Colour table as the compositor reads it: 0xAABBGGRR, alpha = opacity where the label is visible, else 0.
///
/// Label 0 (background) is never drawn. `opacity` is 0..=255.
pub fn effective_colours(
    table: &[u32; LABELS],
    visible: &[u8; LABELS],
    opacity: u8,
    out: &mut [u32; LABELS],
) {
    for label in 0..LABELS {
        let alpha = if label > 0 && visible[label] != 0 { u32::from(opacity) } else { 0 };
        out[label] = (table[label] & 0x00ff_ffff) | (alpha << 24);
    }
}

/// Grey value under a colour: `grey·(255 − a) + colour·a`, each channel divided by 255 and rounded.
///
/// # Exactness
/// The rounded quotient exactly (`t + 128 + (t + 128 >> 8) >> 8` equals t/255 rounded for t ≤ 65025).
#[inline(always)]
pub fn blend(grey: u32, colour: u32) -> u32 {
    let alpha = colour >> 24;
    let under = grey * (255 - alpha);
    // Red and blue share one word, each with 16 bits of room.
    let red_blue = (colour & 0x00ff_00ff) * alpha + under * 0x0001_0001 + 0x0080_0080;
    let green = ((colour >> 8) & 0xff) * alpha + under + 0x80;
    let red_blue = ((red_blue + ((red_blue >> 8) & 0x00ff_00ff)) >> 8) & 0x00ff_00ff;
    let green = (green + (green >> 8)) & 0x0000_ff00;
    0xff00_0000 | red_blue | green
}

/// Premultiplied colour: red, green and blue times the opacity, plus 128 for rounding, in 16 bits each; then 255 less the
/// opacity, the weight of the grey value below.
pub(crate) fn overlay_colour(colour: u32) -> u64 {
    let alpha = u64::from(colour >> 24);
    let channel = |n: u32| (u64::from(colour >> (8 * n) & 255) * alpha + 128) << (16 * n);
    channel(0) | channel(1) | channel(2) | (255 - alpha) << 48
}

/// Grey value under an overlay colour, see [`overlay_colour`].
///
/// # Exactness
/// Equal to [`blend`].
#[inline(always)]
pub(crate) fn under_overlay(grey: u32, overlay: u64) -> u32 {
    let under = grey * (overlay >> 48) as u32;
    let channel = |n: u32| {
        let raised = under + (overlay >> (16 * n) & 0xffff) as u32;
        ((raised + (raised >> 8)) >> 8) << (8 * n)
    };
    0xff00_0000 | channel(0) | channel(1) | channel(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blend_equals_the_rounded_quotient_for_every_grey_alpha_and_channel() {
        for grey in 0..256u32 {
            for alpha in 0..256u32 {
                for channel in [0u32, 1, 37, 127, 128, 200, 254, 255] {
                    let colour = (alpha << 24) | (channel << 16) | ((255 - channel) << 8) | channel;
                    let want = |c: u32| (grey * (255 - alpha) + c * alpha + 127) / 255;
                    let (c, g) = (want(channel), want(255 - channel));
                    assert_eq!(blend(grey, colour), 0xff00_0000 | (c << 16) | (g << 8) | c);
                    assert_eq!(under_overlay(grey, overlay_colour(colour)), blend(grey, colour));
                }
            }
        }
    }

    #[test]
    fn effective_colours_hides_background_and_hidden_labels() {
        let table = [0xff33_2211u32; LABELS];
        let mut visible = [1u8; LABELS];
        visible[7] = 0;
        let mut out = [0u32; LABELS];
        effective_colours(&table, &visible, 128, &mut out);
        assert_eq!((out[0] >> 24, out[7] >> 24, out[8]), (0, 0, 0x8033_2211));
    }
}
