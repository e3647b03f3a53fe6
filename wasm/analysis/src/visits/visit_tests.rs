use super::*;
use crate::numbers::random::Random;

pub const BRAIN_CENTRE: [f64; 3] = [1.0, -18.0, 6.0];

/// Blobs at fixed places of the atlas, seen by a visit that the head was moved in.
pub fn visit(subject_from_atlas: &Affine, seed: u64) -> LocatedVisit {
    let mut random = Random::new(71);
    let blobs: Vec<([f64; 3], f64, f64)> = (0..40)
        .map(|_| {
            let at = BRAIN_CENTRE.map(|h| h + random.range(-35.0, 35.0));
            (at, random.range(4.0, 12.0), random.range(0.3, 1.0))
        })
        .collect();
    let axes = [[-2.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, -2.0, 0.0]];
    let grid = Grid::new([52; 3], Affine::from_parts(axes, [52.0, -70.0, 58.0])).unwrap();
    let atlas_from_ijk = subject_from_atlas.invert().unwrap().compose(&grid.ras_from_ijk);
    let mut noise = Random::new(seed);
    let image = (0..grid.count())
        .map(|at| {
            let p = atlas_from_ijk.apply([at % 52, at / 52 % 52, at / 2704].map(|v| v as f64));
            let blob = |(c, r, h): &([f64; 3], f64, f64)| {
                let d: f64 = (0..3).map(|a| (p[a] - c[a]).powi(2)).sum();
                h * (-0.5 * d / (r * r)).exp()
            };
            (blobs.iter().map(blob).sum::<f64>() + 0.1 * (noise.unit() - 0.5)) as f32
        })
        .collect();
    LocatedVisit { source: grid, image, grid, subject_from_atlas: *subject_from_atlas, ncc: 1.0 }
}

fn brain() -> Vec<[f64; 3]> {
    let mut random = Random::new(72);
    (0..8000).map(|_| BRAIN_CENTRE.map(|h| h + random.range(-32.0, 32.0))).collect()
}

pub fn worst_mm(a: &Affine, b: &Affine) -> f64 {
    let far = |p: &[f64; 3]| {
        let (a, b) = (a.apply(*p), b.apply(*p));
        (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt()
    };
    brain().iter().map(far).fold(0.0, f64::max)
}

#[test]
fn rigid_between_finds_the_motion_from_an_inexact_atlas_and_inverts_when_exchanged() {
    let moved = affine_about(&[0.1, -0.06, 0.08, 5.0, -4.0, 3.0], [0.0; 3]);
    let (mut a, mut b) = (visit(&Affine::IDENTITY, 1), visit(&moved, 2));
    // The atlas lies 2 mm and 2 degrees off, and is a little too wide in one visit.
    let error = affine_about(&[0.03, 0.0, -0.02, 1.5, -1.0, 1.0], BRAIN_CENTRE);
    a.subject_from_atlas = a.subject_from_atlas.compose(&error);
    b.subject_from_atlas.0[..12].iter_mut().for_each(|v| *v *= 1.02);
    let there = rigid_between(&a, &b, &brain()).unwrap();
    let back = rigid_between(&b, &a, &brain()).unwrap();
    assert!(worst_mm(&there, &moved) < 0.15, "{}", worst_mm(&there, &moved));
    let both = worst_mm(&back.compose(&there), &Affine::IDENTITY);
    assert!(both < 1e-6, "{both}");
}

#[test]
fn median_at_agrees_with_sorting() {
    let mut random = Random::new(73);
    let grid = Grid::new([9, 8, 7], Affine::IDENTITY).unwrap();
    let bytes: Vec<u8> = (0..grid.count()).map(|_| 1 + random.below(250) as u8).collect();
    let map = Affine::from_parts([[1.0, 0.2, 0.0], [0.0, 1.1, 0.0], [0.1, 0.0, 0.9]], [0.3, -0.4, 0.2]);
    let points: Vec<[f64; 3]> = (0..201).map(|_| [0; 3].map(|_| random.range(-2.0, 10.0))).collect();
    let mut inside: Vec<u8> = points
        .iter()
        .filter_map(|&p| {
            let q = map.apply(p).map(|v| v.round() as i64);
            let fits = (0..3).all(|a| q[a] >= 0 && q[a] < grid.shape[a] as i64);
            fits.then(|| bytes[q[0] as usize + 9 * (q[1] as usize + 8 * q[2] as usize)])
        })
        .collect();
    inside.sort_unstable();
    let (low, high) = (inside[(inside.len() - 1) / 2], inside[inside.len() / 2]);
    let got = median_at(&bytes, &grid, &map, &points).unwrap();
    assert_eq!(got, (f32::from(low) + f32::from(high)) / 2.0);
    let black = vec![0; grid.count()];
    assert_eq!(median_at(&black, &grid, &map, &points).unwrap_err().reason(), "contrast");
}

#[test]
fn write_levelled_keeps_levelled_values_and_scales_the_rest() {
    let prior = crate::tissue::em::tests::random_prior(75, 3000);
    let mut random = Random::new(77);
    let bytes: Vec<u8> = (0..SIDE.pow(3)).map(|v| 100 + (v % 50) as u8).collect();
    let levelled: Vec<f32> = prior.voxels.iter().map(|_| random.range(0.5, 2.0) as f32).collect();
    let mut got = bytes.clone();
    write_levelled(&mut got, &levelled, &prior, 150.0);
    let place = |&at: &u32| {
        let [i, j, k] = prior.window.ijk(at as usize);
        i + SIDE * (j + SIDE * k)
    };
    let places: Vec<usize> = prior.voxels.iter().map(place).collect();
    let total: f32 = places.iter().map(|&v| f32::from(bytes[v])).sum();
    let scale = 150.0 * levelled.iter().sum::<f32>() / total;
    let mut want: Vec<f32> = bytes.iter().map(|&byte| scale * f32::from(byte)).collect();
    places.iter().zip(&levelled).for_each(|(&v, &y)| want[v] = 150.0 * y);
    for (&got, want) in got.iter().zip(want) {
        assert!((f32::from(got) - want.min(255.0)).abs() < 0.51, "{got} {want}");
    }
}
