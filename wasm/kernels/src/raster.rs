//! Draws a triangle mesh with a depth buffer, for machines without WebGL: vertices are projected and shaded four at a
//! time, triangles are filled by integer edge functions on a grid of 1/64 pixel, so that neighbours leave no gaps.

mod canvas;
mod clusters;
mod fill;
mod four;
mod lanes;
mod large;
mod mesh;
mod project;

use canvas::Canvas;
pub use mesh::{Mesh, MeshRefusal};
pub use project::{View, SUBPIXEL_BITS};

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

/// Parts of a pixel.
const SUBPIXELS: i32 = 1 << SUBPIXEL_BITS;

/// Opaque black, behind the surface.
pub const BACKGROUND: u32 = 0xff00_0000;
/// In the face buffer: no face.
pub const NO_FACE: u32 = u32::MAX;

/// One picture: colour, depth and the face that is seen.
#[derive(Default)]
pub struct Frame {
    /// 1/depth; that of the far plane where nothing was drawn.
    depths: Vec<f32>,
    /// Says nothing where nothing was drawn, nor before somebody asks for a face: writing them would slow each picture.
    faces: Vec<u32>,
    /// What the last picture was drawn of, while its faces are not there: the view, and whether it cuts triangles.
    unnamed: Option<(View, bool)>,
    /// RGBA, rows from the top.
    pixels: Vec<u32>,
    /// 1/depth of the far plane.
    farthest: f32,
    /// Columns and rows outside of which the arrays are clear, for a picture of this width, height and far plane.
    touched: Option<[usize; 4]>,
    /// Of the picture that was drawn, which has twice the size of a smooth one's pixels.
    width: usize,
    height: usize,
    /// Of `pixels`.
    count: usize,
}

impl Frame {
    /// Makes room for pictures up to a size; `is_smooth` needs four times as much.
    ///
    /// # Errors
    /// When memory is short; the old room stays usable.
    pub fn reserve(&mut self, width: usize, height: usize, is_smooth: bool) -> Result<(), TryReserveError> {
        let samples = width * height * if is_smooth { 4 } else { 1 };
        let more = samples.saturating_sub(self.pixels.len());
        self.depths.try_reserve_exact(more)?;
        self.faces.try_reserve_exact(more)?;
        self.pixels.try_reserve_exact(more)?;
        self.depths.resize(self.pixels.len() + more, 0.0);
        self.faces.resize(self.pixels.len() + more, NO_FACE);
        self.pixels.resize(self.pixels.len() + more, BACKGROUND);
        if more > 0 {
            self.touched = None;
        }
        Ok(())
    }

    /// The finished picture, RGBA little-endian.
    pub fn pixels(&self) -> &[u32] {
        &self.pixels[..self.count]
    }

    /// Index of the pixel at a place of the picture, each 0..1 from the left top, where the mesh is seen.
    fn pixel(&self, across: f32, down: f32) -> Option<usize> {
        let at = |part: f32, size: usize| ((part * size as f32) as usize).min(size.saturating_sub(1));
        let inside = (0.0..=1.0).contains(&across) && (0.0..=1.0).contains(&down);
        if !inside || self.count == 0 {
            return None;
        }
        let pixel = at(down, self.height) * self.width + at(across, self.width);
        (self.depths[pixel] > self.farthest).then_some(pixel)
    }

    /// Face at a place of the picture, each 0..1 from the left top; `NO_FACE` beside the mesh.
    ///
    /// `mesh` is what was drawn last, and was not drawn elsewhere since. The first face of a picture that is asked for takes
    /// as long as drawing it.
    pub fn face_at(&mut self, mesh: &Mesh, across: f32, down: f32) -> u32 {
        let Some(pixel) = self.pixel(across, down) else { return NO_FACE };
        self.name_faces(mesh);
        self.faces[pixel]
    }

    /// 1/depth at a place of the picture; 0 beside the mesh.
    pub fn depth_at(&self, across: f32, down: f32) -> f32 {
        self.pixel(across, down).map_or(0.0, |pixel| self.depths[pixel])
    }

    /// Draws the last picture once more, with the numbers of the faces as their colours.
    fn name_faces(&mut self, mesh: &Mesh) {
        if let Some((view, is_near)) = self.unnamed.take() {
            self.depths[..self.width * self.height].fill(self.farthest);
            fill::fill(mesh, &view, &mut Canvas::of_faces(self), is_near);
        }
    }

    /// Clears what was drawn before.
    fn clear(&mut self, width: usize, height: usize, far: f32) {
        let farthest = 1.0 / far;
        let is_alike = (self.width, self.height, self.farthest) == (width, height, farthest);
        (self.width, self.height, self.farthest) = (width, height, farthest);
        let [x0, y0, x1, y1] = self.touched.filter(|_| is_alike).unwrap_or([0, 0, width, height]);
        for y in y0..y1 {
            let row = y * width;
            self.depths[row + x0..row + x1].fill(farthest);
            self.pixels[row + x0..row + x1].fill(BACKGROUND);
        }
    }

    /// Each 2 × 2 pixels become one, their mean. What is written lies before what is still to be read.
    fn shrink(&mut self) {
        let (width, height) = (self.width / 2, self.height / 2);
        let half = |word: u32| (word & 0x00ff_00ff, (word >> 8) & 0x00ff_00ff);
        let mean = |sum: u32| ((sum + 0x0002_0002) >> 2) & 0x00ff_00ff;
        let sum = |(a, b): (u32, u32), (c, d): (u32, u32)| (a + c, b + d);
        let pair = |row: &[u32], x: usize| sum(half(row[2 * x]), half(row[2 * x + 1]));
        for y in 0..height {
            let [upper, lower] = [0, 1].map(|n| (2 * y + n) * self.width);
            for x in 0..width {
                let (upper, lower) = (&self.pixels[upper..], &self.pixels[lower..]);
                let (even, odd) = sum(pair(upper, x), pair(lower, x));
                self.pixels[y * width + x] = mean(even) | mean(odd) << 8;
            }
        }
    }
}

/// Draws a mesh. `width` and `height` are those of the picture; a smooth one is drawn at twice the size.
///
/// A pixel belongs to a triangle whose edges hold its centre, the edges included; vertices are rounded to 1/64 pixel.
/// The nearest triangle wins, of equals always the same one. The vertices' colours are whole bytes. Depth (as 1/depth) and the shaded colours of the vertices are
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
    mesh.clusters.look(view, mesh.reach);
    let (is_near, [x0, y0, x1, y1]) = project::project(mesh, view, frame.width, frame.height);
    fill::fill(mesh, view, &mut Canvas::of(frame), is_near);
    frame.unnamed = Some((*view, is_near));
    let pixel = |place: i32, size: usize| ((place >> SUBPIXEL_BITS).max(0) as usize).min(size);
    // triangles that are cut have places between which no vertex lies
    let [x0, y0] = [pixel(x0, frame.width), pixel(y0, frame.height)];
    let [x1, y1] = [pixel(x1 + SUBPIXELS, frame.width).max(x0), pixel(y1 + SUBPIXELS, frame.height).max(y0)];
    frame.touched = (!is_near && !is_smooth).then_some([x0, y0, x1, y1]);
    if is_smooth {
        frame.shrink();
    }
}

#[cfg(test)]
mod tests;
