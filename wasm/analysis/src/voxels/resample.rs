//! Label maps between grids: nearest voxel, 0 outside.

use volume::{Error, Grid};

/// Nearest value of `src` at every voxel of `to`; 0 where the nearest voxel lies outside. Halves round to the even voxel.
///
/// # Errors
/// `volume.affine_singular`; `internal` when the array does not fit its grid.
pub fn nearest<T: Copy + Default + Send + Sync>(src: &[T], from: &Grid, to: &Grid) -> Result<Vec<T>, Error> {
    if src.len() != from.count() {
        return Err(Error::misuse("Cannot resample labels: voxel count and shape differ"));
    }
    let map = from.ras_from_ijk.invert()?.compose(&to.ras_from_ijk);
    let mut out = vec![T::default(); to.count()];
    let [nx, ny, _] = to.shape;
    parallel::for_each_chunk(&mut out, nx * ny, |k, slice| {
        for (j, row) in slice.chunks_exact_mut(nx).enumerate() {
            let start = map.apply([0.0, j as f64, k as f64]);
            for (i, value) in row.iter_mut().enumerate() {
                let p = [0, 1, 2].map(|a| (start[a] + map.at(a, 0) * i as f64).round_ties_even());
                if (0..3).all(|a| p[a] >= 0.0 && p[a] < from.shape[a] as f64) {
                    *value = src[from.index(p[0] as usize, p[1] as usize, p[2] as usize)];
                }
            }
        }
    });
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;
    use volume::Affine;

    /// Searches every voxel for the closest centre.
    fn naive(src: &[u8], from: &Grid, p: [f64; 3]) -> (u8, f64) {
        let mut best = (0, f64::INFINITY);
        for k in 0..from.shape[2] {
            for j in 0..from.shape[1] {
                for i in 0..from.shape[0] {
                    let q = from.ras_from_ijk.apply([i as f64, j as f64, k as f64]);
                    let d = (0..3).map(|a| (p[a] - q[a]).powi(2)).sum::<f64>();
                    if d < best.1 {
                        best = (src[from.index(i, j, k)], d);
                    }
                }
            }
        }
        best
    }

    #[test]
    fn nearest_agrees_with_searching_an_oblique_grid() {
        let turn = Affine::from_parts([[0.8, 0.6, 0.], [-0.6, 0.8, 0.], [0., 0., -1.]], [1.0, 2.0, 9.0]);
        let from = Grid::new([6, 7, 5], turn).unwrap();
        let to = Grid::new(
            [9, 9, 9],
            Affine::from_parts([[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]], [0.137, 0.291, 2.213]),
        )
        .unwrap();
        let mut random = Random::new(71);
        let src: Vec<u8> = (0..210).map(|_| 1 + random.below(104) as u8).collect();
        let got = nearest(&src, &from, &to).unwrap();
        let mut inside = 0;
        for (at, &value) in got.iter().enumerate() {
            let p = to.ras_from_ijk.apply([at % 9, at / 9 % 9, at / 81].map(|v| v as f64));
            let (want, _) = naive(&src, &from, p);
            if value != 0 {
                assert_eq!(value, want);
                inside += 1;
            }
        }
        assert!(inside > 100);
    }
}
