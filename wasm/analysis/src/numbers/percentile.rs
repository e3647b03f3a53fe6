//! Percentiles with linear interpolation between order statistics (Hyndman and Fan 1996, type 7).

/// Percentile `rank` (0..100) of `values`; reorders them. `None` when empty. NaN not allowed.
pub fn percentile(values: &mut [f32], rank: f64) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let position = rank / 100.0 * (values.len() - 1) as f64;
    let low = position.floor() as usize;
    let (_, &mut a, above) = values.select_nth_unstable_by(low, f32::total_cmp);
    let fraction = position - low as f64;
    let a = f64::from(a);
    if fraction == 0.0 {
        return Some(a);
    }
    let b = f64::from(above.iter().copied().fold(f32::INFINITY, f32::min));
    Some(a + (b - a) * fraction)
}

/// The same for bytes, from a histogram: no copy of the volume. `None` when the histogram is empty.
pub fn percentile_of_histogram(counts: &[u64; 256], rank: f64) -> Option<f64> {
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return None;
    }
    let position = rank / 100.0 * (total - 1) as f64;
    let value_at = |order: u64| {
        let mut seen = 0;
        counts.iter().position(|&c| {
            seen += c;
            seen > order
        })
    };
    let low = value_at(position.floor() as u64)? as f64;
    let high = value_at(position.ceil() as u64)? as f64;
    Some(low + (high - low) * position.fract())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;

    #[test]
    fn percentile_agrees_with_sorting() {
        let mut random = Random::new(3);
        for n in [1, 2, 5, 100, 1001] {
            let bytes: Vec<u8> = (0..n).map(|_| random.below(256) as u8).collect();
            let mut sorted: Vec<f64> = bytes.iter().map(|&b| f64::from(b)).collect();
            sorted.sort_by(f64::total_cmp);
            let mut counts = [0u64; 256];
            bytes.iter().for_each(|&b| counts[b as usize] += 1);
            for rank in [0.0, 1.0, 33.3, 50.0, 75.0, 99.9, 100.0] {
                let at = rank / 100.0 * (n - 1) as f64;
                let (a, b) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
                let want = a + (b - a) * at.fract();
                let mut values: Vec<f32> = bytes.iter().map(|&b| f32::from(b)).collect();
                assert!((percentile(&mut values, rank).unwrap() - want).abs() < 1e-9);
                assert!((percentile_of_histogram(&counts, rank).unwrap() - want).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn percentile_of_nothing_is_none() {
        assert_eq!(percentile(&mut [], 50.0), None);
        assert_eq!(percentile_of_histogram(&[0; 256], 50.0), None);
    }
}
