//! The outer surface of the brain as a closed triangle mesh in the scanner's space, with cortical thickness on it.
//! The order of the steps is in `extract`; each step has its own module.

pub mod decimate;
pub mod field;
pub mod marching_cubes;
pub mod mesh;
pub mod queue;
pub mod taubin;
pub mod thickness_values;
pub mod topology;

use mesh::Mesh;
use volume::{Affine, Error, Shape};

/// Sigma of the blur before the surface is cut out, mm.
const BLUR_MM: f64 = 0.7;

/// The surface as the result stores it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    /// n × 3, RAS mm.
    pub vertices: Vec<f32>,
    /// m × 3, counter-clockwise seen from outside.
    pub faces: Vec<u32>,
    /// n × 3, unit, outward.
    pub normals: Vec<f32>,
    /// n, cortical thickness in mm; 0 where no cortex is near.
    pub values: Vec<f32>,
    /// Triangles of the largest component before decimation.
    pub triangles_before: usize,
    /// 2 for a sphere, 2 less for each handle; the same before and after decimation.
    pub euler: i64,
}

/// Cuts the surface out of a label map: labels 1..104 are brain, with cerebellum, brain stem and ventricles; 0 and 105
/// are outside. Parts apart from the largest and cavities inside it are left out. A brain that the grid cuts is closed
/// along the border.
///
/// # Shape
/// `labels` and `thickness_mm` (0 off the cortex): `shape`, i fastest. Allocates about 5 bytes per voxel of the brain's
/// box and 300 bytes per vertex before decimation.
///
/// # Errors
/// `engine.unsupported_input` when no brain is labelled; `volume.affine_singular`.
///
/// # Exactness
/// The result does not depend on the number of threads. At most `max_triangles` remain unless the surface has so many
/// handles that no fewer triangles can carry them.
pub fn extract(
    labels: &[u8],
    shape: Shape,
    thickness_mm: &[f32],
    ras_from_window: &Affine,
    max_triangles: usize,
) -> Result<Surface, Error> {
    let count = shape.iter().product::<usize>();
    if labels.len() != count || thickness_mm.len() != count {
        return Err(Error::misuse("Cannot extract the surface: voxel count and shape differ"));
    }
    let window_from_ras = ras_from_window.invert()?;
    let mesh = brain_mesh(labels, shape, ras_from_window)?;
    let triangles_before = mesh.faces.len();
    let mesh = decimate::decimate(&mesh, max_triangles);
    let normals = topology::vertex_normals(&mesh);
    let values = thickness_values::sample(
        &mesh.vertices,
        &normals,
        thickness_mm,
        shape,
        &window_from_ras,
        ras_from_window,
    );
    Ok(Surface {
        euler: topology::euler_number(&mesh),
        vertices: mesh.vertices.into_flattened(),
        faces: mesh.faces.into_flattened(),
        normals: normals.into_flattened(),
        values,
        triangles_before,
    })
}

/// The largest component in full detail, smoothed, in RAS mm.
///
/// # Errors
/// `engine.unsupported_input` when no brain is labelled.
pub fn brain_mesh(labels: &[u8], shape: Shape, ras_from_window: &Affine) -> Result<Mesh, Error> {
    let sigma = ras_from_window.spacing_mm().map(|mm| BLUR_MM / mm);
    let empty = || Error::unsupported("empty", "Cannot extract the surface: no voxel is brain");
    let field = field::brain_field(labels, shape, sigma).ok_or_else(empty)?;
    let mut mesh = marching_cubes::extract(&field.values, field.shape, 0.5);
    drop(field.values);
    topology::keep_largest_component(&mut mesh);
    if mesh.faces.is_empty() {
        return Err(empty());
    }
    for vertex in &mut mesh.vertices {
        let place = [0, 1, 2].map(|a| f64::from(vertex[a]) + field.low[a] as f64);
        *vertex = ras_from_window.apply(place).map(|mm| mm as f32);
    }
    if ras_from_window.determinant() < 0.0 {
        mesh.faces.iter_mut().for_each(|face| face.swap(1, 2));
    }
    taubin::smooth(&mut mesh);
    Ok(mesh)
}

#[cfg(test)]
#[path = "surface_tests.rs"]
mod tests;
