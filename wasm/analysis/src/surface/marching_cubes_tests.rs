use super::*;
use crate::numbers::random::Random;
use crate::surface::tests::{area, assert_closed, corners, field, noise, volume};
use crate::surface::topology::{dot, drop_vertices, euler_number, face_normal};

#[test]
fn case_table_fills_each_outline_without_touching_faces() {
    let CaseTable(table) = CaseTable::new();
    for (case, triangles) in table.iter().enumerate() {
        let next = outline(case);
        let is_crossed = |e: usize| corners_of(e).iter().filter(|&&c| case >> c & 1 == 1).count() == 1;
        for e in 0..12 {
            assert_eq!(next[e].is_some(), is_crossed(e), "case {case}");
        }
        let mut sides: Vec<[usize; 2]> = Vec::new();
        for t in triangles {
            for c in 0..3 {
                sides.push([usize::from(t[c]), usize::from(t[(c + 1) % 3])]);
            }
        }
        for (e, &after) in next.iter().enumerate() {
            let Some(after) = after else { continue };
            assert_eq!(sides.iter().filter(|&&side| side == [e, after]).count(), 1, "case {case}");
            assert!(!sides.contains(&[after, e]));
        }
        for &[a, b] in &sides {
            let is_outline = next[a] == Some(b);
            assert!(is_outline || sides.iter().filter(|&&side| side == [b, a]).count() == 1, "case {case}");
            assert!(is_outline || !share_face(a, b), "case {case} has a diagonal in a face");
        }
    }
    assert!(table[0].is_empty() && table[255].is_empty());
}

#[test]
fn extract_of_noise_is_closed() {
    let mut random = Random::new(321);
    for part in [0.1, 0.3, 0.5, 0.7, 0.9] {
        for shape in [[12, 11, 13], [3, 20, 9], [4, 3, 3]] {
            let smooth = noise(shape, &mut random, |r| (r.unit() + part - 0.5) as f32);
            assert_closed(&extract(&smooth, shape, 0.5));
            // Vertices may coincide here: voxels lie on the level.
            let stepped = noise(shape, &mut random, |r| (r.unit() < part) as u8 as f32 / 2.0);
            assert_closed(&extract(&stepped, shape, 0.5));
        }
    }
}

#[test]
fn extract_puts_each_vertex_between_an_inside_and_an_outside_voxel() {
    let mut random = Random::new(322);
    let shape = [9, 10, 8];
    let values = noise(shape, &mut random, |r| r.unit() as f32);
    let mesh = extract(&values, shape, 0.5);
    let mut crossings = 0;
    for v in 0..values.len() {
        let place = [v % 9, v / 9 % 10, v / 90];
        for (axis, step) in [1, 9, 90].into_iter().enumerate() {
            crossings +=
                usize::from(place[axis] + 1 < shape[axis] && (values[v] >= 0.5) != (values[v + step] >= 0.5));
        }
    }
    assert_eq!(mesh.vertices.len(), crossings);
    for vertex in &mesh.vertices {
        let at = |p: [f32; 3]| values[p[0] as usize + 9 * (p[1] as usize + 10 * p[2] as usize)];
        let (low, high) = (at(vertex.map(f32::floor)), at(vertex.map(f32::ceil)));
        assert!((low >= 0.5) != (high >= 0.5));
        assert_eq!(vertex.iter().filter(|p| p.fract() != 0.0).count(), 1);
        let fraction: f32 = vertex.iter().map(|p| p.fract()).sum();
        assert!((low + (high - low) * fraction - 0.5).abs() < 1e-5);
    }
}

#[test]
fn extract_of_a_sphere_has_its_area_volume_and_normals() {
    let shape = [43, 44, 45];
    let values = field(shape, |p| 17.0 - dot(p, p).sqrt());
    let mesh = extract(&values, shape, 0.0);
    assert_closed(&mesh);
    assert_eq!(euler_number(&mesh), 2);
    let middle = shape.map(|n| (n as f64 - 1.0) / 2.0);
    let sphere = 4.0 * std::f64::consts::PI * 289.0;
    assert!((area(&mesh) / sphere - 1.0).abs() < 0.005);
    assert!((volume(&mesh) / sphere * 3.0 / 17.0 - 1.0).abs() < 0.005);
    for v in &mesh.vertices {
        let away = (0..3).map(|a| (f64::from(v[a]) - middle[a]).powi(2)).sum::<f64>().sqrt();
        assert!((away - 17.0).abs() < 0.02);
    }
    for &face in &mesh.faces {
        let [p, q, r] = corners(&mesh, face);
        let out = [0, 1, 2].map(|a| (p[a] + q[a] + r[a]) / 3.0 - middle[a]);
        let n = face_normal([p, q, r]);
        assert!(dot(n, out) > 0.7 * (dot(n, n) * dot(out, out)).sqrt());
    }
}

#[test]
fn extract_of_a_torus_has_one_handle() {
    let shape = [40, 40, 20];
    let values = field(shape, |p| 5.0 - ((p[0].hypot(p[1]) - 12.0).powi(2) + p[2].powi(2)).sqrt());
    let mut mesh = extract(&values, shape, 0.0);
    assert_closed(&mesh);
    assert_eq!(euler_number(&mesh), 0);
    let torus = 2.0 * std::f64::consts::PI.powi(2) * 12.0 * 25.0;
    assert!((volume(&mesh) / torus - 1.0).abs() < 0.02);
    drop_vertices(&mut mesh, |_| true);
    assert_eq!(euler_number(&mesh), 0);
}
