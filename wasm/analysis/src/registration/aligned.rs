//! The subject on the template's grid, through the affine only.

use crate::atlas::{Atlas, ATLAS_SHAPE};
use crate::numbers::percentile::percentile;
use crate::voxels::filter::block_mean_2;
use crate::voxels::sample::trilinear_zero;
use parallel::for_each_chunk;
use volume::{Affine, Error, Grid};

/// The conformed subject at 2 mm (mean of 2x2x2 voxels) divided by the 98th percentile of what is not 0, sampled
/// once at the points of the template, 0 outside. Unlike the affine registration it keeps bright fat.
///
/// # Errors
/// `volume.affine_singular`; `engine.unsupported_input` (`empty`); `internal` when an axis is odd or the array does not fit.
pub fn resample_to_atlas(
    conformed: &[u8],
    grid: &Grid,
    subject_from_atlas: &Affine,
) -> Result<Vec<f32>, Error> {
    let shape = grid.shape.map(|n| n / 2);
    if grid.shape.iter().any(|n| n % 2 != 0) || conformed.len() != grid.count() {
        return Err(Error::misuse("Cannot align subject: array and even grid do not fit"));
    }
    let small = block_mean_2(conformed, grid.shape, &std::array::from_fn(|v| v as f32));
    let mut positive: Vec<f32> = small.iter().copied().filter(|&v| v > 0.0).collect();
    let unit = percentile(&mut positive, 98.0);
    let scale =
        1.0 / unit.ok_or_else(|| Error::unsupported("empty", "Cannot align subject: all voxels are 0"))?;
    drop(positive);
    let to_index = grid.ras_from_ijk.invert()?.compose(subject_from_atlas);
    let [nx, ny, nz] = ATLAS_SHAPE;
    let mut out = vec![0f32; nx * ny * nz];
    for_each_chunk(&mut out, nx * ny, |k, slice| {
        for (at, value) in slice.iter_mut().enumerate() {
            let ijk = [(at % nx) as f64, (at / nx) as f64, k as f64];
            // The centre of a block of two lies half a voxel after its first.
            let p = to_index.apply(Atlas::mm(ijk)).map(|v| (v - 0.5) / 2.0);
            *value = (trilinear_zero(&small, shape, p) * scale) as f32;
        }
    });
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;

    #[test]
    fn aligned_agrees_with_means_by_definition() {
        let mut random = Random::new(91);
        let shape = [48, 40, 44];
        let voxels: Vec<u8> =
            (0..48 * 40 * 44).map(|_| (random.below(400) as u8).saturating_sub(90)).collect();
        let axes = [[-3.9, 0.2, 0.1], [0.0, 0.3, 4.2], [0.1, -4.1, 0.2]];
        let grid = Grid::new(shape, Affine::from_parts(axes, [80.0, -110.0, 90.0])).unwrap();
        let affine =
            Affine::from_parts([[1.1, 0.1, 0.0], [0.0, 0.9, 0.2], [0.1, -0.1, 1.0]], [3.0, 5.0, -2.0]);
        let got = resample_to_atlas(&voxels, &grid, &affine).unwrap();
        // Means by definition, and the percentile by sorting.
        let at = |i: usize, j: usize, k: usize| f64::from(voxels[i + 48 * (j + 40 * k)]);
        let mean: Vec<f32> = (0..24 * 20 * 22)
            .map(|v| {
                let [i, j, k] = [v % 24, v / 24 % 20, v / 480].map(|c| 2 * c);
                let eight = (0..8).map(|n| at(i + n % 2, j + n / 2 % 2, k + n / 4));
                (eight.sum::<f64>() / 8.0) as f32
            })
            .collect();
        let mut sorted: Vec<f32> = mean.iter().copied().filter(|&v| v > 0.0).collect();
        sorted.sort_by(f32::total_cmp);
        let place = 0.98 * (sorted.len() - 1) as f64;
        let [low, high] = [place.floor(), place.ceil()].map(|p| f64::from(sorted[p as usize]));
        let unit = low + (high - low) * place.fract();
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
        assert_eq!(resample_to_atlas(&[0; 64], &grid, &Affine::IDENTITY).unwrap_err().reason(), "empty");
    }
}
