//! What a mesh is made of: components, handles, normals.

use super::mesh::Mesh;

/// Keeps the component with the most faces (of equal ones that of the first vertex) and drops the vertices of the
/// others. The order of what remains is kept.
pub fn keep_largest_component(mesh: &mut Mesh) {
    let mut parent: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
    for &[a, b, c] in &mesh.faces {
        let low = root(&mut parent, a);
        for other in [b, c] {
            let (x, y) = (root(&mut parent, low), root(&mut parent, other));
            parent[x.max(y) as usize] = x.min(y);
        }
    }
    let mut size = vec![0usize; parent.len()];
    mesh.faces.iter().for_each(|face| size[root(&mut parent, face[0]) as usize] += 1);
    let Some(&largest) = size.iter().max() else { return };
    let kept = size.iter().position(|&s| s == largest).map(|at| at as u32);
    let is_kept: Vec<bool> = (0..parent.len() as u32).map(|v| Some(root(&mut parent, v)) == kept).collect();
    mesh.faces.retain(|face| is_kept[face[0] as usize]);
    drop_vertices(mesh, |v| is_kept[v]);
}

fn root(parent: &mut [u32], mut at: u32) -> u32 {
    while parent[at as usize] != at {
        parent[at as usize] = parent[parent[at as usize] as usize];
        at = parent[at as usize];
    }
    at
}

/// Drops vertices that no face uses and numbers the others anew.
pub fn drop_vertices(mesh: &mut Mesh, is_kept: impl Fn(usize) -> bool) {
    let mut number = vec![0u32; mesh.vertices.len()];
    let mut count = 0;
    for v in 0..mesh.vertices.len() {
        if is_kept(v) {
            number[v] = count as u32;
            mesh.vertices[count] = mesh.vertices[v];
            count += 1;
        }
    }
    mesh.vertices.truncate(count);
    mesh.faces.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
}

/// Vertices minus edges plus faces of a closed mesh (an edge for every two sides of faces).
pub fn euler_number(mesh: &Mesh) -> i64 {
    mesh.vertices.len() as i64 - (mesh.faces.len() as i64 * 3 / 2) + mesh.faces.len() as i64
}

/// Unit normals at the vertices: the faces' normals weighted by their areas. Zero where the faces cancel.
pub fn vertex_normals(mesh: &Mesh) -> Vec<[f32; 3]> {
    let mut sums = vec![[0f64; 3]; mesh.vertices.len()];
    for face in &mesh.faces {
        let normal = face_normal(face.map(|v| mesh.vertices[v as usize].map(f64::from)));
        for &v in face {
            (0..3).for_each(|a| sums[v as usize][a] += normal[a]);
        }
    }
    let unit = |sum: [f64; 3]| {
        let length = dot(sum, sum).sqrt();
        sum.map(|s| if length > 0.0 { (s / length) as f32 } else { 0.0 })
    };
    sums.into_iter().map(unit).collect()
}

/// Normal of a triangle, twice its area long.
#[inline]
pub(super) fn face_normal([p, q, r]: [[f64; 3]; 3]) -> [f64; 3] {
    let (u, v) = (minus(q, p), minus(r, p));
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

#[inline]
pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
#[path = "topology_tests.rs"]
mod tests;
