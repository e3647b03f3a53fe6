//! A mesh in the form that is drawn: vertices in blocks of four.

use super::clusters::Clusters;
use super::lanes::Lanes;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::floats::Single;
use alloc::collections::TryReserveError;
use alloc::vec::Vec;

/// Why a mesh cannot be drawn. The numbers cross the WASM boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshError {
    /// Lengths that are no whole vertices and faces, or differ.
    Length = 1,
    /// A face names a vertex that does not exist.
    Index = 2,
    /// A coordinate is no finite number.
    Coordinate = 3,
    Memory = 4,
}

impl From<TryReserveError> for MeshError {
    fn from(_: TryReserveError) -> Self {
        MeshError::Memory
    }
}

/// Positions and normals of four vertices: x, y, z of each.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub position: [Lanes; 3],
    pub normal: [Lanes; 3],
}

/// Triangles with shared vertices, ready to be drawn.
pub struct Mesh {
    pub(super) blocks: Vec<Block>,
    /// Three per triangle, counter-clockwise seen from the front; each below the vertex count. Filled up to four faces
    /// with faces that have no area.
    pub(super) faces: Vec<u32>,
    /// RGBA of each vertex, little-endian; filled up to whole blocks.
    pub colours: Vec<u32>,
    /// What a frame makes of the vertices: x, y in parts of a pixel; the bytes of shaded green, red, 0 and
    /// blue; 1/depth.
    pub(super) corners: Vec<Lanes>,
    pub(super) clusters: Clusters,
    /// Farthest that a vertex lies from RAS 0, mm.
    pub(super) reach: f32,
}

impl Mesh {
    /// Copies a mesh into the form that is drawn.
    ///
    /// # Shape
    /// `positions` and `normals`: n × 3, RAS mm and unit vectors; `faces`: m × 3. Allocates 68 bytes a vertex and 14 a
    /// face; drawing allocates nothing.
    ///
    /// # Errors
    /// [`MeshError`]; nothing is read outside the mesh afterwards.
    pub fn new(positions: &[f32], normals: &[f32], faces: &[u32]) -> Result<Mesh, MeshError> {
        let vertices = positions.len() / 3;
        let is_whole = positions.len().is_multiple_of(3) && faces.len().is_multiple_of(3);
        if !is_whole || normals.len() != positions.len() {
            return Err(MeshError::Length);
        }
        if faces.iter().any(|&index| index as usize >= vertices) {
            return Err(MeshError::Index);
        }
        if positions.iter().chain(normals).any(|value| !value.is_finite()) {
            return Err(MeshError::Coordinate);
        }
        let count = vertices.div_ceil(4);
        let mut mesh = Mesh {
            blocks: Vec::new(),
            faces: Vec::new(),
            colours: Vec::new(),
            corners: Vec::new(),
            clusters: Clusters::default(),
            reach: 0.0,
        };
        mesh.blocks.try_reserve_exact(count)?;
        mesh.faces.try_reserve_exact(faces.len().next_multiple_of(12))?;
        mesh.colours.try_reserve_exact(count * 4)?;
        mesh.corners.try_reserve_exact(count * 4)?;
        mesh.faces.extend_from_slice(faces);
        mesh.faces.resize(faces.len().next_multiple_of(12), 0);
        mesh.colours.resize(count * 4, u32::MAX);
        mesh.corners.resize(count * 4, Lanes::from_i32([0; 4]));
        let four = |values: &[f32], block: usize, axis: usize| {
            Lanes::from_f32(
                [0, 1, 2, 3].map(|n| values.get((block * 4 + n) * 3 + axis).copied().unwrap_or(0.0)),
            )
        };
        mesh.blocks.extend((0..count).map(|block| Block {
            position: [0, 1, 2].map(|axis| four(positions, block, axis)),
            normal: [0, 1, 2].map(|axis| four(normals, block, axis)),
        }));
        let square = |[x, y, z]: &[f32; 3]| x * x + y * y + z * z;
        mesh.reach = positions.as_chunks::<3>().0.iter().map(square).fold(0.0, f32::max).sqrt();
        mesh.clusters = Clusters::new(&mesh.faces, count, |vertex| mesh.position(vertex))?;
        Ok(mesh)
    }

    /// Position of a vertex below the vertex count, RAS mm.
    pub(super) fn position(&self, vertex: usize) -> [f32; 3] {
        self.blocks[vertex / 4].position.map(|lanes| match vertex % 4 {
            0 => lanes.f32_lane::<0>(),
            1 => lanes.f32_lane::<1>(),
            2 => lanes.f32_lane::<2>(),
            _ => lanes.f32_lane::<3>(),
        })
    }
}
