//! Level and spread of normal tissue on a series that may show lesions.

use crate::numbers::percentile::percentile;
use crate::voxels::filter::gaussian;

const BINS: usize = 200;
/// Blur of the histogram before its mode is read, bins.
const BIN_SIGMA: f64 = 4.0;
/// Robust standard deviation from a median absolute deviation.
pub const NORMAL: f32 = 1.4826;

/// Level of normal tissue and the spread of the half below it.
#[derive(Debug, Clone, Copy)]
pub struct Normal {
    pub mode: f32,
    pub spread: f32,
}

impl Normal {
    /// Mode of a smoothed histogram between the 1st and 99th percentile. The spread reads the lower half only: lesions
    /// must not widen it. `None` for fewer than 100 values or when they do not spread.
    pub fn of(values: &mut [f32]) -> Option<Self> {
        if values.len() < 100 {
            return None;
        }
        let (low, high) = (percentile(values, 1.0)? as f32, percentile(values, 99.0)? as f32);
        if high <= low {
            return None;
        }
        let mut counts = vec![0f32; BINS];
        for &v in values.iter().filter(|&&v| v >= low && v <= high) {
            counts[(((v - low) / (high - low) * BINS as f32) as usize).min(BINS - 1)] += 1.0;
        }
        gaussian(&mut counts, [BINS, 1, 1], [BIN_SIGMA, 0.0, 0.0], 1);
        let top = (0..BINS).fold(0, |best, at| if counts[at] > counts[best] { at } else { best });
        let mode = low + (top as f32 + 0.5) / BINS as f32 * (high - low);
        let mut below: Vec<f32> = values.iter().filter(|&&v| v < mode).map(|&v| mode - v).collect();
        let spread = NORMAL * percentile(&mut below, 50.0)? as f32;
        (spread > 0.0).then_some(Self { mode, spread })
    }

    /// The tissue with the spread that it had before the series' field was taken out, but at most `most` times the
    /// spread that is left.
    pub fn not_much_narrower(self, before: Self, most: f32) -> Self {
        let was = before.spread / before.mode * self.mode;
        Self { spread: was.max(self.spread).min(most * self.spread), ..self }
    }

    /// Spreads above the mode.
    pub fn z(&self, v: f32) -> f32 {
        (v - self.mode) / self.spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_much_narrower_keeps_the_spread_up_to_a_limit() {
        let now = Normal { mode: 200.0, spread: 10.0 };
        let spread = |mode, spread| now.not_much_narrower(Normal { mode, spread }, 1.16).spread;
        // relative to the mode: 11 of 200
        assert!((spread(100.0, 5.5) - 11.0).abs() < 1e-4);
        assert!((spread(200.0, 30.0) - 11.6).abs() < 1e-4);
        assert_eq!((spread(200.0, 8.0), spread(0.0, 0.0)), (10.0, 10.0));
    }
}
