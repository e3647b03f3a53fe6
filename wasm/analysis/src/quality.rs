//! Figures for quality control: noise and contrast of the images, and where the regions lie in the atlas.

use crate::atlas::CLASSES;
use crate::numbers::percentile::percentile;
use crate::registration::velocity::Displacement;
use crate::tissue::prior::{Prior, Window};
use crate::voxels::conform::{Conformed, SIDE};
use crate::voxels::output::Frame;
use volume::Affine;

/// Class of cerebral white matter.
const WHITE: usize = 3;
/// Prior above which a voxel is white matter beyond doubt.
const CERTAIN: f32 = 0.95;
/// Standard deviation of a normal distribution over its median absolute deviation.
const SD_OF_MAD: f64 = 1.4826;
/// Side of the cubes in the corners of the field of view, voxels.
const CORNER: usize = 12;

/// Median and robust standard deviation of the bias-corrected intensity in certain white matter; `None` with fewer than
/// 100 such voxels.
pub fn white_matter(corrected: &[f32], prior: &Prior) -> Option<(f64, f64)> {
    let mut values: Vec<f32> = prior
        .class
        .chunks_exact(CLASSES)
        .zip(corrected)
        .filter(|(class, _)| class[WHITE] > CERTAIN)
        .map(|(_, &y)| y)
        .collect();
    if values.len() < 100 {
        return None;
    }
    let median = percentile(&mut values, 50.0)?;
    values.iter_mut().for_each(|v| *v = (*v - median as f32).abs());
    Some((median, SD_OF_MAD * percentile(&mut values, 50.0)?))
}

