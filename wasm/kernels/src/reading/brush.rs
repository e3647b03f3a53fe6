//! Corrected labels: what is under a brush, and what lies between two slices.

use alloc::vec;
use alloc::vec::Vec;

/// A round brush that was drawn from one place to another, on one slice.
pub struct Stroke {
    /// Cells of the slice, across and down.
    pub cells: [usize; 2],
    /// mm of a cell, across and down.
    pub spacing: [f64; 2],
    /// Places, in cells.
    pub from: [f64; 2],
    pub to: [f64; 2],
    pub diameter_mm: f64,
}

/// Cells under a stroke, each once, rows along the first axis. A brush smaller than a cell has the cell that it stands in.
///
/// # Exactness
/// Equal to `naive` of the tests, but where a cell's centre lies on the brush's border.
pub fn cells_under(stroke: &Stroke) -> Vec<u32> {
    let Stroke { cells, spacing, from, to, diameter_mm } = stroke;
    let radius = diameter_mm / 2.0;
    let range = |axis: usize| {
        let reach = radius / spacing[axis];
        let low = (from[axis].min(to[axis]) - reach).max(0.0) as usize;
        // one more than the last; a number below zero becomes none
        let high = (from[axis].max(to[axis]) + reach + 2.0).max(0.0) as usize;
        low..high.min(cells[axis])
    };
    let way: [f64; 2] = core::array::from_fn(|axis| (to[axis] - from[axis]) * spacing[axis]);
    let length2 = way[0] * way[0] + way[1] * way[1];
    let is_under = |u: usize, v: usize| {
        // the cell that the pointer is in, whatever the brush
        if (to[0] - u as f64) >= -0.5
            && (to[0] - u as f64) < 0.5
            && (to[1] - v as f64) >= -0.5
            && (to[1] - v as f64) < 0.5
        {
            return true;
        }
        let (x, y) = ((u as f64 - from[0]) * spacing[0], (v as f64 - from[1]) * spacing[1]);
        let part = if length2 == 0.0 { 0.0 } else { ((x * way[0] + y * way[1]) / length2).clamp(0.0, 1.0) };
        let (dx, dy) = (x - part * way[0], y - part * way[1]);
        dx * dx + dy * dy <= radius * radius
    };
    let mut found = Vec::new();
    for v in range(1) {
        found.extend(range(0).filter(|&u| is_under(u, v)).map(|u| (u + cells[0] * v) as u32));
    }
    found
}

/// Far outside, cells.
const FAR: f32 = 1e6;

/// Distance of each cell from the nearest that has `mark`, in cells.
///
/// # Source
/// Two passes of a chamfer of 1 and 4/3 (Borgefors 1986, doi:10.1016/S0734-189X(86)80047-0).
fn distances(inside: &[bool], width: usize, mark: bool) -> Vec<f32> {
    let height = inside.len() / width;
    let mut out: Vec<f32> = inside.iter().map(|&one| if one == mark { 0.0 } else { FAR }).collect();
    let mut relax = |at: usize, x: usize, before: Option<usize>, after: Option<usize>, is_down: bool| {
        let mut least = out[at];
        let mut look = |other: usize, step: f32| least = least.min(out[other] + step);
        let (left, right) = (x > 0, x + 1 < width);
        // along the row, and the three of the row before
        match (is_down, left, right) {
            (true, true, _) => look(at - 1, 1.0),
            (false, _, true) => look(at + 1, 1.0),
            _ => {}
        }
        if let Some(row) = before.or(after) {
            look(row, 1.0);
            if left {
                look(row - 1, 4.0 / 3.0);
            }
            if right {
                look(row + 1, 4.0 / 3.0);
            }
        }
        out[at] = least;
    };
    for at in 0..inside.len() {
        relax(at, at % width, at.checked_sub(width), None, true);
    }
    for at in (0..inside.len()).rev() {
        let after = (at / width + 1 < height).then_some(at + width);
        relax(at, at % width, None, after, false);
    }
    out
}

