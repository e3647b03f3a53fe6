//! Where a label lies and along what it stretches.

/// Sums over the voxels of a value on some slices: their number, i, j, k, and ii, ij, ik, jj, jk, kk.
///
/// # Shape
/// `labels` are whole slices, i fastest, the first of them slice `first`.
///
/// # Exactness
/// Exact while the sums are below 2^53.
pub fn moments(labels: &[u8], [nx, ny]: [usize; 2], first: usize, value: u8) -> [f64; 10] {
    let mut sums = [0.0; 10];
    for (row, voxels) in labels.chunks_exact(nx.max(1)).enumerate() {
        let (mut n, mut si, mut sii) = (0u64, 0u64, 0u64);
        for (i, _) in voxels.iter().enumerate().filter(|(_, &label)| label == value) {
            let i = i as u64;
            (n, si, sii) = (n + 1, si + i, sii + i * i);
        }
        if n == 0 {
            continue;
        }
        let (j, k) = ((row % ny) as f64, (first + row / ny) as f64);
        let (n, si, sii) = (n as f64, si as f64, sii as f64);
        let more = [n, si, n * j, n * k, sii, si * j, si * k, n * j * j, n * j * k, n * k * k];
        sums.iter_mut().zip(more).for_each(|(sum, part)| *sum += part);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn moments_equal_the_sums_over_every_voxel() {
        let mut random = Random(8);
        for _ in 0..20 {
            let [nx, ny, nz] = [0; 3].map(|_: usize| 1 + random.below(7));
            let labels: Vec<u8> = (0..nx * ny * nz).map(|_| random.below(3) as u8).collect();
            let mut naive = [0.0; 10];
            for (v, _) in labels.iter().enumerate().filter(|(_, &label)| label == 2) {
                let [i, j, k] = [v % nx, v / nx % ny, 4 + v / nx / ny].map(|n| n as f64);
                for (sum, part) in
                    naive.iter_mut().zip([1.0, i, j, k, i * i, i * j, i * k, j * j, j * k, k * k])
                {
                    *sum += part;
                }
            }
            assert_eq!(moments(&labels, [nx, ny], 4, 2), naive);
        }
    }
}
