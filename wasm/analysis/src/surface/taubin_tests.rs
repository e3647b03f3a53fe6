use super::*;
use crate::numbers::random::Random;
use crate::surface::marching_cubes::extract;
use crate::surface::tests::{area, assert_closed, field, noise, volume};
use crate::surface::topology::dot;
use std::collections::BTreeSet;

/// The definition, in f64 over sets of neighbours.
fn naive(mesh: &Mesh) -> Vec<[f64; 3]> {
    let mut neighbours = vec![BTreeSet::new(); mesh.vertices.len()];
    for face in &mesh.faces {
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            neighbours[face[a] as usize].insert(face[b] as usize);
            neighbours[face[b] as usize].insert(face[a] as usize);
        }
    }
    let mut places: Vec<[f64; 3]> = mesh.vertices.iter().map(|v| v.map(f64::from)).collect();
    for _ in 0..20 {
        for step in [0.5, -0.53] {
            let moved = |v: usize| {
                let mean = |a: usize| {
                    neighbours[v].iter().map(|&n| places[n][a]).sum::<f64>() / neighbours[v].len() as f64
                };
                [0, 1, 2].map(|a| places[v][a] + step * (mean(a) - places[v][a]))
            };
            places = (0..places.len()).map(moved).collect();
        }
    }
    places
}

#[test]
fn smooth_agrees_with_the_definition() {
    let mut random = Random::new(331);
    let shape = [11, 12, 10];
    let values = noise(shape, &mut random, |r| r.unit() as f32);
    let mut mesh = extract(&values, shape, 0.5);
    let expected = naive(&mesh);
    smooth(&mut mesh);
    for (got, want) in mesh.vertices.iter().zip(expected) {
        assert!((0..3).all(|a| (f64::from(got[a]) - want[a]).abs() < 1e-4), "{got:?} {want:?}");
    }
}

#[test]
fn smooth_takes_stairs_away_and_keeps_the_volume() {
    let shape = [50; 3];
    let values = field(shape, |p| f64::from(u8::from(dot(p, p) < 400.0)));
    let mut mesh = extract(&values, shape, 0.5);
    let (stairs, before) = (area(&mesh), volume(&mesh));
    smooth(&mut mesh);
    assert_closed(&mesh);
    let sphere = 4.0 * std::f64::consts::PI * 400.0;
    assert!(stairs / sphere > 1.05 && (area(&mesh) / sphere - 1.0).abs() < 0.02, "{}", area(&mesh) / sphere);
    assert!((volume(&mesh) / before - 1.0).abs() < 0.01);
}
