//! The brain's surface for JavaScript.

use analysis::surface::Surface;
use wasm_bindgen::prelude::*;

/// A closed triangle mesh in RAS mm of the scanner.
#[wasm_bindgen]
pub struct EngineSurface {
    inner: Surface,
}

impl EngineSurface {
    pub(crate) fn new(inner: Surface) -> Self {
        Self { inner }
    }
}

#[wasm_bindgen]
impl EngineSurface {
    // each array is wanted once: what has been taken is empty

    pub fn take_vertices(&mut self) -> Vec<f32> {
        std::mem::take(&mut self.inner.vertices)
    }

    pub fn take_faces(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.inner.faces)
    }

    pub fn take_normals(&mut self) -> Vec<f32> {
        std::mem::take(&mut self.inner.normals)
    }

    /// Cortical thickness at each vertex, mm; 0 where there is none.
    pub fn take_values(&mut self) -> Vec<f32> {
        std::mem::take(&mut self.inner.values)
    }

    /// Triangles before the decimation.
    pub fn triangles_before(&self) -> usize {
        self.inner.triangles_before
    }

    /// Vertices - edges + faces; 2 for a surface without handles.
    pub fn euler(&self) -> f64 {
        self.inner.euler as f64
    }
}
