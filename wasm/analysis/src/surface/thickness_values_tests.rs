use super::*;
use crate::numbers::random::Random;

/// All voxels, weighted or compared by distance.
fn naive(map: &[f32], shape: Shape, point: [f64; 3], ras_from_window: &Affine, place: [f64; 3]) -> f32 {
    let voxels = (0..map.len()).filter(|&v| map[v] > 0.0);
    let index = |v: usize| [v % shape[0], v / shape[0] % shape[1], v / shape[0] / shape[1]].map(|i| i as f64);
    let weight = |v: usize| (0..3).map(|a| (1.0 - (index(v)[a] - place[a]).abs()).max(0.0)).product::<f64>();
    let total: f64 = voxels.clone().map(weight).sum();
    if total > 0.0 {
        return (voxels.map(|v| weight(v) * f64::from(map[v])).sum::<f64>() / total) as f32;
    }
    let away = |v: usize| {
        let mm = ras_from_window.apply(index(v));
        (0..3).map(|a| (mm[a] - point[a]).powi(2)).sum::<f64>()
    };
    let nearest = voxels.min_by(|&v, &w| away(v).total_cmp(&away(w)));
    nearest.filter(|&v| away(v) <= 9.0).map_or(0.0, |v| map[v])
}

#[test]
fn sample_agrees_with_looking_at_all_voxels() {
    let mut random = Random::new(351);
    let shape = [12, 9, 11];
    let oblique =
        Affine::from_parts([[-0.9, 0.1, 0.3], [0.2, 1.1, -0.2], [0.05, 0.3, 1.4]], [12.0, -40.0, 7.5]);
    for (affine, part) in [(Affine::IDENTITY, 0.02), (oblique, 0.01), (oblique, 0.3)] {
        let map: Vec<f32> = (0..shape.iter().product())
            .map(|_| if random.unit() < part { random.range(1.0, 4.0) as f32 } else { 0.0 })
            .collect();
        let inverse = affine.invert().unwrap();
        let mut kinds = [0; 2];
        for _ in 0..300 {
            let vertex = affine.apply(shape.map(|n| random.range(-3.0, n as f64 + 2.0))).map(|v| v as f32);
            let normal = [0.6, 0.0, -0.8];
            let got = sample(&[vertex], &[normal], &map, shape, &inverse, &affine)[0];
            let point = [0, 1, 2].map(|a| f64::from(vertex[a]) - 1.5 * f64::from(normal[a]));
            let want = naive(&map, shape, point, &affine, inverse.apply(point));
            assert!((got - want).abs() < 1e-5, "{got} {want}");
            kinds[usize::from(got > 0.0)] += 1;
        }
        assert!(kinds.iter().all(|&k| k > 10), "{kinds:?}");
    }
}

#[test]
fn sample_reads_one_and_a_half_mm_below_the_surface() {
    // Thickness is the index along i plus 1.
    let map: Vec<f32> = (0..1000).map(|v| (v % 10 + 1) as f32).collect();
    let id = Affine::IDENTITY;
    let got = sample(&[[6.0, 4.0, 4.0]], &[[1.0, 0.0, 0.0]], &map, [10, 10, 10], &id, &id);
    assert!((got[0] - 5.5).abs() < 1e-6);
}
