use super::topology::{dot, euler_number, face_normal, vertex_normals};
use super::*;
use crate::numbers::random::Random;
use std::collections::{HashMap, HashSet};

pub fn corners(mesh: &Mesh, face: [u32; 3]) -> [[f64; 3]; 3] {
    face.map(|v| mesh.vertices[v as usize].map(f64::from))
}

pub fn area(mesh: &Mesh) -> f64 {
    let twice = |&face: &[u32; 3]| {
        let n = face_normal(corners(mesh, face));
        dot(n, n).sqrt()
    };
    mesh.faces.iter().map(twice).sum::<f64>() / 2.0
}

/// Positive when the faces look outwards.
pub fn volume(mesh: &Mesh) -> f64 {
    let six = |&face: &[u32; 3]| {
        let [p, q, r] = corners(mesh, face);
        dot(p, face_normal([[0.0; 3], q, r]))
    };
    mesh.faces.iter().map(six).sum::<f64>() / 6.0
}

/// Each edge runs once in each direction, the faces at each vertex are one fan, and every vertex is used.
pub fn assert_closed(mesh: &Mesh) {
    let mut edges = HashSet::new();
    let mut fans: HashMap<u32, HashMap<u32, u32>> = HashMap::new();
    for &face in &mesh.faces {
        for c in 0..3 {
            let [a, b, d] = [face[c], face[(c + 1) % 3], face[(c + 2) % 3]];
            assert!(a != b && edges.insert((a, b)), "edge {a} {b} runs twice in one direction");
            fans.entry(a).or_default().insert(b, d);
        }
    }
    assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))), "an edge has one face");
    assert_eq!(fans.len(), mesh.vertices.len());
    for (v, fan) in fans {
        let first = *fan.keys().next().unwrap();
        let (mut at, mut steps) = (fan[&first], 1);
        while at != first {
            at = fan[&at];
            steps += 1;
        }
        assert_eq!(steps, fan.len(), "the faces at vertex {v} are more than one fan");
    }
}

/// Values in 0..1 with a border of zeros.
pub fn noise(shape: Shape, random: &mut Random, value: impl Fn(&mut Random) -> f32) -> Vec<f32> {
    let count = shape.iter().product();
    let is_inner = |v: usize| {
        let place = [v % shape[0], v / shape[0] % shape[1], v / shape[0] / shape[1]];
        (0..3).all(|a| place[a] > 0 && place[a] + 1 < shape[a])
    };
    (0..count).map(|v| if is_inner(v) { value(random) } else { 0.0 }).collect()
}

pub fn field(shape: Shape, value: impl Fn([f64; 3]) -> f64) -> Vec<f32> {
    let middle = shape.map(|n| (n as f64 - 1.0) / 2.0);
    let place = |v: usize| [v % shape[0], v / shape[0] % shape[1], v / shape[0] / shape[1]];
    let at = |v: usize| value([0, 1, 2].map(|a| place(v)[a] as f64 - middle[a])) as f32;
    (0..shape.iter().product()).map(at).collect()
}

fn labels_of(shape: Shape, label: impl Fn([f64; 3]) -> u8) -> Vec<u8> {
    field(shape, |p| f64::from(label(p))).iter().map(|&l| l as u8).collect()
}

/// Axes left, inferior, anterior, turned a little, with the grid's middle at `middle`: determinant negative.
fn ras_from_lia(shape: Shape, middle: [f64; 3]) -> Affine {
    let (s, c) = (0.1f64.sin(), 0.1f64.cos());
    let m = [[-c, 0.0, s], [s, 0.0, c], [0.0, -1.0, 0.0]];
    let half = shape.map(|n| (n as f64 - 1.0) / 2.0);
    let t = [0, 1, 2].map(|r| middle[r] - (0..3).map(|k| m[r][k] * half[k]).sum::<f64>());
    Affine::from_parts(m, t)
}

fn mesh_of(surface: &Surface) -> Mesh {
    let vertices = surface.vertices.chunks_exact(3).map(|v| [v[0], v[1], v[2]]).collect();
    Mesh { vertices, faces: surface.faces.chunks_exact(3).map(|f| [f[0], f[1], f[2]]).collect() }
}

fn radius(v: [f32; 3], middle: [f64; 3]) -> f64 {
    (0..3).map(|a| (f64::from(v[a]) - middle[a]).powi(2)).sum::<f64>().sqrt()
}

/// Radius 20 around `MIDDLE`.
const MIDDLE: [f64; 3] = [7.0, -12.0, 33.0];

