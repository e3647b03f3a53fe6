//! Window/level: which values are black, which are white.

/// Window width (≥ 1) and level (DICOM Window Center) in units of the base volume.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub width: f32,
    pub level: f32,
}

/// PS3.3 C.11.2.1.2.1 (LINEAR) as one multiplication: `(v − centre)·scale + offset`, clamped to 0..=255.
#[derive(Clone, Copy)]
pub(crate) struct Ramp {
    pub(crate) centre: f32,
    pub(crate) scale: f32,
    pub(crate) offset: f32,
}

impl Ramp {
    pub(crate) fn of(window: Window) -> Ramp {
        let centre = window.level - 0.5;
        // Width 1 is a threshold: at or below the centre black, above it white.
        if window.width <= 1.0 {
            return Ramp { centre, scale: 1e30, offset: 0.0 };
        }
        Ramp { centre, scale: 255.0 / (window.width - 1.0), offset: 127.5 }
    }

    /// Where a value lies on the ramp: black is 0, white 255; no limits.
    #[inline(always)]
    pub(crate) fn place(self, value: f32) -> f32 {
        (value - self.centre) * self.scale + self.offset
    }

    #[inline(always)]
    pub(crate) fn grey(self, value: f32) -> u32 {
        nearest_grey(self.place(value))
    }
}

/// The nearest integer of 0..=255: adding 2^23 rounds the fraction away, and the lowest byte of the sum is the integer.
#[inline(always)]
pub(crate) fn nearest_grey(place: f32) -> u32 {
    (place.clamp(0.0, 255.0) + 8_388_608.0).to_bits() & 255
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_ramp_is_the_standards_for_every_value() {
        let mut random = Random(8);
        for _ in 0..200 {
            let (width, level) =
                (2.0 + random.below(600) as f32 / 2.0, random.below(600) as f32 / 2.0 - 20.0);
            let ramp = Ramp::of(Window { width, level });
            let (w, c) = (f64::from(width), f64::from(level));
            for value in 0..=255u8 {
                let (grey, x) = (ramp.grey(f32::from(value)), f64::from(value));
                let want = if x <= c - 0.5 - (w - 1.0) / 2.0 {
                    0.0
                } else if x > c - 0.5 + (w - 1.0) / 2.0 {
                    255.0
                } else {
                    ((x - (c - 0.5)) / (w - 1.0) + 0.5) * 255.0
                };
                assert!((f64::from(grey) - want).abs() <= 0.51, "{grey}, not {want}");
            }
        }
    }
}
