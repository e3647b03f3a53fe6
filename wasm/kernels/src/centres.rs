//! Where each label is: a voxel in its middle, and the box of all.

use crate::colours::LABELS;

/// Marks a label that does not occur.
pub const ABSENT: u32 = u32::MAX;

/// For every label the index of its voxel nearest to its centre of gravity, or [`ABSENT`].
///
/// A crescent's centre of gravity lies outside it; the voxel returned always carries the label. Ties go to the
/// lowest index.
///
/// # Shape
/// `labels` is [nx, ny, nz], i fastest.
pub fn label_centres(labels: &[u8], shape: [usize; 3]) -> [u32; LABELS] {
    let [nx, ny, _] = shape;
    let mut sums = [[0f64; 4]; LABELS];
    for (row, voxels) in labels.chunks_exact(nx).enumerate() {
        let (j, k) = ((row % ny) as f64, (row / ny) as f64);
        for (i, &label) in voxels.iter().enumerate() {
            if label != 0 {
                let sum = &mut sums[usize::from(label)];
                sum[0] += i as f64;
                sum[1] += j;
                sum[2] += k;
                sum[3] += 1.0;
            }
        }
    }
    let mut best = [(f64::INFINITY, ABSENT); LABELS];
    for (row, voxels) in labels.chunks_exact(nx).enumerate() {
        let (j, k) = ((row % ny) as f64, (row / ny) as f64);
        for (i, &label) in voxels.iter().enumerate() {
            if label != 0 {
                let [x, y, z, n] = sums[usize::from(label)];
                let (dx, dy, dz) = (i as f64 - x / n, j - y / n, k - z / n);
                let distance = dx * dx + dy * dy + dz * dz;
                let slot = &mut best[usize::from(label)];
                if distance < slot.0 {
                    *slot = (distance, (row * nx + i) as u32);
                }
            }
        }
    }
    best.map(|(_, index)| index)
}

/// Smallest box that holds every labelled voxel: first and last index on each axis, [i0, i1, j0, j1, k0, k1].
/// `None` when nothing is labelled.
pub fn label_bounds(labels: &[u8], shape: [usize; 3]) -> Option<[u32; 6]> {
    let [nx, ny, _] = shape;
    let mut bounds: Option<[u32; 6]> = None;
    for (row, voxels) in labels.chunks_exact(nx).enumerate() {
        let Some(first) = voxels.iter().position(|&label| label != 0) else {
            continue;
        };
        let last = voxels.iter().rposition(|&label| label != 0).unwrap_or(first);
        let (j, k) = ((row % ny) as u32, (row / ny) as u32);
        let [i0, i1, j0, j1, k0, k1] = bounds.unwrap_or([u32::MAX, 0, u32::MAX, 0, u32::MAX, 0]);
        bounds =
            Some([i0.min(first as u32), i1.max(last as u32), j0.min(j), j1.max(j), k0.min(k), k1.max(k)]);
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_bounds_equals_looking_at_every_voxel() {
        let shape = [7, 5, 6];
        assert_eq!(label_bounds(&[0; 210], shape), None);
        let mut state = 12345u32;
        for _ in 0..200 {
            let mut labels = vec![0u8; 210];
            let mut naive = [u32::MAX, 0, u32::MAX, 0, u32::MAX, 0];
            for _ in 0..3 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = (state >> 8) as usize % 210;
                labels[at] = 1 + (state >> 24) as u8 % 104;
                for (axis, index) in [at % 7, at / 7 % 5, at / 35].into_iter().enumerate() {
                    naive[2 * axis] = naive[2 * axis].min(index as u32);
                    naive[2 * axis + 1] = naive[2 * axis + 1].max(index as u32);
                }
            }
            assert_eq!(label_bounds(&labels, shape), Some(naive));
        }
    }

    #[test]
    fn label_centres_stays_inside_a_ring_and_reports_absence() {
        let (n, shape) = (9usize, [9, 9, 3]);
        let mut labels = vec![0u8; n * n * 3];
        for j in 0..n {
            for i in 0..n {
                let edge = i == 0 || j == 0 || i == n - 1 || j == n - 1;
                labels[n * n + j * n + i] = if edge { 5 } else { 0 };
            }
        }
        labels[n * n + 4 * n + 4] = 6;
        let centres = label_centres(&labels, shape);
        assert_eq!(labels[centres[5] as usize], 5);
        assert_eq!(centres[6], (n * n + 4 * n + 4) as u32);
        assert_eq!((centres[0], centres[7]), (ABSENT, ABSENT));
    }
}