#[test]
fn extract_of_a_ball_of_voxels_is_a_smooth_sphere_with_outward_normals() {
    let shape = [48, 50, 46];
    let labels = labels_of(shape, |p| if dot(p, p) < 400.0 { 17 } else { 105 });
    for mirror in [1.0, -1.0] {
        let mut affine = ras_from_lia(shape, MIDDLE);
        for r in 0..3 {
            // The mirrored grid keeps its middle where it is.
            affine.0[12 + r] += (1.0 - mirror) * affine.at(r, 0) * (shape[0] as f64 - 1.0) / 2.0;
            affine.0[r] *= mirror;
        }
        assert!(affine.determinant() * mirror < 0.0);
        let surface = extract(&labels, shape, &vec![0.0; labels.len()], &affine, 2000).unwrap();
        let mesh = mesh_of(&surface);
        assert_closed(&mesh);
        assert_eq!(surface.euler, 2);
        assert!(mesh.faces.len() <= 2000 && mesh.faces.len() > 1990);
        assert!(surface.triangles_before > 10_000);
        let sphere = 4.0 / 3.0 * std::f64::consts::PI * 8000.0;
        assert!((volume(&mesh) / sphere - 1.0).abs() < 0.01, "{}", volume(&mesh) / sphere);
        assert!((area(&mesh) / sphere * 20.0 / 3.0 - 1.0).abs() < 0.01);
        for (&v, n) in mesh.vertices.iter().zip(surface.normals.chunks_exact(3)) {
            assert!((radius(v, MIDDLE) - 20.0).abs() < 0.3, "{}", radius(v, MIDDLE));
            let outward = (0..3).map(|a| f64::from(n[a]) * (f64::from(v[a]) - MIDDLE[a])).sum::<f64>();
            assert!(outward / radius(v, MIDDLE) > 0.98, "{}", outward / radius(v, MIDDLE));
            assert!(((0..3).map(|a| n[a] * n[a]).sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn extract_reads_the_thickness_below_the_surface() {
    let shape = [48, 50, 46];
    let mm = |p: [f64; 3]| dot(p, p).sqrt();
    // Cortex from 17 to 20 mm; thickness grows to the right, and the lower third has none.
    let labels = labels_of(shape, |p| if mm(p) < 20.0 { 17 } else { 0 });
    let has_cortex = |p: [f64; 3]| mm(p) < 20.0 && mm(p) > 17.0 && p[1] < 8.0;
    let thickness = field(shape, |p| if has_cortex(p) { 3.0 + p[0] / 20.0 } else { 0.0 });
    let affine = ras_from_lia(shape, MIDDLE);
    let surface = extract(&labels, shape, &thickness, &affine, 3000).unwrap();
    let window_from_ras = affine.invert().unwrap();
    let mut counts = [0; 2];
    for (v, &value) in surface.vertices.chunks_exact(3).zip(&surface.values) {
        let place = window_from_ras.apply([0, 1, 2].map(|a| f64::from(v[a])));
        let p = [0, 1, 2].map(|a| place[a] - (shape[a] as f64 - 1.0) / 2.0);
        if p[1] < 7.0 {
            counts[0] += 1;
            assert!((f64::from(value) - 3.0 - p[0] * 18.5 / 20.0 / 20.0).abs() < 0.05, "{p:?} {value}");
        } else if p[1] > 12.5 {
            counts[1] += 1;
            assert_eq!(value, 0.0);
        }
    }
    assert!(counts[0] > 500 && counts[1] > 100);
}

#[test]
fn extract_closes_a_brain_that_the_grid_cuts() {
    let shape = [30, 48, 48];
    let labels = labels_of(shape, |p| u8::from(dot(p, p) < 400.0));
    let surface = extract(&labels, shape, &vec![0.0; labels.len()], &Affine::IDENTITY, 4000).unwrap();
    let mesh = mesh_of(&surface);
    assert_closed(&mesh);
    assert_eq!(surface.euler, 2);
    let voxels = labels.iter().filter(|&&l| l == 1).count() as f64;
    assert!((volume(&mesh) / voxels - 1.0).abs() < 0.02);
}

#[test]
fn extract_leaves_islands_and_cavities_out() {
    let shape = [60, 40, 40];
    let middle = |p: [f64; 3], x: f64| dot([p[0] - x, p[1], p[2]], [p[0] - x, p[1], p[2]]);
    let labels = labels_of(shape, |p| {
        let is_ball = middle(p, -10.0) < 256.0 && middle(p, -10.0) > 25.0;
        u8::from(is_ball || middle(p, 20.0) < 36.0)
    });
    let surface = extract(&labels, shape, &vec![0.0; labels.len()], &Affine::IDENTITY, 4000).unwrap();
    assert_eq!(surface.euler, 2);
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 4096.0;
    assert!((volume(&mesh_of(&surface)) / ball - 1.0).abs() < 0.02);
}

#[test]
fn extract_gives_the_same_bytes_twice() {
    let shape = [30, 28, 26];
    let mut random = Random::new(311);
    let labels: Vec<u8> =
        noise(shape, &mut random, |r| f32::from(u8::from(r.unit() < 0.7))).iter().map(|&l| l as u8).collect();
    let thickness: Vec<f32> = (0..labels.len()).map(|_| random.unit() as f32).collect();
    let run = || extract(&labels, shape, &thickness, &ras_from_lia(shape, MIDDLE), 3000).unwrap();
    let first = run();
    assert_eq!(first, run());
    assert_closed(&mesh_of(&first));
    assert_eq!(first.euler, euler_number(&brain_mesh(&labels, shape, &Affine::IDENTITY).unwrap()));
    assert_eq!(first.normals, vertex_normals(&mesh_of(&first)).into_flattened());
}

#[test]
fn extract_refuses_a_label_map_without_brain() {
    let run =
        |labels: &[u8], thickness: &[f32]| extract(labels, [3, 3, 3], thickness, &Affine::IDENTITY, 100);
    assert_eq!(run(&[105; 27], &[0.0; 27]).unwrap_err().reason(), "empty");
    let mut one = [0; 27];
    one[13] = 1;
    assert_eq!(run(&one, &[0.0; 27]).unwrap_err().reason(), "empty");
    assert_eq!(run(&one, &[0.0; 26]).unwrap_err().code(), "internal");
}
