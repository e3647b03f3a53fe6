use super::*;
use crate::flair::test_head::{atlas, Scan, T1};
use crate::numbers::random::Random;
use crate::voxels::conform::conform;

/// Smooth blobs as subject and template, and random weights.
fn random_level(random: &mut Random) -> Level {
    let shape = [14, 16, 15];
    let blobs: Vec<[f64; 5]> = (0..6)
        .map(|_| {
            [random.range(2., 12.), random.range(2., 13.), random.range(2., 12.), random.range(0.3, 1.), 9.]
        })
        .collect();
    let field = |p: [f64; 3]| -> f32 {
        blobs
            .iter()
            .map(|b| b[3] * (-((0..3).map(|a| (p[a] - b[a]).powi(2)).sum::<f64>()) / b[4]).exp())
            .sum::<f64>() as f32
    };
    let subject = (0..shape.iter().product())
        .map(|at: usize| field([at % 14, at / 14 % 16, at / 224].map(|v| v as f64)))
        .collect();
    let points: Vec<[f64; 3]> = (0..400).map(|_| [0; 3].map(|_| random.range(-6.0, 6.0))).collect();
    let template = points.iter().map(|p| field([p[0] + 6.5, p[1] + 7.5, p[2] + 7.1])).collect();
    let weight = (0..400).map(|_| random.unit() as f32).collect();
    let ijk_from_ras =
        Affine::from_parts([[-0.9, 0.1, 0.], [0., 0.2, 1.], [0.1, -1.1, 0.1]], [7.0, 8.0, 7.2]);
    Level { points, template, weight, subject: Arc::new(subject), shape, ijk_from_ras }
}

#[test]
fn cost_gradient_agrees_with_finite_differences() {
    let mut random = Random::new(31);
    for _ in 0..4 {
        let level = random_level(&mut random);
        let p: Params = [0; 12].map(|_| random.range(-0.15, 0.15));
        let (_, gradient) = cost(&level, &p);
        for at in 0..12 {
            let (mut a, mut b) = (p, p);
            a[at] += 1e-6;
            b[at] -= 1e-6;
            let want = (cost(&level, &a).0 - cost(&level, &b).0) / 2e-6;
            assert!((gradient[at] - want).abs() < 2e-5 + 2e-3 * want.abs(), "{at}: {} {want}", gradient[at]);
        }
    }
}

#[test]
fn optimise_finds_a_known_shift() {
    let mut random = Random::new(32);
    let mut level = random_level(&mut random);
    level.ijk_from_ras = Affine::from_parts([[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]], [6.0, 8.5, 7.1]);
    level.weight.fill(1.0);
    let (p, ncc) = optimise(&level, &[0.0; 12], 120, 6, Threads::Shared);
    assert!(ncc > 0.999, "{ncc}");
    assert!((p[3] - 0.5).abs() < 0.05 && (p[4] + 1.0).abs() < 0.05 && p[5].abs() < 0.05, "{p:?}");
}

#[test]
fn refine_in_view_does_not_draw_the_template_into_a_cut() {
    let (atlas, scan) = (atlas(), Scan::new(T1, 1.0, &Affine::IDENTITY, &[], 51));
    // the head stands as the template does and reaches up to 72 mm; it is cut at 57 mm
    let source = Grid { shape: [150, 180, 118], ..scan.grid };
    let conformed = conform(&scan.voxels[..source.count()], &source).unwrap();
    let (image, grid) = prepare(&conformed.voxels, &conformed.grid).unwrap();
    let found = register(&image, &grid, &atlas).unwrap();
    let refined = refine_in_view(&found, &image, &grid, &source, &atlas).unwrap();
    let [before, after] =
        [found, refined].map(|map| map.subject_from_atlas.apply([0.0, -18.0, 72.0])[2] - 72.0);
    assert!(before < -2.0 && after.abs() < 1.0, "top of the template at {before:.2}, then {after:.2} mm");
}
