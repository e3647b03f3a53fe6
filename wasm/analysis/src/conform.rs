//! Any grid to 256^3 at 1 mm with axes left, inferior, anterior and the centre of the field of view kept.

use crate::filter::gaussian;
use volume::{Affine, Error, Grid};

/// Voxels along each axis of the conformed grid.
pub const SIDE: usize = 256;

/// Blur before resampling an axis when it is coarsened by more than this.
const ANTIALIAS_ABOVE: f64 = 1.3;
/// Sigma of that blur in source voxels per voxel of coarsening.
const ANTIALIAS_SIGMA: f64 = 0.42;
const BINS: usize = 1000;
/// Rounding of affines must not blacken the outermost voxels.
const EDGE: f64 = 1e-6;

/// Voxel types a source may have.
pub trait Voxel: Copy {
    fn to_f32(self) -> f32;
}

macro_rules! voxel {
    ($($t:ty),*) => { $(impl Voxel for $t { fn to_f32(self) -> f32 { self as f32 } })* };
}
voxel!(u8, i8, u16, i16, i32, f32);

/// A volume on the conformed grid, 0..255.
pub struct Conformed {
    pub voxels: Vec<u8>,
    pub grid: Grid,
}

/// The conformed grid of a source: the same middle as FreeSurfer's `mri_convert --conform`, where the centre of the
/// source's field of view falls on index 128.
pub fn conformed_grid(source: &Grid) -> Grid {
    let middle = source.shape.map(|n| (n as f64 - 1.0) / 2.0);
    let centre = source.ras_from_ijk.apply(middle);
    let half = SIDE as f64 / 2.0;
    let axes = [[-1., 0., 0.], [0., 0., 1.], [0., -1., 0.]];
    let origin = [centre[0] + half, centre[1] - half, centre[2] + half];
    Grid { shape: [SIDE; 3], ras_from_ijk: Affine::from_parts(axes, origin) }
}

/// Resamples to the conformed grid (trilinear, 0 outside) and scales to 8 bits. A volume that is on such a grid
/// already and holds whole numbers 0..255 passes unchanged.
///
/// # Errors
/// `engine.unsupported_input`: `empty` when all voxels are equal, `shape` when the array does not fit the grid or a
/// voxel is not finite.
///
/// # Source
/// FreeSurfer's conform and its robust histogram scaling; blur as `sigma = 0.42 * (1 mm / voxel)`.
pub fn conform<T: Voxel>(voxels: &[T], source: &Grid) -> Result<Conformed, Error> {
    if voxels.len() != source.count() {
        return Err(Error::unsupported("shape", "Cannot conform: voxel count and shape differ"));
    }
    if is_conformed(source) && voxels.iter().all(|v| is_byte(v.to_f32())) {
        return Ok(Conformed { voxels: voxels.iter().map(|v| v.to_f32() as u8).collect(), grid: *source });
    }
    let grid = conformed_grid(source);
    let sigma = source.ras_from_ijk.spacing_mm().map(|mm| {
        let coarsened = 1.0 / mm;
        if coarsened < ANTIALIAS_ABOVE {
            0.0
        } else {
            ANTIALIAS_SIGMA * coarsened
        }
    });
    let resampled = if sigma.iter().any(|&s| s > 0.0) {
        let mut blurred: Vec<f32> = voxels.iter().map(|v| v.to_f32()).collect();
        gaussian(&mut blurred, source.shape, sigma, 1);
        resample(&blurred, source, &grid)?
    } else {
        resample(voxels, source, &grid)?
    };
    Ok(Conformed { voxels: scale_to_bytes(&resampled)?, grid })
}

fn is_byte(v: f32) -> bool {
    (0.0..=255.0).contains(&v) && v.fract() == 0.0
}

fn is_conformed(grid: &Grid) -> bool {
    let axes = conformed_grid(grid).ras_from_ijk;
    grid.shape == [SIDE; 3] && (0..12).all(|at| (grid.ras_from_ijk.0[at] - axes.0[at]).abs() < 1e-3)
}

/// Trilinear values of `src` on the target grid; 0 where the position leaves the range of voxel centres.
///
/// # Errors
/// `volume.affine_singular`.
pub fn resample<T: Voxel>(src: &[T], from: &Grid, to: &Grid) -> Result<Vec<f32>, Error> {
    let map = from.ras_from_ijk.invert()?.compose(&to.ras_from_ijk);
    let [nx, ny, nz] = from.shape;
    let last = from.shape.map(|n| (n - 1) as f64);
    let mut out = vec![0f32; to.count()];
    let step = [map.at(0, 0), map.at(1, 0), map.at(2, 0)];
    let stride = [usize::from(nx > 1), if ny > 1 { nx } else { 0 }, if nz > 1 { nx * ny } else { 0 }];
    for k in 0..to.shape[2] {
        for j in 0..to.shape[1] {
            let start = map.apply([0.0, j as f64, k as f64]);
            let row = &mut out[to.index(0, j, k)..][..to.shape[0]];
            for (i, value) in row.iter_mut().enumerate() {
                let p = [0, 1, 2].map(|a| start[a] + step[a] * i as f64);
                if (0..3).any(|a| p[a] < -EDGE || p[a] > last[a] + EDGE) {
                    continue;
                }
                let p = [0, 1, 2].map(|a| p[a].clamp(0.0, last[a]));
                let low = [0, 1, 2].map(|a| (p[a] as usize).min(from.shape[a].saturating_sub(2)));
                let f = [0, 1, 2].map(|a| p[a] - low[a] as f64);
                let at = low[0] + nx * (low[1] + ny * low[2]);
                let v = |o: usize| f64::from(src[at + o].to_f32());
                let along = |o: usize| {
                    let a = v(o);
                    a + (v(o + stride[0]) - a) * f[0]
                };
                let plane = |o: usize| {
                    let a = along(o);
                    a + (along(o + stride[1]) - a) * f[1]
                };
                let a = plane(0);
                *value = (a + (plane(stride[2]) - a) * f[2]) as f32;
            }
        }
    }
    Ok(out)
}

