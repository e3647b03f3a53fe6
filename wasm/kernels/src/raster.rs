//! Draws a triangle mesh with a depth buffer, for machines without WebGL: vertices are projected and shaded four at a
//! time, triangles are filled by integer edge functions on a grid of 1/64 pixel, so that neighbours leave no gaps.

mod fill;
mod lanes;
mod mesh;
mod project;

pub use mesh::{Mesh, MeshRefusal};
pub use project::{View, SUBPIXEL_BITS};

use std::collections::TryReserveError;

/// Opaque black, behind the surface.
pub const BACKGROUND: u32 = 0xff00_0000;
/// In the face buffer: no face.
pub const NO_FACE: u32 = u32::MAX;

/// Pixels of one picture, rows from the top: colour, 1/depth and the face that is seen.
#[derive(Default)]
pub struct Frame {
    colour: Vec<u32>,
    depth: Vec<f32>,
    face: Vec<u32>,
    /// A picture of which each pixel is the mean of 2 × 2 others.
    smooth: Vec<u32>,
    width: usize,
    height: usize,
    is_smooth: bool,
}

impl Frame {
    /// Makes room for pictures up to a size; `is_smooth` needs four times as much.
    ///
    /// # Errors
    /// When memory is short; the old room stays usable.
    pub fn reserve(&mut self, width: usize, height: usize, is_smooth: bool) -> Result<(), TryReserveError> {
        let pixels = width * height;
        let samples = if is_smooth { pixels * 4 } else { pixels };
        let more = samples.saturating_sub(self.colour.len());
        let smooth = if is_smooth { pixels.saturating_sub(self.smooth.len()) } else { 0 };
        self.colour.try_reserve_exact(more)?;
        self.depth.try_reserve_exact(more)?;
        self.face.try_reserve_exact(more)?;
        self.smooth.try_reserve_exact(smooth)?;
        self.colour.resize(self.colour.len() + more, BACKGROUND);
        self.depth.resize(self.depth.len() + more, 0.0);
        self.face.resize(self.face.len() + more, NO_FACE);
        self.smooth.resize(self.smooth.len() + smooth, BACKGROUND);
        Ok(())
    }

    /// The finished picture, RGBA little-endian.
    pub fn pixels(&self) -> &[u32] {
        let shrink = if self.is_smooth { 4 } else { 1 };
        let from = if self.is_smooth { &self.smooth } else { &self.colour };
        &from[..self.width * self.height / shrink]
    }

    /// Face at a place of the picture, each 0..1 from the left top, and its 1/depth; `NO_FACE` and 0 beside the mesh.
    pub fn probe(&self, across: f32, down: f32) -> (u32, f32) {
        let at = |part: f32, size: usize| ((part * size as f32) as usize).min(size.saturating_sub(1));
        let inside = (0.0..=1.0).contains(&across) && (0.0..=1.0).contains(&down);
        let place = at(down, self.height) * self.width + at(across, self.width);
        if !inside || place >= self.width * self.height {
            return (NO_FACE, 0.0);
        }
        (self.face[place], if self.face[place] == NO_FACE { 0.0 } else { self.depth[place] })
    }
}

/// Draws a mesh. `width` and `height` are those of the picture; a smooth one is drawn at twice the size.
///
/// A pixel belongs to a triangle whose edges hold its centre, the edges included; vertices are rounded to 1/64 pixel.
/// The nearest triangle wins, the first of equals. Depth (as 1/depth) and the shaded colours of the vertices are
/// linear on the screen. Triangles are cut at the near plane; what is farther than the far plane is not drawn.
///
/// # Panics
/// When the room was not reserved.
///
/// # Exactness
/// Coverage equals `naive` for the same rounded vertices; colours within 1 of 255.
pub fn draw(mesh: &mut Mesh, view: &View, frame: &mut Frame, width: usize, height: usize, is_smooth: bool) {
    let times = if is_smooth { 2 } else { 1 };
    frame.width = width * times;
    frame.height = height * times;
    frame.is_smooth = is_smooth;
    let samples = frame.width * frame.height;
    frame.colour[..samples].fill(BACKGROUND);
    frame.depth[..samples].fill(1.0 / view.far);
    frame.face[..samples].fill(NO_FACE);
    if samples == 0 {
        return;
    }
    let view = &View { focal: view.focal * times as f32, ..*view };
    project::project(mesh, view, frame.width, frame.height);
    fill::fill(mesh, view, frame);
    if is_smooth {
        shrink(&frame.colour[..samples], frame.width, &mut frame.smooth);
    }
}

/// Means of 2 × 2 pixels.
fn shrink(from: &[u32], width: usize, to: &mut [u32]) {
    let half = |word: u32| (word & 0x00ff_00ff, word >> 8 & 0x00ff_00ff);
    for (rows, out) in from.chunks_exact(width * 2).zip(to.chunks_exact_mut(width / 2)) {
        let (upper, lower) = rows.split_at(width);
        for ((pixel, above), below) in out.iter_mut().zip(upper.chunks_exact(2)).zip(lower.chunks_exact(2)) {
            let four = [half(above[0]), half(above[1]), half(below[0]), half(below[1])];
            let even = four.iter().map(|h| h.0).sum::<u32>() + 0x0002_0002 >> 2 & 0x00ff_00ff;
            let odd = four.iter().map(|h| h.1).sum::<u32>() + 0x0002_0002 >> 2 & 0x00ff_00ff;
            *pixel = even | odd << 8;
        }
    }
}

#[cfg(test)]
mod tests;
