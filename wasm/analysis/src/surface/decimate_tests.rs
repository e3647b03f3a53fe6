use super::*;
use crate::numbers::random::Random;
use crate::surface::marching_cubes::extract;
use crate::surface::taubin::smooth;
use crate::surface::tests::{area, assert_closed, corners, field, noise, volume};
use crate::surface::topology::{euler_number, keep_largest_component};

fn ball() -> Mesh {
    let mut mesh = extract(&field([50; 3], |p| 20.0 - dot(p, p).sqrt()), [50; 3], 0.0);
    mesh.vertices.iter_mut().for_each(|v| *v = v.map(|x| x - 24.5));
    mesh
}

#[test]
fn quadric_is_the_sum_of_squared_distances() {
    let mut random = Random::new(361);
    let mut point = || [0; 3].map(|_| random.range(-50.0, 50.0));
    let mut quadric = Quadric::default();
    let (mut planes, mut points) = (Vec::new(), Vec::new());
    for weight in [0.5, 2.0, 1.25, 3.0] {
        let (p, n) = (point(), point());
        let n = n.map(|v| v / dot(n, n).sqrt());
        let mut one = Quadric::default();
        one.add_plane(n, p, weight);
        one.add_point(p, 0.1 * weight);
        quadric.add(&one);
        planes.push((n, p, weight));
        points.push((p, 0.1 * weight));
    }
    let naive = |x: [f64; 3]| {
        let plane = |&(n, p, w): &([f64; 3], [f64; 3], f64)| w * dot(n, minus(x, p)).powi(2);
        let point = |&(p, w): &([f64; 3], f64)| w * dot(minus(x, p), minus(x, p));
        planes.iter().map(plane).sum::<f64>() + points.iter().map(point).sum::<f64>()
    };
    let least = quadric.least().unwrap();
    for _ in 0..100 {
        let x = point();
        assert!((quadric.at(x) / naive(x) - 1.0).abs() < 1e-9);
        let near = [0, 1, 2].map(|a| least[a] + x[a] * 1e-3);
        assert!(naive(near) > naive(least));
    }
}

#[test]
fn decimate_of_noise_stays_closed_with_the_same_handles() {
    let mut random = Random::new(362);
    for part in [0.3, 0.5, 0.6] {
        let shape = [14, 13, 12];
        let values = noise(shape, &mut random, |r| (r.unit() + part - 0.5) as f32);
        let mut mesh = extract(&values, shape, 0.5);
        keep_largest_component(&mut mesh);
        for limit in [mesh.faces.len() / 2, mesh.faces.len() / 5, 0] {
            let small = decimate(&mesh, limit);
            assert_closed(&small);
            assert_eq!(euler_number(&small), euler_number(&mesh));
            assert!(small.faces.len() < mesh.faces.len());
            assert_eq!(small, decimate(&mesh, limit));
        }
    }
}

#[test]
fn decimate_respects_the_limit_and_keeps_a_sphere() {
    let mesh = ball();
    for (limit, volume_share, away_mm) in [(5000, 0.002, 0.05), (1000, 0.01, 0.2), (300, 0.03, 0.6)] {
        let small = decimate(&mesh, limit);
        assert_closed(&small);
        assert!(small.faces.len() <= limit && small.faces.len() + 2 > limit);
        assert!((volume(&small) / volume(&mesh) - 1.0).abs() < volume_share);
        assert!((area(&small) / area(&mesh) - 1.0).abs() < 2.0 * volume_share);
        for &face in &small.faces {
            let [p, q, r] = corners(&small, face);
            let middle = [0, 1, 2].map(|a| (p[a] + q[a] + r[a]) / 3.0);
            let n = face_normal([p, q, r]);
            assert!(dot(n, middle) > 0.8 * (dot(n, n) * dot(middle, middle)).sqrt(), "a face turned");
            for point in [p, middle] {
                assert!((dot(point, point).sqrt() - 20.0).abs() < away_mm, "{}", dot(point, point).sqrt());
            }
        }
    }
}

#[test]
fn decimate_keeps_a_torus_a_torus() {
    let shape = [40, 40, 20];
    let values = field(shape, |p| 5.0 - ((p[0].hypot(p[1]) - 12.0).powi(2) + p[2].powi(2)).sqrt());
    let mut mesh = extract(&values, shape, 0.0);
    smooth(&mut mesh);
    for limit in [800, 100, 0] {
        let small = decimate(&mesh, limit);
        assert_closed(&small);
        assert_eq!(euler_number(&small), 0);
        assert!(limit == 0 || small.faces.len() <= limit);
        assert!(limit < 800 || (volume(&small) / volume(&mesh) - 1.0).abs() < 0.01);
    }
}

#[test]
fn decimate_leaves_a_tetrahedron_and_a_small_mesh_alone() {
    let vertices = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mesh = Mesh { vertices, faces: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] };
    assert_eq!(decimate(&mesh, 0), mesh);
    assert_eq!(decimate(&mesh, 4), mesh);
}
