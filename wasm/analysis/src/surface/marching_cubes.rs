//! The surface where a field crosses a level: vertices on the grid's edges, triangles inside its cells.

use super::mesh::Mesh;
use volume::Shape;

/// Triangles of each of the 256 ways in which a cell's corners lie inside, as triples of the cell's edges.
///
/// Corner c of a cell has the offset (c & 1, c >> 1 & 1, c >> 2). Edge 4a + p + 2q runs along axis a, at offset p on
/// axis a + 1 and q on axis a + 2 (modulo 3).
pub struct CaseTable(Vec<Vec<[u8; 3]>>);

/// Axes after `axis`, cyclically.
fn others(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

/// Edge of two corners that differ in one bit.
fn edge_between(a: usize, b: usize) -> usize {
    let axis = (a ^ b).trailing_zeros() as usize;
    let [u, v] = others(axis);
    4 * axis + (a >> u & 1) + 2 * (a >> v & 1)
}

/// Corners of an edge, the lower first.
fn corners_of(edge: usize) -> [usize; 2] {
    let [u, v] = others(edge / 4);
    let low = (edge & 1) << u | (edge >> 1 & 1) << v;
    [low, low | 1 << (edge / 4)]
}

/// Whether a face of the cell holds both edges.
fn share_face(a: usize, b: usize) -> bool {
    let corners = [corners_of(a), corners_of(b)].concat();
    (0..3).any(|axis| corners.iter().all(|c| c >> axis & 1 == corners[0] >> axis & 1))
}

/// For each crossed edge the one that follows it on the outline of the surface, seen from outside.
///
/// A face is walked counter-clockwise seen from outside the cell; each run of inside corners is cut off by a segment
/// from the edge that enters the run to the edge that leaves it. The rule looks at the face alone, so the cells on both
/// its sides draw the same segments, also when two diagonal corners are inside: those are kept apart.
fn outline(case: usize) -> [Option<usize>; 12] {
    let mut next = [None; 12];
    let is_inside = |corner: usize| case >> corner & 1 == 1;
    for axis in 0..3 {
        let [u, v] = others(axis).map(|a| 1usize << a);
        for side in [0, 1] {
            let mut cycle = [0, u, u | v, v].map(|corner| corner | side << axis);
            if side == 0 {
                cycle.reverse();
            }
            for at in 0..4 {
                if is_inside(cycle[at]) || !is_inside(cycle[(at + 1) % 4]) {
                    continue;
                }
                let enters = edge_between(cycle[at], cycle[(at + 1) % 4]);
                let last = (at + 1..at + 4).find(|&n| !is_inside(cycle[(n + 1) % 4])).unwrap_or(at);
                next[enters] = Some(edge_between(cycle[last % 4], cycle[(last + 1) % 4]));
            }
        }
    }
    next
}

/// Triangles of a polygon of edges with the least sum of squared diagonals between middles of edges. A diagonal never
/// lies in a face of the cell, where the cell behind might draw the same one.
fn triangulate(polygon: &[usize]) -> Vec<[u8; 3]> {
    let n = polygon.len();
    let length = |a: usize, b: usize| -> u32 {
        let twice = |e: usize| {
            [0, 1, 2].map(|axis| corners_of(e).iter().map(|c| (c >> axis & 1) as i32).sum::<i32>())
        };
        let (p, q) = (twice(polygon[a]), twice(polygon[b]));
        (0..3).map(|axis| (p[axis] - q[axis]).pow(2) as u32).sum()
    };
    // best[a][b]: cost of the part from a to b and the corner that makes a triangle with the chord from a to b.
    let mut best = vec![vec![(0u32, 0usize); n]; n];
    for span in 2..n {
        for a in 0..n - span {
            let b = a + span;
            let is_outline = span == n - 1;
            best[a][b] = (u32::MAX, 0);
            if !is_outline && share_face(polygon[a], polygon[b]) {
                continue;
            }
            let chord = if is_outline { 0 } else { length(a, b) };
            for middle in a + 1..b {
                let cost = best[a][middle].0.saturating_add(best[middle][b].0).saturating_add(chord);
                if cost < best[a][b].0 {
                    best[a][b] = (cost, middle);
                }
            }
        }
    }
    let mut triangles = Vec::new();
    let mut open = vec![(0, n - 1)];
    while let Some((a, b)) = open.pop() {
        if b - a >= 2 {
            let middle = best[a][b].1;
            triangles.push([a, middle, b].map(|corner| polygon[corner] as u8));
            open.extend([(a, middle), (middle, b)]);
        }
    }
    triangles
}

impl CaseTable {
    /// Traces the outline of each case and fills it with triangles.
    pub fn new() -> Self {
        let case_triangles = |case: usize| {
            let next = outline(case);
            let mut is_done = [false; 12];
            let mut triangles = Vec::new();
            for first in 0..12 {
                let mut polygon = Vec::new();
                let mut at = first;
                while let Some(edge) = next[at].filter(|_| !is_done[at]) {
                    is_done[at] = true;
                    polygon.push(at);
                    at = edge;
                }
                if !polygon.is_empty() {
                    triangles.extend(triangulate(&polygon));
                }
            }
            triangles
        };
        Self((0..256).map(case_triangles).collect())
    }
}

impl Default for CaseTable {
    fn default() -> Self {
        Self::new()
    }
}

/// Numbers of the vertices on a layer of cells; only those of crossed edges are valid.
struct Layer {
    /// Edges along i and j in the slice below and above the layer.
    along_i: [Vec<u32>; 2],
    along_j: [Vec<u32>; 2],
    /// Edges between the slices.
    along_k: Vec<u32>,
}

/// Cuts the surface `field = level` out; `field >= level` is inside. Vertices in index coordinates, faces
/// counter-clockwise seen from outside in a right-handed frame.
///
/// # Shape
/// `field`: `shape`, i fastest, below `level` on the faces of the grid, otherwise the mesh is open there. Allocates
/// one byte per voxel and 20 bytes per voxel of a slice beside the mesh.
///
/// # Exactness
/// Every edge of the mesh has exactly two faces, in opposite directions (tested on noise).
///
/// # Source
/// The cells of Lorensen & Cline 1987, doi:10.1145/37401.37422. Differs: the table is derived here from one rule per
/// face, so that no face is left open.
pub fn extract(field: &[f32], shape: Shape, level: f32) -> Mesh {
    let [nx, ny, nz] = shape;
    assert_eq!(field.len(), nx * ny * nz);
    let CaseTable(table) = CaseTable::new();
    let is_inside: Vec<u8> = field.iter().map(|&value| u8::from(value >= level)).collect();
    let plane = nx * ny;
    let empty = || vec![0u32; plane];
    let mut layer = Layer { along_i: [empty(), empty()], along_j: [empty(), empty()], along_k: empty() };
    let mut mesh = Mesh::default();
    for k in 0..nz {
        layer.along_i.swap(0, 1);
        layer.along_j.swap(0, 1);
        for at in 0..plane {
            let v = k * plane + at;
            let place = [at % nx, at / nx, k];
            let mut cross = |other: usize, axis: usize, number: &mut u32| {
                if is_inside[v] != is_inside[other] {
                    let mut vertex = place.map(|p| p as f32);
                    vertex[axis] += (level - field[v]) / (field[other] - field[v]);
                    *number = mesh.vertices.len() as u32;
                    mesh.vertices.push(vertex);
                }
            };
            if place[0] + 1 < nx {
                cross(v + 1, 0, &mut layer.along_i[1][at]);
            }
            if place[1] + 1 < ny {
                cross(v + nx, 1, &mut layer.along_j[1][at]);
            }
            if k > 0 {
                // From the slice below, so that the fraction counts upwards.
                let below = v - plane;
                if is_inside[v] != is_inside[below] {
                    layer.along_k[at] = mesh.vertices.len() as u32;
                    let fraction = (level - field[below]) / (field[v] - field[below]);
                    mesh.vertices.push([place[0] as f32, place[1] as f32, (k - 1) as f32 + fraction]);
                }
            }
        }
        if k > 0 {
            add_cells(&mut mesh.faces, &table, &layer, &is_inside[(k - 1) * plane..][..2 * plane], nx);
        }
    }
    mesh
}

/// Triangles of the cells between two slices.
fn add_cells(faces: &mut Vec<[u32; 3]>, table: &[Vec<[u8; 3]>], layer: &Layer, is_inside: &[u8], nx: usize) {
    let plane = is_inside.len() / 2;
    for j in 0..(plane / nx).saturating_sub(1) {
        let rows = [0, nx, plane, plane + nx].map(|offset| &is_inside[j * nx + offset..][..nx]);
        // Corners of the column of cells' left side: bits 0, 2, 4, 6; its right side is the next one's left.
        let side = |i: usize| usize::from(rows[0][i] | rows[1][i] << 2 | rows[2][i] << 4 | rows[3][i] << 6);
        let mut left = side(0);
        for i in 0..nx - 1 {
            let right = side(i + 1);
            let case = left | right << 1;
            left = right;
            for triangle in &table[case] {
                faces.push(triangle.map(|edge| {
                    let (p, q) = (usize::from(edge & 1), usize::from(edge >> 1 & 1));
                    match edge / 4 {
                        0 => layer.along_i[q][(j + p) * nx + i],
                        1 => layer.along_j[p][j * nx + i + q],
                        _ => layer.along_k[(j + q) * nx + i + p],
                    }
                }));
            }
        }
    }
}

#[cfg(test)]
#[path = "marching_cubes_tests.rs"]
mod tests;
