//! Borders of masks on one slice, as lines.

use crate::colours::LABELS;
use alloc::vec;
use alloc::vec::Vec;

/// Sides of a cell of four centres that lines join, by which of them are inside (1 first, 2 across, 4 down, 8 both):
/// 0 top, 1 right, 2 bottom, 3 left.
const SIDES: [&[u8]; 16] = [
    &[],
    &[0, 3],
    &[0, 1],
    &[3, 1],
    &[3, 2],
    &[0, 2],
    &[0, 3, 1, 2],
    &[1, 2],
    &[1, 2],
    &[0, 1, 3, 2],
    &[0, 2],
    &[3, 2],
    &[3, 1],
    &[0, 1],
    &[0, 3],
    &[],
];

/// Lines of a field at one half (marching squares), the crossing between two centres interpolated: from across, from down,
/// to across, to down.
fn trace(field: &[f32], width: usize, [left, top]: [f32; 2], lines: &mut Vec<f32>) {
    let crossing = |from: f32, to: f32| (0.5 - from) / (to - from);
    for row in 0..(field.len() / width).saturating_sub(1) {
        for column in 0..width - 1 {
            let n = column + width * row;
            let (a, b, c, d) = (field[n], field[n + 1], field[n + width], field[n + width + 1]);
            let inside = [a, b, c, d].iter().rev().fold(0, |bits, &v| bits << 1 | usize::from(v > 0.5));
            for &side in SIDES[inside] {
                let (x, y) = match side {
                    0 => (crossing(a, b), 0.0),
                    1 => (1.0, crossing(b, d)),
                    2 => (crossing(c, d), 1.0),
                    _ => (0.0, crossing(a, c)),
                };
                lines.extend([left + column as f32 + x, top + row as f32 + y]);
            }
        }
    }
}

/// Smooth borders of the shown values of a slice: each value's mask is blurred by one voxel (1 2 1) along both axes, and
/// cut at one half. A lone voxel keeps a border of its own. With `is_one` shown values have one border together.
///
/// Gives, value after value: the value, how many numbers follow, and lines of four numbers each, voxel indices across and
/// down.
///
/// # Panics
/// When the slice is no whole rows.
///
/// # Exactness
/// Every centre of a value, and no other, is inside its lines.
pub fn contours(slice: &[u8], width: usize, shown: &[bool; LABELS], is_one: bool) -> Vec<f32> {
    assert!(width > 0 && slice.len().is_multiple_of(width));
    let key = |label: u8| match (shown[usize::from(label)] && label != 0, is_one) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => label,
    };
    // boxes of the values in one pass: left, top, right, bottom
    let mut boxes = [[usize::MAX, 0, 0, 0]; LABELS];
    for (row, labels) in slice.chunks_exact(width).enumerate() {
        for (column, &label) in labels.iter().enumerate() {
            let key = key(label);
            if key == 0 {
                continue;
            }
            let seen = &mut boxes[usize::from(key)];
            if seen[0] == usize::MAX {
                *seen = [column, row, column, row];
            }
            *seen = [seen[0].min(column), seen[1], seen[2].max(column), row];
        }
    }
    let mut out = Vec::new();
    for (value, &[left, top, right, bottom]) in boxes.iter().enumerate().filter(|(_, b)| b[0] != usize::MAX) {
        let (columns, rows) = (right - left + 5, bottom - top + 5);
        let mut mask = vec![false; columns * rows];
        for row in top..=bottom {
            for column in left..=right {
                let inside = usize::from(key(slice[column + width * row])) == value;
                mask[column - left + 2 + columns * (row - top + 2)] = inside;
            }
        }
        let start = out.len();
        out.extend([value as f32, 0.0]);
        trace(&blurred(&mask, columns), columns, [left as f32 - 2.0, top as f32 - 2.0], &mut out);
        out[start + 1] = (out.len() - start - 2) as f32;
    }
    out
}

/// (1 2 1)/4 along both axes, but never below one half at a voxel that is inside: what is thin is not lost.
fn blurred(mask: &[bool], width: usize) -> Vec<f32> {
    let one = |at: usize| f32::from(u8::from(mask[at]));
    let mut across = vec![0.0; mask.len()];
    for n in 1..mask.len() - 1 {
        across[n] = (one(n - 1) + 2.0 * one(n) + one(n + 1)) / 4.0;
    }
    let mut out = vec![0.0; mask.len()];
    for n in width..mask.len() - width {
        let value: f32 = (across[n - width] + 2.0 * across[n] + across[n + width]) / 4.0;
        out[n] = if mask[n] { value.max(0.55) } else { value.min(0.45) };
    }
    out
}

