//! Smoothing that does not shrink.

use super::mesh::Mesh;

/// Step towards the mean of the neighbours.
const LAMBDA: f32 = 0.5;
/// Step back, a little longer.
const MU: f32 = -0.53;
/// Pairs of steps.
const PASSES: usize = 20;
/// Vertices of one part.
const PART: usize = 1 << 12;

/// Neighbours of each vertex: those of vertex v are `list[first[v]..first[v + 1]]`.
pub struct Adjacency {
    pub first: Vec<u32>,
    pub list: Vec<u32>,
}

impl Adjacency {
    /// Each edge of a closed mesh runs once in each direction, so each neighbour is listed once, in order of the faces.
    pub fn new(mesh: &Mesh) -> Self {
        let mut first = vec![0u32; mesh.vertices.len() + 1];
        mesh.faces.iter().flatten().for_each(|&v| first[v as usize + 1] += 1);
        for v in 1..first.len() {
            first[v] += first[v - 1];
        }
        let mut list = vec![0u32; mesh.faces.len() * 3];
        let mut end = first.clone();
        for face in &mesh.faces {
            for corner in 0..3 {
                let at = &mut end[face[corner] as usize];
                list[*at as usize] = face[(corner + 1) % 3];
                *at += 1;
            }
        }
        Self { first, list }
    }
}

/// Moves each vertex of a closed mesh towards the mean of its neighbours and back, 20 times. Allocates 12 bytes per
/// vertex and 4 per edge and direction.
///
/// # Source
/// Taubin 1995, doi:10.1145/218380.218473: weights are equal, lambda 0.5, mu -0.53.
pub fn smooth(mesh: &mut Mesh) {
    let adjacency = Adjacency::new(mesh);
    let mut moved = vec![[0f32; 3]; mesh.vertices.len()];
    for pass in 0..2 * PASSES {
        let step = if pass % 2 == 0 { LAMBDA } else { MU };
        let vertices = &mesh.vertices;
        parallel::for_each_chunk(&mut moved, PART, |part, piece| {
            for (at, out) in piece.iter_mut().enumerate() {
                let v = part * PART + at;
                *out = stepped(vertices, v, &adjacency.list[range(&adjacency.first, v)], step);
            }
        });
        std::mem::swap(&mut mesh.vertices, &mut moved);
    }
}

fn range(first: &[u32], v: usize) -> std::ops::Range<usize> {
    first[v] as usize..first[v + 1] as usize
}

#[inline]
fn stepped(vertices: &[[f32; 3]], v: usize, neighbours: &[u32], step: f32) -> [f32; 3] {
    let mut sum = [0f32; 3];
    for &n in neighbours {
        (0..3).for_each(|a| sum[a] += vertices[n as usize][a]);
    }
    let share = 1.0 / neighbours.len().max(1) as f32;
    let place = vertices[v];
    [0, 1, 2].map(|a| {
        if neighbours.is_empty() {
            place[a]
        } else {
            place[a] + step * (sum[a] * share - place[a])
        }
    })
}

#[cfg(test)]
#[path = "taubin_tests.rs"]
mod tests;