/// Cells of the slices between two that would get a value: halfway between their outlines, by their signed distances.
/// Counted from the first slice after `first`; empty where one of the two has none of the value.
///
/// # Source
/// Shape-based interpolation, Raya and Udupa 1990, doi:10.1109/42.52980.
///
/// # Panics
/// When the slices differ in length, or are no whole rows.
pub fn fill_between(first: &[u8], last: &[u8], width: usize, between: usize, value: u8) -> Vec<u32> {
    assert!(first.len() == last.len() && width > 0 && first.len().is_multiple_of(width));
    let signed = |slice: &[u8]| {
        let inside: Vec<bool> = slice.iter().map(|&label| label == value).collect();
        inside.contains(&true).then(|| {
            let (outer, inner) = (distances(&inside, width, true), distances(&inside, width, false));
            outer
                .iter()
                .zip(inner)
                .map(|(&out, inn)| if out > 0.0 { out - 0.5 } else { 0.5 - inn })
                .collect::<Vec<f32>>()
        })
    };
    let (Some(from), Some(to)) = (signed(first), signed(last)) else { return vec![] };
    let mut found = Vec::new();
    for slice in 0..between {
        let part = (slice + 1) as f32 / (between + 1) as f32;
        for (at, (from, to)) in from.iter().zip(&to).enumerate() {
            if (1.0 - part) * from + part * to <= 0.0 {
                found.push((slice * first.len() + at) as u32);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn cells_under_is_the_round_brush_along_its_way_in_mm() {
        let mut random = Random(11);
        for _ in 0..60 {
            let cells = [1 + random.below(30), 1 + random.below(30)];
            let mut place = || [random.between(-4.0, 34.0), random.between(-4.0, 34.0)];
            let (from, to) = (place(), place());
            let stroke = Stroke {
                cells,
                spacing: [random.between(0.5, 3.0), random.between(0.5, 3.0)],
                from,
                to,
                diameter_mm: random.between(0.1, 9.0),
            };
            let mut naive = Vec::new();
            let mut doubtful = Vec::new();
            for v in 0..cells[1] {
                for u in 0..cells[0] {
                    // the least distance from many places of the way
                    let least = (0..=4000)
                        .map(|step| {
                            let part = f64::from(step) / 4000.0;
                            let away = |axis: usize, cell: usize| {
                                (cell as f64 - from[axis] - part * (to[axis] - from[axis]))
                                    * stroke.spacing[axis]
                            };
                            away(0, u).hypot(away(1, v))
                        })
                        .fold(f64::INFINITY, f64::min);
                    let radius = stroke.diameter_mm / 2.0;
                    let is_in = (to[0] + 0.5).floor() == u as f64 && (to[1] + 0.5).floor() == v as f64;
                    let at = (u + cells[0] * v) as u32;
                    if is_in || least <= radius {
                        naive.push(at);
                    }
                    if (least - radius).abs() < 1e-3 {
                        doubtful.push(at);
                    }
                }
            }
            let mut got = cells_under(&stroke);
            got.retain(|at| !doubtful.contains(at));
            naive.retain(|at| !doubtful.contains(at));
            assert_eq!(got, naive);
        }
    }

    /// Shortest path over the eight neighbours, relaxed until nothing changes.
    fn naive_distances(inside: &[bool], width: usize, mark: bool) -> Vec<f32> {
        let height = inside.len() / width;
        let mut out: Vec<f32> = inside.iter().map(|&one| if one == mark { 0.0 } else { FAR }).collect();
        loop {
            let before = out.clone();
            for at in 0..out.len() {
                for other in 0..out.len() {
                    let (dx, dy) =
                        ((at % width).abs_diff(other % width), (at / width).abs_diff(other / width));
                    let step = match (dx, dy) {
                        (1, 1) => 4.0 / 3.0,
                        (0, 1) | (1, 0) => 1.0,
                        _ => continue,
                    };
                    out[at] = out[at].min(out[other] + step);
                }
            }
            if before == out || height == 0 {
                return out;
            }
        }
    }

    #[test]
    fn distances_are_those_of_the_shortest_path() {
        let mut random = Random(4);
        for _ in 0..30 {
            let (width, height) = (1 + random.below(9), 1 + random.below(9));
            let inside: Vec<bool> = (0..width * height).map(|_| random.below(5) == 0).collect();
            for mark in [true, false] {
                let (got, wanted) = (distances(&inside, width, mark), naive_distances(&inside, width, mark));
                for (a, b) in got.iter().zip(&wanted) {
                    assert!((a - b).abs() <= 1e-4 * b.max(1.0) || *b >= FAR, "{got:?} {wanted:?}");
                }
            }
        }
    }

    #[test]
    fn fill_between_goes_from_one_outline_to_the_other() {
        let disc =
            |radius: f64| -> Vec<u8> {
                (0..40 * 50)
                    .map(|at| {
                        if ((at % 40) as f64 - 20.0).hypot((at / 40) as f64 - 25.0) <= radius {
                            7
                        } else {
                            0
                        }
                    })
                    .collect()
            };
        let filled = fill_between(&disc(4.0), &disc(10.0), 40, 3, 7);
        for (slice, radius) in [5.5, 7.0, 8.5].into_iter().enumerate() {
            let area = filled.iter().filter(|&&at| at as usize / 2000 == slice).count();
            let found = (area as f64 / std::f64::consts::PI).sqrt();
            assert!((found - radius).abs() < 0.6, "{slice}: {found}");
        }
        assert!(fill_between(&disc(4.0), &disc(10.0), 40, 3, 8).is_empty());
        assert!(fill_between(&disc(4.0), &vec![0; 2000], 40, 3, 7).is_empty());
        assert!(fill_between(&disc(4.0), &disc(4.0), 40, 0, 7).is_empty());
    }
}
