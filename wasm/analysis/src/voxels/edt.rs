//! Exact Euclidean distance to a set of voxels, in time linear in the number of voxels.

use volume::Shape;

/// Squared distances from here on are not told apart; also the answer when the set is empty.
pub const FAR: u16 = u16::MAX;
/// Columns copied out together: one cache line of u16.
const TILE: usize = 32;

/// Squared distance in voxels² from every voxel's centre to the nearest centre of the set of voxels with
/// `is_feature(mark)`; 0 inside the set, `FAR` when the true value is 65535 or more.
///
/// # Shape
/// `marks` and the result: `shape`, i fastest. Allocates two arrays of u16 and frees one.
///
/// # Exactness
/// Integers throughout; equal to comparing all pairs.
///
/// # Source
/// Felzenszwalb & Huttenlocher 2012, doi:10.4086/toc.2012.v008a019: lower envelope of parabolas, one axis after the
/// other. Differs: the boundaries between parabolas are whole voxels (as in Meijster, Roerdink & Hesselink 2000,
/// doi:10.1007/0-306-47025-X_36), and an axis is cut at its zeros, beyond which no parabola reaches.
pub fn squared_distance(marks: &[u8], shape: Shape, is_feature: impl Fn(u8) -> bool + Sync) -> Vec<u16> {
    let [nx, ny, nz] = shape;
    assert_eq!(marks.len(), nx * ny * nz);
    if marks.is_empty() {
        return Vec::new();
    }
    // Axes i, k, j: a part owns one j, so that the third axis is swept inside contiguous memory.
    let mut planes = vec![0u16; marks.len()];
    parallel::for_each_chunk(&mut planes, nx * nz, |j, plane| {
        for (k, row) in plane.chunks_exact_mut(nx).enumerate() {
            scan_row(row, &marks[nx * (j + ny * k)..][..nx], &is_feature);
        }
        sweep_columns(plane, nx, nz);
    });
    let mut out = vec![0u16; marks.len()];
    parallel::for_each_chunk(&mut out, nx * ny, |k, plane| {
        for (j, row) in plane.chunks_exact_mut(nx).enumerate() {
            row.copy_from_slice(&planes[nx * (k + nz * j)..][..nx]);
        }
        sweep_columns(plane, nx, ny);
    });
    out
}

/// Squared distance along one row.
fn scan_row(row: &mut [u16], marks: &[u8], is_feature: &impl Fn(u8) -> bool) {
    let mut steps = FAR;
    for (value, &mark) in row.iter_mut().zip(marks) {
        steps = if is_feature(mark) { 0 } else { steps.saturating_add(1) };
        *value = steps;
    }
    steps = FAR;
    for value in row.iter_mut().rev() {
        steps = if *value == 0 { 0 } else { steps.saturating_add(1) };
        let nearest = u32::from(steps.min(*value));
        *value = (nearest * nearest.min(u32::from(FAR))).min(u32::from(FAR)) as u16;
    }
}

/// Replaces each column of a plane (`width` values per row) by the lower envelope of its parabolas.
fn sweep_columns(plane: &mut [u16], width: usize, height: usize) {
    let mut columns = vec![0u16; TILE * height];
    let mut column = vec![0u16; height];
    let mut envelope = Envelope { apex: vec![0; height], start: vec![0; height] };
    for first in (0..width).step_by(TILE) {
        let tile = TILE.min(width - first);
        for (at, row) in plane.chunks_exact(width).enumerate() {
            for (t, &value) in row[first..first + tile].iter().enumerate() {
                columns[t * height + at] = value;
            }
        }
        for values in columns.chunks_exact_mut(height).take(tile) {
            envelope.sweep(values, &mut column);
        }
        for (at, row) in plane.chunks_exact_mut(width).enumerate() {
            for (t, value) in row[first..first + tile].iter_mut().enumerate() {
                *value = columns[t * height + at];
            }
        }
    }
}

