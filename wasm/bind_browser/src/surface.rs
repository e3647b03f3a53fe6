//! A triangle mesh in WASM memory and the picture that is drawn of it. JavaScript writes colours and the view through
//! memory and reads the pixels there.

use kernels::raster::{draw, Frame, Mesh, View, NO_FACE};
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

/// Numbers of a view, in this order: camera from RAS (3 × 4, row by row), focal, near, far, light (3), half (3),
/// ambient, diffuse, specular.
const VIEW_LENGTH: usize = 24;
/// Pixels that one picture may have, all samples counted.
const MAX_SAMPLES: usize = 1 << 26;

/// The memory of this module's instance.
#[wasm_bindgen]
pub fn kernel_memory() -> JsValue {
    wasm_bindgen::memory()
}

#[wasm_bindgen]
pub struct SurfaceRaster {
    mesh: Mesh,
    frame: Frame,
    view: [f32; VIEW_LENGTH],
}

#[wasm_bindgen]
impl SurfaceRaster {
    /// Copies a mesh: `positions` and `normals` n × 3, `faces` m × 3.
    ///
    /// # Errors
    /// The number of a `MeshError`.
    pub fn create(positions: &[f32], normals: &[f32], faces: &[u32]) -> Result<SurfaceRaster, u32> {
        let mesh = Mesh::new(positions, normals, faces).map_err(|error| error as u32)?;
        Ok(SurfaceRaster { mesh, frame: Frame::default(), view: [0.0; VIEW_LENGTH] })
    }

    /// Makes room for pictures; false when memory is short. Drawing a smaller one needs no more.
    pub fn reserve(&mut self, width: usize, height: usize, is_smooth: bool) -> bool {
        width.checked_mul(height).is_some_and(|pixels| pixels <= MAX_SAMPLES / 4)
            && self.frame.reserve(width, height, is_smooth).is_ok()
    }

    /// Address of the vertices' colours, one RGBA word each.
    pub fn colours_address(&mut self) -> *mut u32 {
        self.mesh.colours.as_mut_ptr()
    }
    /// Address of the view's numbers.
    pub fn view_address(&mut self) -> *mut f32 {
        self.view.as_mut_ptr()
    }
    /// Address of the picture drawn last, one RGBA word a pixel.
    pub fn pixels_address(&self) -> *const u32 {
        self.frame.pixels().as_ptr()
    }

    /// Draws a picture; false when the room for it was not reserved.
    pub fn draw(&mut self, width: usize, height: usize, is_smooth: bool, is_culling: bool) -> bool {
        if !self.reserve(width, height, is_smooth) {
            return false;
        }
        let v = &self.view;
        let row = |n: usize| [v[n], v[n + 1], v[n + 2], v[n + 3]];
        let vector = |n: usize| [v[n], v[n + 1], v[n + 2]];
        let view = View {
            camera_from_ras: [row(0), row(4), row(8)],
            focal: v[12],
            near: v[13],
            far: v[14],
            light: vector(15),
            half: vector(18),
            ambient: v[21],
            diffuse: v[22],
            specular: v[23],
            is_culling,
        };
        draw(&mut self.mesh, &view, &mut self.frame, width, height, is_smooth);
        true
    }

    /// Face at a place of the picture, each 0..1 from its left top; -1 beside the mesh.
    pub fn face_at(&mut self, across: f32, down: f32) -> i32 {
        match self.frame.face_at(&self.mesh, across, down) {
            NO_FACE => -1,
            face => face as i32,
        }
    }
    /// 1/depth at a place of the picture; 0 beside the mesh.
    pub fn inverse_depth_at(&self, across: f32, down: f32) -> f32 {
        self.frame.depth_at(across, down)
    }
}
