//! Interpolation by cubic B-splines: the curve runs through the samples and keeps the detail between them, where linear
//! interpolation blurs most halfway.

use volume::Shape;

/// Samples on either side that a coefficient is made of; those beyond weigh less than 3e-5 together.
const RADIUS: i32 = 8;

/// Weights, from the centre outwards, by which samples become the coefficients that `sample_spline` reads; they sum to 1 over
/// both sides. Samples are mirrored beyond the ends, with the last one repeated.
///
/// # Source
/// Unser, Aldroubi and Eden 1991, doi:10.1109/34.75515: the inverse of (1, 4, 1) / 6, cut off at RADIUS.
pub fn coefficient_kernel() -> Vec<f32> {
    let pole = 3f64.sqrt() - 2.0;
    let weights: Vec<f64> = (0..=RADIUS).map(|d| pole.powi(d)).collect();
    let total = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    weights.iter().map(|w| (w / total) as f32).collect()
}

/// Weights of the four coefficients around a position, `f` after the second of them.
#[inline(always)]
fn cubic_weights(f: f32) -> [f32; 4] {
    let (g, sixth) = (1.0 - f, 1.0 / 6.0);
    let middle = |near: f32| 2.0 / 3.0 - near * near * (1.0 - 0.5 * near);
    [sixth * g * g * g, middle(f), middle(g), sixth * f * f * f]
}

/// The four coefficients of an axis around a position: the first of them, or where each lies near an end, and their weights.
#[derive(Clone, Copy)]
struct Taps {
    at: [usize; 4],
    weight: [f32; 4],
}

impl Taps {
    /// `p` within 0..n-1; beyond either end the last coefficient is repeated.
    #[inline(always)]
    fn new(p: f64, n: usize, stride: usize, is_cubic: bool) -> Self {
        let low = (p as usize).min(n.saturating_sub(2));
        let f = (p - low as f64) as f32;
        let weight = if is_cubic { cubic_weights(f) } else { [0.0, 1.0 - f, f, 0.0] };
        let at = [low.saturating_sub(1), low, (low + 1).min(n - 1), (low + 2).min(n - 1)];
        Self { at: at.map(|v| v * stride), weight }
    }
}

/// Value at an index position within the grid; on an axis that is not cubic `coefficients` are the samples, taken linearly.
#[inline(always)]
pub fn sample_spline(coefficients: &[f32], shape: Shape, p: [f64; 3], is_cubic: [bool; 3]) -> f32 {
    let stride = [1, shape[0], shape[0] * shape[1]];
    let [x, y, z] = [0, 1, 2].map(|a| Taps::new(p[a], shape[a], stride[a], is_cubic[a]));
    let mut row = [0f32; 4];
    let is_inside = x.at[3] == x.at[0] + 3;
    for (z_at, z_weight) in z.at.into_iter().zip(z.weight) {
        for (y_at, y_weight) in y.at.into_iter().zip(y.weight) {
            let (low, weight) = (z_at + y_at, z_weight * y_weight);
            if is_inside {
                let four = &coefficients[low + x.at[0]..low + x.at[0] + 4];
                (0..4).for_each(|i| row[i] += weight * four[i]);
            } else {
                (0..4).for_each(|i| row[i] += weight * coefficients[low + x.at[i]]);
            }
        }
    }
    (row[0] * x.weight[0] + row[1] * x.weight[1]) + (row[2] * x.weight[2] + row[3] * x.weight[3])
}

#[cfg(test)]
#[path = "spline_tests.rs"]
pub mod tests;
