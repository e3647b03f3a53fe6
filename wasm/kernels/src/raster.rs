//! Draws a triangle mesh with a depth buffer, for machines without WebGL: vertices are projected and shaded four at a
//! time, triangles are filled by integer edge functions on a grid of 1/64 pixel, so that neighbours leave no gaps.

mod canvas;
mod clusters;
mod fill;
mod four;
mod frame;
mod lanes;
mod large;
mod mesh;
mod project;
mod triangle;
mod view;

use canvas::Canvas;
pub use frame::{Frame, BACKGROUND, NO_FACE};
pub use mesh::{Mesh, MeshError};
pub use view::{View, SUBPIXEL_BITS};

/// Parts of a pixel.
const SUBPIXELS: i32 = 1 << SUBPIXEL_BITS;

impl Frame {
    /// Face at a place of the picture, each 0..1 from the left top; `NO_FACE` beside the mesh.
    ///
    /// `mesh` is what was drawn last, and was not drawn elsewhere since. The first face of a picture that is asked for takes
    /// as long as drawing it.
    pub fn face_at(&mut self, mesh: &Mesh, across: f32, down: f32) -> u32 {
        let Some(pixel) = self.pixel(across, down) else { return NO_FACE };
        self.render_faces(mesh);
        self.faces[pixel]
    }

    /// Draws the last picture once more, with the numbers of the faces as their colours.
    fn render_faces(&mut self, mesh: &Mesh) {
        if let Some((view, is_near)) = self.pending_faces.take() {
            self.depths[..self.width * self.height].fill(self.farthest);
            fill::fill(mesh, &view, &mut Canvas::of_faces(self), is_near);
        }
    }
}

/// Draws a mesh. `width` and `height` are those of the picture; a smooth one is drawn at twice the size.
///
/// A pixel belongs to a triangle whose edges hold its centre, the edges included; vertices are rounded to 1/64 pixel.
/// The nearest triangle wins, of equals always the same one. The vertices' colours are rounded to bytes. Depth (as 1/depth) and the shaded colours of the vertices are
/// linear on the screen. Triangles are cut at the near plane; what is farther than the far plane is not drawn.
///
/// # Panics
/// When the room was not reserved.
///
/// # Exactness
/// Coverage equals `naive` for the same rounded vertices; colours within 1 of 255.
pub fn draw(mesh: &mut Mesh, view: &View, frame: &mut Frame, width: usize, height: usize, is_smooth: bool) {
    let times = if is_smooth { 2 } else { 1 };
    frame.count = width * height;
    if frame.count == 0 {
        return;
    }
    frame.clear(width * times, height * times, view.far);
    let view = &View { focal: view.focal * times as f32, ..*view };
    mesh.clusters.cull(view, mesh.reach);
    let (is_near, [x0, y0, x1, y1]) = project::project(mesh, view, frame.width, frame.height);
    fill::fill(mesh, view, &mut Canvas::of(frame), is_near);
    frame.pending_faces = Some((*view, is_near));
    let pixel = |place: i32, size: usize| ((place >> SUBPIXEL_BITS).max(0) as usize).min(size);
    // a clipped triangle may reach beyond every vertex
    let [x0, y0] = [pixel(x0, frame.width), pixel(y0, frame.height)];
    let [x1, y1] = [pixel(x1 + SUBPIXELS, frame.width).max(x0), pixel(y1 + SUBPIXELS, frame.height).max(y0)];
    frame.touched = (!is_near && !is_smooth).then_some([x0, y0, x1, y1]);
    if is_smooth {
        frame.shrink();
    }
}

#[cfg(test)]
mod tests;