/// Standard deviation of the conformed intensity in the corners of the field of view: the median of the eight cubes.
/// `None` where the scanner or a defacing step has zeroed the air (fewer than half of the cubes' voxels differ from 0).
pub fn air_sd(conformed: &Conformed, frame: &Frame) -> Option<f64> {
    let shape = frame.grid.shape;
    let mut sds: Vec<f32> = Vec::with_capacity(8);
    for corner in 0..8usize {
        let low = [0, 1, 2].map(|a| if corner >> a & 1 == 1 { shape[a].saturating_sub(CORNER) } else { 0 });
        let high = [0, 1, 2].map(|a| (low[a] + CORNER).min(shape[a]));
        let mut values = Vec::new();
        for k in low[2]..high[2] {
            for j in low[1]..high[1] {
                for i in low[0]..high[0] {
                    let [x, y, z] = frame.conformed_ijk([i, j, k]);
                    values.push(f64::from(conformed.voxels[x + SIDE * (y + SIDE * z)]));
                }
            }
        }
        let n = values.len() as f64;
        if (values.iter().filter(|&&v| v > 0.0).count() as f64) < 0.5 * n {
            continue;
        }
        let mean = values.iter().sum::<f64>() / n;
        sds.push((values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt() as f32);
    }
    if sds.len() < 4 {
        return None;
    }
    percentile(&mut sds, 50.0).filter(|&sd| sd > 0.0)
}

/// How much of the image is detail: mean square of the difference between neighbours over that between next neighbours,
/// along each axis of the conformed grid, in the brain.
///
/// A straight edge gives 0.25 and noise 1; images of 1 mm gave 0.33 to 0.43, voxels of 2 mm brought to 1 mm 0.27 to 0.28,
/// slices of 3 mm 0.29 across them (`docs/accuracy.md`). 0 without a brain.
pub fn sharpness(conformed: &[u8], labels: &[u8], window: &Window) -> [f64; 3] {
    let [nx, ny, _] = window.shape;
    let steps = [1, nx, nx * ny];
    let value = |at: usize| {
        let [i, j, k] = window.ijk(at);
        i32::from(conformed[i + SIDE * (j + SIDE * k)])
    };
    [0, 1, 2].map(|axis| {
        let step = steps[axis];
        let (mut near, mut far) = (0u64, 0u64);
        for at in 0..labels.len() {
            let along = at / step % window.shape[axis];
            if along + 2 >= window.shape[axis] {
                continue;
            }
            let line = [at, at + step, at + 2 * step];
            if line.iter().any(|&v| labels[v] == 0) {
                continue;
            }
            let [a, b, c] = line.map(value);
            near += u64::from((b - a).unsigned_abs().pow(2));
            far += u64::from((c - a).unsigned_abs().pow(2));
        }
        if far == 0 {
            0.0
        } else {
            near as f64 / far as f64
        }
    })
}

/// Centre of each label of the window in atlas mm, by label; `None` for labels without voxels.
///
/// # Arguments
/// * `atlas_from_ijk` - index of the conformed grid to atlas mm by the affine; `warp` goes on from there
pub fn centres_in_atlas(
    labels: &[u8],
    window: &Window,
    atlas_from_ijk: &Affine,
    warp: Option<&Displacement>,
) -> Vec<Option<[f64; 3]>> {
    let mut sums = vec![([0f64; 3], 0usize); 256];
    for (at, &label) in labels.iter().enumerate().filter(|(_, &l)| l > 0) {
        let ijk = window.ijk(at);
        let (sum, n) = &mut sums[label as usize];
        (0..3).for_each(|a| sum[a] += ijk[a] as f64);
        *n += 1;
    }
    let centre = |(sum, n): &([f64; 3], usize)| {
        (*n > 0).then(|| {
            let mm = atlas_from_ijk.apply(sum.map(|v| v / *n as f64));
            warp.map_or(mm, |w| w.displaced(mm))
        })
    };
    sums[..crate::atlas::LABEL_COUNT].iter().map(centre).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;
    use crate::voxels::conform::conformed_grid;
    use volume::Grid;

    fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    #[test]
    fn white_matter_ignores_outliers_and_uncertain_voxels() {
        let mut random = Random::new(71);
        let n = 9000;
        let mut class = vec![0f32; n * CLASSES];
        let mut y = vec![0f32; n];
        for v in 0..n {
            let certain = v % 3 != 0;
            class[v * CLASSES + WHITE] = if certain { 0.99 } else { 0.5 };
            let value = if certain { 1.02 + 0.06 * normal(&mut random) } else { 0.2 };
            y[v] = if v % 20 == 1 { 0.1 } else { value as f32 };
        }
        let prior = Prior {
            window: Window { low: [0; 3], shape: [n, 1, 1] },
            voxels: (0..n as u32).collect(),
            class,
            best: vec![],
        };
        let (median, sd) = white_matter(&y, &prior).unwrap();
        assert!((median - 1.02).abs() < 0.01 && (sd - 0.06).abs() < 0.008, "{median} {sd}");
    }

    #[test]
    fn air_sd_measures_noise_and_knows_zeroed_air() {
        let source =
            Grid::new([60, 70, 80], Affine::from_parts([[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]], [0.; 3]))
                .unwrap();
        let grid = conformed_grid(&source);
        let frame = Frame::new(&grid, &source).unwrap();
        let mut random = Random::new(72);
        let noisy: Vec<u8> =
            (0..grid.count()).map(|_| (20.0 + 4.0 * normal(&mut random)).clamp(0.0, 255.0) as u8).collect();
        let sd = air_sd(&Conformed { voxels: noisy, grid }, &frame).unwrap();
        assert!((sd - 4.0).abs() < 0.4, "{sd}");
        assert!(air_sd(&Conformed { voxels: vec![0; grid.count()], grid }, &frame).is_none());
    }

    #[test]
    fn sharpness_tells_noise_from_ramps_along_each_axis() {
        let mut random = Random::new(73);
        let window = Window { low: [5, 6, 7], shape: [30, 30, 30] };
        let mut conformed = vec![0u8; SIDE * SIDE * SIDE];
        for at in 0..27_000 {
            let [i, j, k] = window.ijk(at);
            // a ramp along i, the same along j, and noise from slice to slice
            conformed[i + SIDE * (j + SIDE * k)] = (3 * i) as u8;
        }
        let ramp = sharpness(&conformed, &vec![1; 27_000], &window);
        assert_eq!(ramp, [0.25, 0.0, 0.0]);
        for at in 0..27_000 {
            let [i, j, k] = window.ijk(at);
            conformed[i + SIDE * (j + SIDE * k)] = (100.0 + 10.0 * normal(&mut random)) as u8;
        }
        let noise = sharpness(&conformed, &vec![1; 27_000], &window);
        assert!(noise.iter().all(|s| (s - 1.0).abs() < 0.05), "{noise:?}");
        assert_eq!(sharpness(&conformed, &vec![0; 27_000], &window), [0.0; 3]);
    }

    #[test]
    fn centres_in_atlas_follow_the_affine() {
        let window = Window { low: [10, 20, 30], shape: [5, 5, 5] };
        let mut labels = vec![0u8; 125];
        labels[0] = 7;
        labels[4] = 7;
        labels[124] = 9;
        let turn = Affine::from_parts([[0., 2., 0.], [1., 0., 0.], [0., 0., -1.]], [1., 2., 3.]);
        let centres = centres_in_atlas(&labels, &window, &turn, None);
        assert_eq!(centres[7], Some([41.0, 14.0, -27.0]));
        assert_eq!(centres[9], Some([49.0, 16.0, -31.0]));
        assert_eq!(centres[8], None);
    }
}
