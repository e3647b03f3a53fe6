use super::*;
use crate::numbers::random::Random;
use crate::voxels::filter::gaussian;
use crate::voxels::sample::trilinear_border;

/// Smooth noise with components up to about `size` mm.
pub fn smooth_velocity(seed: u64, size: f32) -> [Vec<f32>; 3] {
    let mut random = Random::new(seed);
    [0; 3].map(|_| {
        let mut v: Vec<f32> = (0..COUNT).map(|_| random.range(-1.0, 1.0) as f32).collect();
        gaussian(&mut v, SHAPE, [3.0; 3], 1);
        let top = v.iter().fold(0f32, |m, c| m.max(c.abs()));
        v.iter().map(|c| c * size / top).collect()
    })
}

fn random_point(random: &mut Random) -> [f64; 3] {
    [random.range(-80.0, 80.0), random.range(-115.0, 80.0), random.range(-60.0, 95.0)]
}

#[test]
fn exponential_agrees_with_many_small_steps() {
    let velocity = smooth_velocity(101, 4.0);
    let found = Displacement::exponential(&velocity, 1.0);
    let mut random = Random::new(102);
    for _ in 0..300 {
        let start = random_point(&mut random);
        let mut p = start;
        for _ in 0..512 {
            let at = [0, 1, 2].map(|a| (p[a] - ORIGIN_MM[a]) / 4.0);
            let v = [0, 1, 2].map(|a| f64::from(trilinear_border(&velocity[a], SHAPE, at)));
            (0..3).for_each(|a| p[a] += v[a] / 512.0);
        }
        let got = found.displaced(start);
        (0..3).for_each(|a| assert!((got[a] - p[a]).abs() < 0.1, "{start:?}: {got:?} {p:?}"));
    }
}

#[test]
fn exponential_of_the_opposite_field_is_the_inverse() {
    let velocity = smooth_velocity(103, 5.0);
    let (there, back) =
        (Displacement::exponential(&velocity, 1.0), Displacement::exponential(&velocity, -1.0));
    assert!(there.largest_mm() > 3.0);
    let mut random = Random::new(104);
    for _ in 0..300 {
        let p = random_point(&mut random);
        let q = back.displaced(there.displaced(p));
        (0..3).for_each(|a| assert!((q[a] - p[a]).abs() < 0.1));
    }
}

#[test]
fn jacobian_of_a_linear_map_is_its_determinant() {
    let m = [[0.2f32, 0.1, 0.0], [-0.1, -0.3, 0.05], [0.0, 0.2, 0.1]];
    let vectors = (0..COUNT)
        .map(|v| {
            let p = [v % SHAPE[0], v / SHAPE[0] % SHAPE[1], v / SLICE].map(|c| 4.0 * c as f32);
            let row = |r: usize| m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2];
            [row(0), row(1), row(2), 0.0]
        })
        .collect();
    let want = 1.2 * (0.7 * 1.1 - 0.05 * 0.2) - 0.1 * (-0.1 * 1.1);
    for d in (Displacement { vectors }).jacobian() {
        assert!((d - want).abs() < 1e-3);
    }
}

#[test]
fn jacobian_range_counts_folds_inside_the_mask() {
    let determinants: Vec<f32> = (0..1001).map(|v| v as f32 / 100.0 - 1.0).collect();
    let mut mask = vec![true; 1001];
    mask[0] = false;
    let range = JacobianRange::over(&determinants, &mask);
    assert!((range.min + 0.99).abs() < 1e-6);
    assert!((range.folded_fraction - 0.1).abs() < 1e-9);
    assert!((range.p1 + 0.8901).abs() < 1e-4 && (range.p99 - 8.9001).abs() < 1e-4);
    assert_eq!(JacobianRange::over(&determinants, &[false; 1001]).folded_fraction, 0.0);
}
