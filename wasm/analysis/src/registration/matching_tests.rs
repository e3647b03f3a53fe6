use super::*;
use crate::atlas::ATLAS_SHAPE;
use crate::numbers::random::Random;
use crate::registration::velocity_grid::COUNT;
use crate::voxels::filter::gaussian;
use crate::voxels::sample::{trilinear_border, trilinear_gradient};

fn blurred(seed: u64, shape: Shape) -> Vec<f32> {
    let mut random = Random::new(seed);
    let mut out: Vec<f32> = (0..shape.iter().product()).map(|_| random.unit() as f32).collect();
    gaussian(&mut out, shape, [1.5; 3], 1);
    out.iter().map(|v| 12.0 * (v - 0.4)).collect()
}

/// A ball around the middle of the grid.
fn ball(shape: Shape, radius: f64) -> Vec<f32> {
    (0..shape.iter().product())
        .map(|v: usize| {
            let p = [v % shape[0], v / shape[0] % shape[1], v / (shape[0] * shape[1])];
            let d = (0..3).map(|a| (p[a] as f64 - shape[a] as f64 / 2.0).powi(2)).sum::<f64>();
            if d < radius * radius {
                1.0
            } else {
                0.0
            }
        })
        .collect()
}

fn displacement(seed: u64, size: f64) -> Vec<Vector> {
    let mut random = Random::new(seed);
    let mut part = || {
        let mut v: Vec<f32> = (0..COUNT).map(|_| random.range(-size, size) as f32).collect();
        gaussian(&mut v, SHAPE, [1.0; 3], 1);
        v
    };
    let [x, y, z] = [part(), part(), part()];
    (0..COUNT).map(|v| [x[v], y[v], z[v], 0.0]).collect()
}

fn level(shape: Shape) -> Level {
    let radius = shape[0] as f64 / 6.0;
    Level::new(
        &blurred(131, shape),
        &blurred(132, shape),
        &ball(shape, radius),
        shape,
        if shape == SHAPE { 2 } else { 3 },
    )
}

#[test]
fn bounds_start_at_even_voxels_and_stay_inside() {
    let shape = [10, 12, 9];
    let mut weight = vec![0f32; 1080];
    weight[5 + 10 * (11 + 12 * 8)] = 1.0;
    weight[7 + 10] = 1.0;
    assert_eq!(bounds(&weight, shape), ([2, 0, 0], [8, 12, 9]));
}

#[test]
fn sample_agrees_with_corners_that_count_as_0_outside() {
    let shape = [5, 6, 4];
    let mut random = Random::new(133);
    let image: Vec<f32> = (0..120).map(|_| random.unit() as f32).collect();
    let mut padded = vec![0f32; 9 * 10 * 8];
    for v in 0..120 {
        padded[v % 5 + PAD + 9 * (v / 5 % 6 + PAD + 10 * (v / 30 + PAD))] = image[v];
    }
    for _ in 0..3000 {
        let p = [random.range(-5.0, 9.0), random.range(-5.0, 9.0), random.range(-5.0, 8.0)].map(|v| v as f32);
        let (value, slope) = sample(&padded, shape, p);
        let (want, gradient) = trilinear_gradient(&image, shape, p.map(f64::from));
        assert!((f64::from(value) - want).abs() < 1e-5, "{p:?}");
        (0..3).for_each(|a| assert!((f64::from(slope[a]) - gradient[a]).abs() < 1e-5, "{p:?}"));
    }
}

#[test]
fn row_of_agrees_with_interpolation_at_half_voxels() {
    let field = displacement(134, 9.0);
    let component = [0, 1, 2].map(|c| field.iter().map(|v| v[c]).collect::<Vec<f32>>());
    for (start, n) in [([10, 21, 30], 33), ([0, 108, 90], 91), ([4, 3, 7], 40)] {
        let mut row = vec![[0.0; 4]; n];
        row_of(&field, 2, start, &mut row);
        for (i, v) in row.iter().enumerate() {
            let p = [start[0] + i, start[1], start[2]].map(|c| c as f64 / 2.0);
            (0..3).for_each(|c| assert!((v[c] - trilinear_border(&component[c], SHAPE, p)).abs() < 1e-5));
        }
    }
}

#[test]
fn correlate_of_no_displacement_is_that_of_the_images() {
    for shape in [SHAPE, ATLAS_SHAPE] {
        let mut level = level(shape);
        let still = level.correlate(&vec![[0.0; 4]; COUNT]);
        let cut = |src: &[f32]| {
            let mut out = Vec::new();
            for k in level.low[2]..level.low[2] + level.shape[2] {
                for j in level.low[1]..level.low[1] + level.shape[1] {
                    let at = level.low[0] + shape[0] * (j + shape[1] * k);
                    out.extend_from_slice(&src[at..at + level.shape[0]]);
                }
            }
            out
        };
        assert_eq!(level.warped, cut(&blurred(131, shape)));
        assert!((0.01..0.5).contains(&still));
    }
}

#[test]
fn gradient_into_agrees_with_finite_differences() {
    for shape in [SHAPE, ATLAS_SHAPE] {
        let mut level = level(shape);
        let field = displacement(135, 12.0);
        level.correlate(&field);
        let mut gradient = vec![[1f32; 4]; COUNT];
        level.gradient_into(&mut gradient);
        for seed in 0..3 {
            let towards = displacement(136 + seed, 1.0);
            let mut at = |step: f32| {
                let moved = field.iter().zip(&towards);
                let moved =
                    moved.map(|(v, t)| [v[0] + step * t[0], v[1] + step * t[1], v[2] + step * t[2], 0.0]);
                -level.correlate(&moved.collect::<Vec<_>>())
            };
            let want = (at(0.02) - at(-0.02)) / 0.04;
            let got: f64 = gradient
                .iter()
                .zip(&towards)
                .map(|(g, t)| (0..3).map(|c| f64::from(g[c]) * f64::from(t[c])).sum::<f64>())
                .sum();
            assert!((got - want).abs() < 0.02 * want.abs() + 2e-4, "{shape:?} {got} {want}");
        }
        assert!(gradient[0] == [0.0; 4] && gradient[COUNT - 1] == [0.0; 4]);
    }
}