/// Scales so that the minimum is 0 and the upper edge left after dropping the brightest 0.1 % of the non-zero voxels
/// is 255; rounds half to even.
pub fn scale_to_bytes(values: &[f32]) -> Result<Vec<u8>, Error> {
    if values.iter().any(|v| !v.is_finite()) {
        return Err(Error::unsupported("shape", "Cannot scale volume: a voxel is not a finite number"));
    }
    let low = f64::from(values.iter().copied().fold(f32::INFINITY, f32::min));
    let high = f64::from(values.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    if high <= low {
        return Err(Error::unsupported("empty", "Cannot scale volume: all voxels are equal"));
    }
    let width = (high - low) / BINS as f64;
    let mut counts = [0u64; BINS];
    let mut non_zero = 0u64;
    for &v in values {
        let bin = ((f64::from(v) - low) / width) as usize;
        counts[bin.min(BINS - 1)] += 1;
        non_zero += u64::from(v.abs() >= 1e-15);
    }
    // 0.1 % written as 1 - 0.999: the same rounding as the published scaling.
    let keep = values.len() as u64 - ((1.0 - 0.999) * non_zero as f64) as u64;
    let mut seen = 0;
    let bin = counts.iter().position(|&c| {
        seen += c;
        seen >= keep
    });
    let upper = low + width * (bin.unwrap_or(BINS - 1) + 1).min(BINS) as f64;
    let scale = 255.0 / (upper - low);
    Ok(values
        .iter()
        .map(|&v| ((f64::from(v) - low) * scale).clamp(0.0, 255.0).round_ties_even() as u8)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn linear(grid: &Grid) -> Vec<f32> {
        let [nx, ny, nz] = grid.shape;
        let mut out = Vec::new();
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    let p = grid.ras_from_ijk.apply([i as f64, j as f64, k as f64]);
                    out.push((100.0 + 0.5 * p[0] - 0.25 * p[1] + 0.75 * p[2]) as f32);
                }
            }
        }
        out
    }

    #[test]
    fn resample_reproduces_a_linear_field_through_an_oblique_left_handed_grid() {
        let turn =
            Affine::from_parts([[-1.1, 0.2, 0.1], [0.15, 1.2, -0.3], [0.1, 0.3, 1.4]], [10.0, -12.0, -9.0]);
        assert!(turn.determinant() < 0.0);
        let from = Grid::new([20, 22, 18], turn).unwrap();
        let to = Grid::new(
            [16, 16, 16],
            Affine::from_parts([[-1., 0., 0.], [0., 0., 1.], [0., -1., 0.]], [4., -2., 12.]),
        )
        .unwrap();
        let got = resample(&linear(&from), &from, &to).unwrap();
        let inside = from.ras_from_ijk.invert().unwrap();
        let mut checked = 0;
        for (at, want) in linear(&to).into_iter().enumerate() {
            let ijk = [at % 16, at / 16 % 16, at / 256].map(|v| v as f64);
            let p = inside.apply(to.ras_from_ijk.apply(ijk));
            if (0..3).all(|a| p[a] >= -EDGE && p[a] <= (from.shape[a] - 1) as f64 + EDGE) {
                assert!((got[at] - want).abs() < 1e-3);
                checked += 1;
            } else {
                assert_eq!(got[at], 0.0);
            }
        }
        assert!(checked > 500);
    }

    #[test]
    fn conform_passes_a_conformed_byte_volume_unchanged() {
        let grid = conformed_grid(&Grid::new([180, 200, 160], Affine::IDENTITY).unwrap());
        let mut random = Random::new(21);
        let voxels: Vec<u8> = (0..grid.count()).map(|_| random.below(256) as u8).collect();
        let out = conform(&voxels, &grid).unwrap();
        assert!(out.voxels == voxels && out.grid == grid);
    }

    #[test]
    fn conform_keeps_the_centre_of_the_field_of_view_at_index_128() {
        let affine = Affine::from_parts([[0., 0., 0.9], [1.1, 0., 0.], [0., -1.2, 0.]], [-70., -90., 110.]);
        let source = Grid::new([100, 120, 90], affine).unwrap();
        let grid = conformed_grid(&source);
        let centre = source.ras_from_ijk.apply([49.5, 59.5, 44.5]);
        let got = grid.ras_from_ijk.apply([128.0; 3]);
        assert!((0..3).all(|a| (got[a] - centre[a]).abs() < 1e-9));
    }

    #[test]
    fn scale_to_bytes_saturates_only_the_brightest_thousandth() {
        let mut values: Vec<f32> = (0..100_000).map(|v| v as f32 / 100.0).collect();
        values.extend([5000.0; 20]);
        let bytes = scale_to_bytes(&values).unwrap();
        assert_eq!(bytes[0], 0);
        assert!(bytes.iter().filter(|&&b| b == 255).count() < 400);
        assert!(bytes[99_000] > 240);
        assert_eq!(scale_to_bytes(&[3.0; 9]).unwrap_err().reason(), "empty");
    }
}
