use super::*;
use crate::numbers::random::Random;
use crate::voxels::spline::tests::{naive_coefficients, naive_spline};

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

/// Coefficients of the whole source, and the sum over all of them.
#[test]
fn resample_filtered_by_splines_agrees_with_the_definition() {
    let turn = Affine::from_parts([[0.8, 0.6, 0.], [-0.6, 0.8, 0.], [0., 0., -1.]], [1.0, 2.0, 9.0]);
    let (from, mut random) = (Grid::new([9, 10, 8], turn).unwrap(), Random::new(23));
    let samples: Vec<f32> = (0..from.count()).map(|_| random.range(0.0, 100.0) as f32).collect();
    let axes = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
    let to = Grid::new([80, 12, 12], Affine::from_parts(axes, [-20.7, 0.2, 2.4])).unwrap();
    let inverse = from.ras_from_ijk.invert().unwrap();
    for is_cubic in [[true; 3], [true, false, true]] {
        let filters = is_cubic.map(|is_cubic| Filter::of_spacing(if is_cubic { 1.0 } else { 2.0 }));
        let got = resample_filtered(&samples, &from, &to, &filters).unwrap();
        let cubic_axes = (0..3).filter(|&a| is_cubic[a]);
        let coefficients = cubic_axes.fold(samples.clone(), |c, a| naive_coefficients(&c, from.shape, a));
        let mut checked = 0;
        for (at, &value) in got.iter().enumerate() {
            let ijk = [at % 80, at / 80 % 12, at / 960].map(|v| v as f64);
            let p = inverse.apply(to.ras_from_ijk.apply(ijk));
            if (0..3).any(|a| p[a] < 0.0 || p[a] > (from.shape[a] - 1) as f64) {
                assert_eq!(value, 0.0);
                continue;
            }
            let want = naive_spline(&coefficients, from.shape, p, is_cubic);
            assert!((f64::from(value) - want).abs() < 0.05, "{p:?}: {value} {want}");
            checked += 1;
        }
        assert!(checked > 300);
    }
}

#[test]
fn interpolate_half_a_voxel_away_keeps_detail_and_is_no_darker_than_the_darkest_sample() {
    let axes = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
    let source = Grid::new([40, 8, 8], Affine::from_parts(axes, [-20., -4., -4.])).unwrap();
    let to = Grid::new([39, 1, 1], Affine::from_parts(axes, [-19.5, 0., 0.])).unwrap();
    // waves of four voxels: halfway between two samples, linear interpolation leaves .71 of them
    let waves: Vec<f32> = (0..source.count()).map(|v| [100.0, 170.71, 100.0, 29.29][v % 4]).collect();
    let got = interpolate(&waves, &source, &to).unwrap();
    assert!(got[4..35].iter().all(|&v| (v - 100.0).abs() > 47.0), "{got:?}");
    let bars: Vec<f32> = (0..source.count()).map(|v| [5.0, 200.0][v % 8 / 4]).collect();
    let got = interpolate(&bars, &source, &to).unwrap();
    // values below 5 come of the spline, but 0 is what lies outside
    assert!(got.iter().all(|&v| v >= 0.0), "{got:?}");
    let signed: Vec<f32> = bars.iter().map(|v| v - 100.0).collect();
    let got = interpolate(&signed, &source, &to).unwrap();
    assert_eq!(got.iter().copied().fold(0.0, f32::min), -95.0);
}

#[test]
fn interpolate_returns_the_very_samples_where_it_can_and_says_what_is_no_number() {
    let turned = Affine::from_parts([[0., 1., 0.], [0., 0., -1.], [1., 0., 0.]], [3.5, 40.25, -7.0]);
    let source = Grid::new([12, 9, 10], turned).unwrap();
    let mut random = Random::new(24);
    let mut samples: Vec<f32> = (0..source.count()).map(|_| random.range(-9.0, 900.0) as f32).collect();
    let axes = [[-1., 0., 0.], [0., 0., 1.], [0., -1., 0.]];
    let to = Grid::new([24; 3], Affine::from_parts(axes, [20.5, 20.25, 10.0])).unwrap();
    let mut got = interpolate(&samples, &source, &to).unwrap();
    let back = to.ras_from_ijk.invert().unwrap().compose(&source.ras_from_ijk);
    for (v, &want) in samples.iter().enumerate() {
        let p = back.apply([v % 12, v / 12 % 9, v / 108].map(|c| c as f64)).map(|c| c.round() as usize);
        assert_eq!(std::mem::take(&mut got[to.index(p[0], p[1], p[2])]), want);
    }
    assert!(got.iter().all(|&v| v == 0.0));
    samples[500] = f32::NAN;
    let near = Grid { ras_from_ijk: Affine::from_parts(axes, [20.2, 20.25, 10.0]), ..to };
    assert!(interpolate(&samples, &source, &near).unwrap().iter().any(|v| v.is_nan()));
}
