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

    /// Spreads above the mode.
    pub fn z(&self, v: f32) -> f32 {
        (v - self.mode) / self.spread
    }
}
