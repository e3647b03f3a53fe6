//! Pixels of a region that a reader has drawn, and what their values are.

use alloc::vec::Vec;

/// What no voxel has as its index.
pub const OUTSIDE: u32 = u32::MAX;

/// A region of a plane, mm along its two axes.
pub enum Outline<'a> {
    /// Two corners of its box.
    Ellipse([f64; 2], [f64; 2]),
    Rectangle([f64; 2], [f64; 2]),
    /// The places of a line around it.
    Free(&'a [[f64; 2]]),
}

impl Outline<'_> {
    fn contains(&self, [x, y]: [f64; 2]) -> bool {
        let from_centre = |a: &[f64; 2], b: &[f64; 2]| {
            let away = [x - (a[0] + b[0]) / 2.0, y - (a[1] + b[1]) / 2.0];
            (away, [(b[0] - a[0]).abs() / 2.0, (b[1] - a[1]).abs() / 2.0])
        };
        match self {
            Outline::Rectangle(a, b) => {
                let ([x, y], [rx, ry]) = from_centre(a, b);
                x.abs() <= rx && y.abs() <= ry
            }
            Outline::Ellipse(a, b) => {
                let ([x, y], radii) = from_centre(a, b);
                let [x, y] = [x / radii[0].max(1e-9), y / radii[1].max(1e-9)];
                x * x + y * y <= 1.0
            }
            // even–odd rule along a line to the right
            Outline::Free(places) => {
                let before = places.iter().cycle().skip(places.len().saturating_sub(1));
                let crossed = places.iter().zip(before).filter(|([xa, ya], [xb, yb])| {
                    (*ya > y) != (*yb > y) && x < (xb - xa) * (y - ya) / (yb - ya) + xa
                });
                crossed.count() % 2 == 1
            }
        }
    }
}

/// Three rows of four numbers.
pub type Rows = [f64; 12];

#[inline(always)]
fn apply(rows: &Rows, [x, y, z]: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|a| rows[4 * a] * x + rows[4 * a + 1] * y + rows[4 * a + 2] * z + rows[4 * a + 3])
}

/// The voxels of a grid that are looked at, and the volume that their values come from.
pub struct Pixels<'a> {
    /// mm from an index of the grid.
    pub mm_from_ijk: &'a Rows,
    /// First and last index on each axis.
    pub first: [usize; 3],
    pub last: [usize; 3],
    /// Axes of mm that the outline lies along.
    pub in_plane: [usize; 2],
    /// Index of the volume from mm.
    pub volume_from_mm: &'a Rows,
    pub shape: [usize; 3],
}

/// Voxels of the volume at the centres of those pixels that are inside of an outline, i fastest; [`OUTSIDE`] where the
/// volume has none.
pub fn region_voxels(outline: &Outline, pixels: &Pixels) -> Vec<u32> {
    let Pixels { first, last, in_plane: [a, b], shape: [nx, ny, nz], .. } = *pixels;
    let mut found = Vec::new();
    for k in first[2]..=last[2] {
        for j in first[1]..=last[1] {
            for i in first[0]..=last[0] {
                let mm = apply(pixels.mm_from_ijk, [i as f64, j as f64, k as f64]);
                if !outline.contains([mm[a], mm[b]]) {
                    continue;
                }
                let at = apply(pixels.volume_from_mm, mm).map(|index| index + 0.5);
                let is_inside = [nx, ny, nz].iter().zip(at).all(|(&n, at)| at >= 0.0 && at < n as f64);
                // never negative: what is behind the point falls off
                let [i, j, k] = at.map(|at| at as usize);
                found.push(if is_inside { (i + nx * (j + ny * k)) as u32 } else { OUTSIDE });
            }
        }
    }
    found
}

/// Number of values, their mean, the sum of squares around it, the least and the greatest; NaN is no value.
pub fn statistics(values: &[f64]) -> [f64; 5] {
    let (mut n, mut mean, mut squares) = (0.0, 0.0, 0.0);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &value in values.iter().filter(|value| !value.is_nan()) {
        // Welford 1962: no difference of large sums
        let away = value - mean;
        n += 1.0;
        mean += away / n;
        squares += away * (value - mean);
        low = f64::min(low, value);
        high = f64::max(high, value);
    }
    [n, mean, squares, low, high]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use alloc::vec;

    const SAME: Rows = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];

    /// Winding number of the line around a place: turns of the way to it, in full circles.
    fn winds(places: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
        let angle = |[a, b]: [f64; 2]| f64::atan2(b - y, a - x);
        let turns: f64 = (0..places.len())
            .map(|n| {
                let turn = angle(places[(n + 1) % places.len()]) - angle(places[n]);
                turn - core::f64::consts::TAU * (turn / core::f64::consts::TAU).round()
            })
            .sum();
        turns.abs() > 3.0
    }

    #[test]
    fn region_voxels_are_those_whose_centres_a_simple_outline_goes_around() {
        let mut random = Random(11);
        for _ in 0..30 {
            // a star around the middle never crosses itself
            let corners = 3 + random.below(9);
            let places: Vec<[f64; 2]> = (0..corners)
                .map(|n| {
                    let (radius, angle) =
                        (random.between(2.0, 9.0), n as f64 * core::f64::consts::TAU / corners as f64);
                    [10.03 + radius * angle.cos(), 9.97 + radius * angle.sin()]
                })
                .collect();
            let pixels = Pixels {
                mm_from_ijk: &SAME,
                first: [0, 0, 3],
                last: [19, 19, 3],
                in_plane: [0, 1],
                volume_from_mm: &SAME,
                shape: [20, 20, 5],
            };
            let naive: Vec<u32> = (0..400)
                .filter(|v| winds(&places, [(v % 20) as f64, (v / 20) as f64]))
                .map(|v| v as u32 + 3 * 400)
                .collect();
            assert_eq!(region_voxels(&Outline::Free(&places), &pixels), naive);
        }
    }

    #[test]
    fn region_voxels_are_looked_up_in_another_grid() {
        let moved = [1.0, 0.0, 0.0, -2.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let pixels = Pixels {
            mm_from_ijk: &SAME,
            first: [1, 0, 0],
            last: [3, 2, 0],
            in_plane: [0, 1],
            volume_from_mm: &moved,
            shape: [2, 2, 1],
        };
        let all = Outline::Rectangle([0.0, 0.0], [9.0, 9.0]);
        assert_eq!(region_voxels(&all, &pixels), [OUTSIDE, 0, 1, OUTSIDE, 2, 3, OUTSIDE, 2, 3]);
        let round = Outline::Ellipse([1.0, 0.0], [3.0, 2.0]);
        assert_eq!(region_voxels(&round, &pixels), [0, OUTSIDE, 2, 3, 2]);
    }

    #[test]
    fn statistics_equal_the_sums_in_two_goes() {
        let mut random = Random(3);
        for _ in 0..20 {
            let values: Vec<f64> =
                (0..1 + random.below(50)).map(|_| 1e6 + random.between(-9.0, 9.0)).collect();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let squares = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
            let with_nan = [vec![f64::NAN], values.clone()].concat();
            let [count, found, spread, low, high] = statistics(&with_nan);
            assert_eq!(count, n);
            assert!((found - mean).abs() < 1e-6 && (spread - squares).abs() < 1e-5);
            assert_eq!(low, values.iter().copied().fold(f64::INFINITY, f64::min));
            assert_eq!(high, values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
        assert_eq!(statistics(&[f64::NAN])[0], 0.0);
    }
}