/// The border of a mask, half way between the centres inside and outside: lines of four numbers, voxel indices across and
/// down. Outside of the slice there is nothing.
///
/// # Panics
/// When the mask is no whole rows.
pub fn outline(mask: &[u8], width: usize) -> Vec<f32> {
    assert!(width > 0 && mask.len().is_multiple_of(width));
    let columns = width + 2;
    let mut field = vec![0.0; columns * (mask.len() / width + 2)];
    for (at, _) in mask.iter().enumerate().filter(|(_, &voxel)| voxel != 0) {
        field[at % width + 1 + columns * (at / width + 1)] = 1.0;
    }
    let mut lines = Vec::new();
    trace(&field, columns, [-1.0, -1.0], &mut lines);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Whether a centre is inside lines, by the crossings of a ray to the right, a little below so that it meets no corner.
    fn is_inside(lines: &[f32], x: f32, y: f32) -> bool {
        let y = y + 0.001;
        let (lines, rest) = lines.as_chunks::<4>();
        assert!(rest.is_empty());
        let crossed = lines
            .iter()
            .filter(|[x0, y0, x1, y1]| (*y0 > y) != (*y1 > y) && x < x0 + (y - y0) * (x1 - x0) / (y1 - y0));
        crossed.count() % 2 == 1
    }

    fn parts(mut out: &[f32]) -> Vec<(u8, &[f32])> {
        let mut parts = vec![];
        while let [value, count, rest @ ..] = out {
            let (lines, next) = rest.split_at(*count as usize);
            parts.push((*value as u8, lines));
            out = next;
        }
        parts
    }

    #[test]
    fn contours_surround_the_centres_of_each_shown_value_and_no_others() {
        let mut random = Random(6);
        for round in 0..30 {
            let (width, height) = (1 + random.below(20), 1 + random.below(20));
            // blobs, and lone voxels
            let slice: Vec<u8> = (0..width * height)
                .map(|at| if random.below(9) == 0 { 3 } else { [0, 3, 5][at % width / 7 % 3] })
                .collect();
            let shown = core::array::from_fn(|v| v == 5 || v == 3 && round % 2 == 0);
            let out = contours(&slice, width, &shown, false);
            let found = parts(&out);
            for (value, lines) in &found {
                for (at, &label) in slice.iter().enumerate() {
                    let (x, y) = ((at % width) as f32, (at / width) as f32);
                    assert_eq!(is_inside(lines, x, y), label == *value, "{value} at {x} {y}");
                }
            }
            let there = |v: u8| shown[usize::from(v)] && slice.contains(&v);
            assert_eq!(
                found.iter().map(|p| p.0).collect::<Vec<_>>(),
                [3, 5].into_iter().filter(|&v| there(v)).collect::<Vec<_>>()
            );
            let one = contours(&slice, width, &shown, true);
            for (_, lines) in parts(&one) {
                for (at, &label) in slice.iter().enumerate() {
                    let (x, y) = ((at % width) as f32, (at / width) as f32);
                    assert_eq!(is_inside(lines, x, y), shown[usize::from(label)], "one at {x} {y}");
                }
            }
        }
    }

    #[test]
    fn contours_are_rounder_than_voxels() {
        let slice: Vec<u8> = (0..40 * 30)
            .map(|at| u8::from(((at % 40) as f64 - 20.0).hypot((at / 40) as f64 - 15.0) < 12.0) * 4)
            .collect();
        let out = contours(&slice, 40, &[true; LABELS], false);
        let [(4, lines)] = parts(&out)[..] else { panic!("one value") };
        let length: f32 = lines.as_chunks::<4>().0.iter().map(|l| (l[2] - l[0]).hypot(l[3] - l[1])).sum();
        let circle = 2.0 * core::f32::consts::PI * 12.0;
        assert!((length / circle - 1.0).abs() < 0.06, "{length}");
    }

    #[test]
    fn outline_surrounds_the_voxels_up_to_the_border_half_a_voxel_away() {
        let mut random = Random(9);
        for _ in 0..40 {
            let (width, height) = (1 + random.below(9), 1 + random.below(9));
            let mask: Vec<u8> = (0..width * height).map(|_| u8::from(random.below(5) < 2)).collect();
            let lines = outline(&mask, width);
            assert!(lines.iter().all(|&v| (v * 2.0).fract() == 0.0 && v >= -0.5));
            for (at, &voxel) in mask.iter().enumerate() {
                let (x, y) = ((at % width) as f32, (at / width) as f32);
                assert_eq!(is_inside(&lines, x, y), voxel == 1);
            }
        }
        assert!(outline(&[0; 12], 4).is_empty());
    }
}
