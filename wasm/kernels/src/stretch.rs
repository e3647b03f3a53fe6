//! Intensities of any range as unsigned bytes.

use alloc::vec;

/// Steps between the least and the largest value in which ranks are counted.
const BINS: usize = 1 << 16;
/// Part of the voxels that may be brighter than white.
const BRIGHTEST: f64 = 0.001;

/// Writes values as 0..=255: the least one is black, the 99.9th percentile and all above white, linear between them,
/// rounded. NaN and minus infinity are black, infinity is white; values that are all the same are black.
///
/// # Panics
/// When `out` has another length than `values`.
///
/// # Exactness
/// White lies within 1/65536 of the values' range of the percentile; tested against sorting them.
pub fn stretch(values: &[f32], out: &mut [u8]) {
    assert!(values.len() == out.len());
    let (low, high) = white_and_black(values);
    let gain = if high > low { 255.0 / (high - low) } else { 0.0 };
    for (byte, &value) in out.iter_mut().zip(values) {
        // NaN becomes 0 in the conversion
        let grey = (f64::from(value) - low) * gain + 0.5;
        *byte = if gain == 0.0 { 0 } else { grey.clamp(0.0, 255.0) as u8 };
    }
}

fn white_and_black(values: &[f32]) -> (f64, f64) {
    let (mut low, mut high, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0usize);
    for &value in values.iter().filter(|v| v.is_finite()) {
        low = low.min(f64::from(value));
        high = high.max(f64::from(value));
        count += 1;
    }
    if high <= low || count == 0 {
        return (low, low);
    }
    let mut counts = vec![0usize; BINS];
    let step = (BINS - 1) as f64 / (high - low);
    for &value in values.iter().filter(|v| v.is_finite()) {
        counts[((f64::from(value) - low) * step) as usize] += 1;
    }
    let brighter = (count as f64 * BRIGHTEST) as usize;
    let mut seen = 0;
    let white = counts.iter().rposition(|n| {
        seen += n;
        seen > brighter
    });
    // almost everything is black: what is left is shown up to its brightest
    (low, white.filter(|&bin| bin > 0).map_or(high, |bin| low + (bin + 1) as f64 / step).min(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretch_equals_sorting_on_random_values() {
        let mut state = 99u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        for round in 0..40 {
            let (scale, shift) = (random() * 5000.0, random() * 2000.0 - 1000.0);
            let values: Vec<f32> =
                (0..2000 + round * 50).map(|_| (random().powi(3) * scale + shift) as f32).collect();
            let mut out = vec![0; values.len()];
            stretch(&values, &mut out);
            let mut sorted = values.clone();
            sorted.sort_by(f32::total_cmp);
            let brighter = (values.len() as f64 * 0.001) as usize;
            let (low, white) = (f64::from(sorted[0]), f64::from(sorted[values.len() - 1 - brighter]));
            for (byte, value) in out.iter().zip(&values) {
                let want = ((f64::from(*value) - low) / (white - low) * 255.0).min(255.0);
                assert!((f64::from(*byte) - want).abs() <= 0.6, "{byte}, not {want}");
            }
        }
    }

    #[test]
    fn stretch_keeps_to_what_is_finite_and_shows_the_rare() {
        let mut out = [9u8; 4];
        stretch(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3.0], &mut out);
        assert_eq!(out, [0; 4]);
        stretch(&[f32::NAN, f32::INFINITY, -5.0, 5.0], &mut out);
        assert_eq!(out, [0, 255, 0, 255]);
        let mut rare = vec![0f32; 10_000];
        rare[7] = 40.0;
        rare[8] = 80.0;
        let mut bytes = vec![0; 10_000];
        stretch(&rare, &mut bytes);
        assert_eq!((bytes[6], bytes[7], bytes[8]), (0, 128, 255));
        stretch(&[], &mut []);
    }
}
