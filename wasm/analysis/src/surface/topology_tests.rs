use super::*;
use crate::numbers::random::Random;
use crate::surface::marching_cubes::extract;
use crate::surface::tests::{assert_closed, noise};
use std::collections::HashSet;

/// Flood over faces that share a vertex; the most faces.
fn naive_largest(mesh: &Mesh) -> Vec<[[u32; 3]; 3]> {
    let mut open: Vec<[u32; 3]> = mesh.faces.clone();
    let mut best: Vec<[u32; 3]> = Vec::new();
    while let Some(seed) = open.first().copied() {
        let mut vertices: HashSet<u32> = seed.into_iter().collect();
        let mut count = 0;
        while count != vertices.len() {
            count = vertices.len();
            let touching = open.iter().filter(|face| face.iter().any(|v| vertices.contains(v)));
            let touching: Vec<u32> = touching.flatten().copied().collect();
            vertices.extend(touching);
        }
        let (part, rest) = open.into_iter().partition::<Vec<_>, _>(|face| vertices.contains(&face[0]));
        best = if part.len() > best.len() { part } else { best };
        open = rest;
    }
    let bits = |v: u32| mesh.vertices[v as usize].map(f32::to_bits);
    best.iter().map(|face| face.map(bits)).collect()
}

#[test]
fn keep_largest_component_agrees_with_flooding() {
    let mut random = Random::new(341);
    for part in [0.1, 0.15, 0.2, 0.3] {
        let shape = [10, 11, 9];
        let values = noise(shape, &mut random, |r| (r.unit() + part - 0.5) as f32);
        let mut mesh = extract(&values, shape, 0.5);
        let expected = naive_largest(&mesh);
        keep_largest_component(&mut mesh);
        assert_closed(&mesh);
        let bits = |v: u32| mesh.vertices[v as usize].map(f32::to_bits);
        assert_eq!(mesh.faces.iter().map(|face| face.map(bits)).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn keep_largest_component_of_nothing_is_nothing() {
    let mut mesh = Mesh::default();
    keep_largest_component(&mut mesh);
    assert_eq!(mesh, Mesh::default());
}

#[test]
fn euler_number_counts_vertices_edges_and_faces() {
    let mut random = Random::new(342);
    let shape = [9, 9, 9];
    let mesh = extract(&noise(shape, &mut random, |r| r.unit() as f32), shape, 0.5);
    let mut edges = HashSet::new();
    for face in &mesh.faces {
        (0..3).for_each(|c| {
            edges.insert([face[c].min(face[(c + 1) % 3]), face[c].max(face[(c + 1) % 3])]);
        });
    }
    let naive = mesh.vertices.len() as i64 - edges.len() as i64 + mesh.faces.len() as i64;
    assert_eq!(euler_number(&mesh), naive);
}

#[test]
fn vertex_normals_weigh_faces_by_area() {
    // A corner of a box with sides 1, 2, 3: two faces have a normal along each axis' neighbour.
    let vertices = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
    let mesh = Mesh { vertices, faces: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]] };
    let normal = vertex_normals(&mesh)[0];
    let length = (4.0f32 + 9.0 + 36.0).sqrt();
    for (got, want) in normal.iter().zip([-6.0, -3.0, -2.0]) {
        assert!((got - want / length).abs() < 1e-6, "{normal:?}");
    }
}
