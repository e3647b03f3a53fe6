//! The mesh that the steps of the surface pass on.

/// Triangles with shared vertices. Every step keeps it closed (each edge has exactly two faces, which run through it in
/// opposite directions) and each vertex in one fan of faces.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    pub vertices: Vec<[f32; 3]>,
    /// Indices of vertices, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
}
