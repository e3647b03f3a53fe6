use super::*;
use crate::numbers::random::Random;

const SHAPE: Shape = [48, 52, 46];

/// Blobs at fixed places in the patient, seen through a motion of the head.
fn head(ras_from_patient: &Affine, seed: u64, noise: f64) -> (Vec<f32>, Grid) {
    let mut random = Random::new(31);
    let blobs: Vec<([f64; 3], f64, f64)> = (0..40)
        .map(|_| ([0; 3].map(|_| random.range(-35.0, 35.0)), random.range(4.0, 12.0), random.range(0.3, 1.0)))
        .collect();
    let axes = [[-2.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, -2.0, 0.0]];
    let grid = Grid::new(SHAPE, Affine::from_parts(axes, [48.0, -46.0, 52.0])).unwrap();
    let patient_from_ras = ras_from_patient.invert().unwrap();
    let mut random = Random::new(seed);
    let mut voxels = Vec::with_capacity(grid.count());
    for k in 0..SHAPE[2] {
        for j in 0..SHAPE[1] {
            for i in 0..SHAPE[0] {
                let mm = grid.ras_from_ijk.apply([i as f64, j as f64, k as f64]);
                let p = patient_from_ras.apply(mm);
                let value: f64 = blobs
                    .iter()
                    .map(|(c, r, h)| {
                        let d: f64 = (0..3).map(|a| (p[a] - c[a]).powi(2)).sum();
                        h * (-0.5 * d / (r * r)).exp()
                    })
                    .sum();
                voxels.push((value + noise * (random.unit() - 0.5)) as f32);
            }
        }
    }
    (voxels, grid)
}

fn points() -> Vec<[f64; 3]> {
    let mut random = Random::new(33);
    (0..6000).map(|_| [0; 3].map(|_| random.range(-35.0, 35.0))).collect()
}

#[test]
fn register_halfway_recovers_a_known_motion_and_is_symmetric() {
    let truth: Motion = [0.08, -0.05, 0.06, 3.0, -2.0, 4.0];
    let moved = affine_about(&truth, [2.0, -3.0, 5.0]);
    let (a, grid_a) = head(&Affine::IDENTITY, 1, 0.05);
    let (b, grid_b) = head(&moved, 2, 0.05);
    let there = register_halfway((&a, &grid_a), (&b, &grid_b), &points(), &[0.0; 6], [0.0; 3]).unwrap();
    let map = there.second_from_first().unwrap();
    let error = points()
        .iter()
        .map(|&p| {
            let (got, want) = (map.apply(p), moved.apply(p));
            (0..3).map(|c| (got[c] - want[c]).powi(2)).sum::<f64>().sqrt()
        })
        .sum::<f64>()
        / 6000.0;
    assert!(error < 0.1 && there.ncc > 0.97, "{error} mm, {}", there.ncc);
    let back = register_halfway((&b, &grid_b), (&a, &grid_a), &points(), &[0.0; 6], [0.0; 3]).unwrap();
    (0..6).for_each(|k| assert!((there.motion[k] + back.motion[k]).abs() < 1e-9));
}

#[test]
fn correlation_has_the_slope_of_its_differences() {
    let (a, grid) = head(&Affine::IDENTITY, 3, 0.0);
    let (b, _) = head(&affine_about(&[0.03, 0.02, -0.04, 1.0, 2.0, -1.0], [0.0; 3]), 4, 0.0);
    let images = [Image::new(&a, &grid, 2).unwrap(), Image::new(&b, &grid, 2).unwrap()];
    let images = [&images[0], &images[1]];
    let at: Motion = [0.011, -0.013, 0.017, 0.31, 0.52, -0.43];
    let (_, slope) = correlation(images, &points(), [1.0, 2.0, 3.0], &at);
    for k in 0..6 {
        let step = 1e-4 * UNIT[k] / 0.02;
        let value = |sign: f64| {
            let mut moved = at;
            moved[k] += sign * step;
            correlation(images, &points(), [1.0, 2.0, 3.0], &moved).0
        };
        let difference = (value(1.0) - value(-1.0)) / (2.0 * step);
        assert!(
            (difference - slope[k]).abs() < 2e-3 * difference.abs().max(0.01),
            "{k} {difference} {slope:?}"
        );
    }
}

#[test]
fn motion_near_undoes_affine_about_and_drops_the_scale() {
    let centre = [5.0, -8.0, 12.0];
    let truth: Motion = [0.3, -0.2, 0.1, 4.0, 5.0, -6.0];
    let rigid = affine_about(&truth, centre);
    let got = motion_near(&rigid, centre);
    (0..6).for_each(|k| assert!((got[k] - truth[k]).abs() < 1e-9));
    let mut wider = rigid;
    wider.0[..12].iter_mut().for_each(|v| *v *= 1.07);
    let got = motion_near(&wider, centre);
    (0..3).for_each(|k| assert!((got[k] - truth[k]).abs() < 1e-9));
}