/// Parabolas of the lower envelope: their apex and the first place where each is the lowest.
struct Envelope {
    apex: Vec<i32>,
    start: Vec<i32>,
}

impl Envelope {
    /// Writes min over q of (p - q)² + values[q] to every p. `before` is scratch of the same length.
    fn sweep(&mut self, values: &mut [u16], before: &mut [u16]) {
        before.copy_from_slice(values);
        let mut at = 0;
        while at < values.len() {
            if values[at] == 0 {
                at += 1;
                continue;
            }
            let run = before[at..].iter().position(|&v| v == 0).unwrap_or(values.len() - at);
            // The zeros on both sides belong to the run: they are the only ones that reach into it.
            let low = at.saturating_sub(1);
            let high = (at + run + 1).min(values.len());
            self.sweep_run(&before[low..high], &mut values[low..high]);
            at = high;
        }
    }

    fn sweep_run(&mut self, before: &[u16], out: &mut [u16]) {
        let n = before.len() as i32;
        let height = |p: i32, q: i32| (p - q) * (p - q) + i32::from(before[q as usize]);
        let mut count = 0;
        for q in (0..n).filter(|&q| before[q as usize] < FAR) {
            while count > 0 {
                let start = self.start[count - 1];
                if height(start, self.apex[count - 1]) <= height(start, q) {
                    break;
                }
                count -= 1;
            }
            let mut start = 0;
            if count > 0 {
                let p = self.apex[count - 1];
                start = 1 + (height(0, q) - height(0, p)).div_euclid(2 * (q - p));
                if start >= n {
                    continue;
                }
            }
            self.apex[count] = q;
            self.start[count] = start;
            count += 1;
        }
        for k in 0..count {
            let end = if k + 1 < count { self.start[k + 1] } else { n };
            let (apex, base) = (self.apex[k], i32::from(before[self.apex[k] as usize]));
            let places = &mut out[self.start[k] as usize..end as usize];
            for (step, value) in (self.start[k] - apex..).zip(places) {
                *value = (step * step + base).min(i32::from(FAR)) as u16;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;

    fn naive(marks: &[u8], shape: Shape) -> Vec<u16> {
        let place = |v: usize| [v % shape[0], v / shape[0] % shape[1], v / shape[0] / shape[1]];
        let set: Vec<_> = (0..marks.len()).filter(|&v| marks[v] == 1).map(place).collect();
        let squared =
            |a: [usize; 3], b: [usize; 3]| (0..3).map(|c| a[c].abs_diff(b[c]).pow(2)).sum::<usize>();
        (0..marks.len())
            .map(|v| set.iter().map(|&q| squared(place(v), q)).min().unwrap_or(usize::MAX))
            .map(|d| d.min(65535) as u16)
            .collect()
    }

    #[test]
    fn squared_distance_agrees_with_all_pairs() {
        let mut random = Random::new(81);
        for shape in [[13, 9, 11], [40, 3, 5], [1, 17, 6], [2, 1, 33], [35, 34, 1], [7, 8, 9]] {
            for rarity in [2, 9, 60, 400] {
                let marks: Vec<u8> =
                    (0..shape.iter().product()).map(|_| u8::from(random.below(rarity) == 0)).collect();
                assert_eq!(squared_distance(&marks, shape, |m| m == 1), naive(&marks, shape));
            }
        }
    }

    #[test]
    fn squared_distance_saturates_beyond_u16() {
        for shape in [[300, 2, 2], [2, 300, 2], [2, 2, 300], [200, 190, 3]] {
            let mut marks = vec![0u8; shape.iter().product()];
            marks[0] = 1;
            assert_eq!(squared_distance(&marks, shape, |m| m == 1), naive(&marks, shape));
        }
    }

    #[test]
    fn squared_distance_of_an_empty_set_is_far() {
        assert!(squared_distance(&[0; 60], [3, 4, 5], |m| m == 1).iter().all(|&d| d == FAR));
        assert!(squared_distance(&[], [0, 4, 5], |m| m == 1).is_empty());
    }
}
