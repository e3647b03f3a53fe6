//! The subject on the template's grid, through the affine only.

use crate::atlas::{Atlas, ATLAS_SHAPE};
use crate::sample::trilinear_zero;
use parallel::for_each_chunk;
use volume::{Affine, Error, Grid};

/// Largest sum of eight bytes.
const LARGEST: usize = 8 * 255;

/// The conformed subject at 2 mm (mean of 2x2x2 voxels) divided by the 98th percentile of what is not 0, sampled
/// once at the points of the template, 0 outside. Unlike the affine registration it keeps bright fat.
///
/// # Errors
/// `volume.affine_singular`; `engine.unsupported_input` (`empty`); `internal` when an axis is odd or the array does not fit.
pub fn aligned(conformed: &[u8], grid: &Grid, subject_from_atlas: &Affine) -> Result<Vec<f32>, Error> {
    let shape = grid.shape.map(|n| n / 2);
    if grid.shape.iter().any(|n| n % 2 != 0) || conformed.len() != grid.count() {
        return Err(Error::misuse("Cannot align subject: array and even grid do not fit"));
    }
    let sums = block_sums(conformed, grid.shape);
    let unit =
        percentile_98(&sums).ok_or_else(|| Error::unsupported("empty", "Cannot align subject: all 0"))?;
    let small: Vec<f32> = sums.iter().map(|&s| f32::from(s) / unit).collect();
    let to_index = grid.ras_from_ijk.invert()?.compose(subject_from_atlas);
    let [nx, ny, nz] = ATLAS_SHAPE;
    let mut out = vec![0f32; nx * ny * nz];
    for_each_chunk(&mut out, nx * ny, |k, slice| {
        for (at, value) in slice.iter_mut().enumerate() {
            let ijk = [(at % nx) as f64, (at / nx) as f64, k as f64];
            // The centre of a block of two lies half a voxel after its first.
            let p = to_index.apply(Atlas::mm(ijk)).map(|v| (v - 0.5) / 2.0);
            *value = trilinear_zero(&small, shape, p) as f32;
        }
    });
    Ok(out)
}

fn block_sums(src: &[u8], [nx, ny, nz]: [usize; 3]) -> Vec<u16> {
    let mut out = vec![0u16; nx * ny * nz / 8];
    for_each_chunk(&mut out, nx * ny / 4, |k, slice| {
        for (j, row) in slice.chunks_exact_mut(nx / 2).enumerate() {
            for (dj, dk) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let from = &src[nx * (2 * j + dj + ny * (2 * k + dk))..][..nx];
                for (to, pair) in row.iter_mut().zip(from.chunks_exact(2)) {
                    *to += u16::from(pair[0]) + u16::from(pair[1]);
                }
            }
        }
    });
    out
}

/// 98th percentile of the sums above 0, linear between order statistics.
fn percentile_98(sums: &[u16]) -> Option<f32> {
    let mut counts = [0usize; LARGEST + 1];
    sums.iter().filter(|&&s| s > 0).for_each(|&s| counts[usize::from(s)] += 1);
    let position = 0.98 * counts.iter().sum::<usize>().checked_sub(1)? as f64;
    let value = |order: usize| {
        let mut seen = 0;
        counts.iter().position(|&c| {
            seen += c;
            seen > order
        })
    };
    let (low, high) = (value(position.floor() as usize)? as f64, value(position.ceil() as usize)? as f64);
    Some((low + (high - low) * position.fract()) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::block_mean_2;
    use crate::percentile::percentile;
    use crate::random::Random;

    #[test]
    fn aligned_agrees_with_means_in_single_precision() {
        let mut random = Random::new(91);
        let shape = [48, 40, 44];
        let voxels: Vec<u8> =
            (0..48 * 40 * 44).map(|_| (random.below(400) as u8).saturating_sub(90)).collect();
        let axes = [[-3.9, 0.2, 0.1], [0.0, 0.3, 4.2], [0.1, -4.1, 0.2]];
        let grid = Grid::new(shape, Affine::from_parts(axes, [80.0, -110.0, 90.0])).unwrap();
        let affine =
            Affine::from_parts([[1.1, 0.1, 0.0], [0.0, 0.9, 0.2], [0.1, -0.1, 1.0]], [3.0, 5.0, -2.0]);
        let got = aligned(&voxels, &grid, &affine).unwrap();
        let mean = block_mean_2(&voxels, shape, &std::array::from_fn(|v| v as f32));
        let mut positive: Vec<f32> = mean.iter().copied().filter(|&v| v > 0.0).collect();
        let unit = percentile(&mut positive, 98.0).unwrap();
        let from = Affine::from_parts(axes.map(|r| r.map(|v| 2.0 * v)), grid.ras_from_ijk.apply([0.5; 3]))
            .invert()
            .unwrap();
        let mut bright = 0;
        for (at, &g) in got.iter().enumerate().step_by(13) {
            let ijk = [at % 91, at / 91 % 109, at / (91 * 109)].map(|v| v as f64);
            let p = from.apply(affine.apply(Atlas::mm(ijk)));
            let want = trilinear_zero(&mean, shape.map(|n| n / 2), p) / unit;
            assert!((f64::from(g) - want).abs() < 1e-5);
            bright += usize::from(g > 0.1);
        }
        assert!(bright > 10_000);
    }

    #[test]
    fn aligned_refuses_an_empty_subject() {
        let grid = Grid::new([4; 3], Affine::IDENTITY).unwrap();
        assert_eq!(aligned(&[0; 64], &grid, &Affine::IDENTITY).unwrap_err().reason(), "empty");
    }
}
