//! Draws a triangle mesh with a depth buffer, for machines without WebGL: vertices are projected and shaded four at a
//! time, triangles are filled by integer edge functions on a grid of 1/64 pixel, so that neighbours leave no gaps.

mod fill;
mod lanes;
mod mesh;
mod project;

pub use mesh::{Mesh, MeshRefusal};
pub use project::{View, SUBPIXEL_BITS};

use lanes::Lanes;
use std::collections::TryReserveError;

/// Opaque black, behind the surface.
pub const BACKGROUND: u32 = 0xff00_0000;
/// In the face buffer: no face.
pub const NO_FACE: u32 = u32::MAX;

/// 2 × 2 pixels, side by side in memory; lanes go right, then down.
#[derive(Clone, Copy)]
struct Quad {
    /// 1/depth
    depth: Lanes,
    face: Lanes,
    colour: Lanes,
}

/// One picture: colour, depth and the face that is seen.
#[derive(Default)]
pub struct Frame {
    quads: Vec<Quad>,
    /// RGBA, rows from the top.
    pixels: Vec<u32>,
    /// Of the picture that was drawn, which has twice the size of a smooth one's pixels.
    width: usize,
    height: usize,
    /// Of `pixels`.
    count: usize,
}

impl Quad {
    fn empty(far: f32) -> Quad {
        Quad {
            depth: Lanes::floats([1.0 / far; 4]),
            face: Lanes::ints([NO_FACE as i32; 4]),
            colour: Lanes::ints([BACKGROUND as i32; 4]),
        }
    }
}

impl Frame {
    /// Makes room for pictures up to a size; `is_smooth` needs four times as much.
    ///
    /// # Errors
    /// When memory is short; the old room stays usable.
    pub fn reserve(&mut self, width: usize, height: usize, is_smooth: bool) -> Result<(), TryReserveError> {
        let quads = if is_smooth { width * height } else { width.div_ceil(2) * height.div_ceil(2) };
        let more = quads.saturating_sub(self.quads.len());
        let pixels = (width * height).saturating_sub(self.pixels.len());
        self.quads.try_reserve_exact(more)?;
        self.pixels.try_reserve_exact(pixels)?;
        self.quads.resize(self.quads.len() + more, Quad::empty(1.0));
        self.pixels.resize(self.pixels.len() + pixels, BACKGROUND);
        Ok(())
    }

    /// The finished picture, RGBA little-endian.
    pub fn pixels(&self) -> &[u32] {
        &self.pixels[..self.count]
    }

    /// Quads in a row.
    fn stride(&self) -> usize {
        self.width.div_ceil(2)
    }

    /// Face and 1/depth of a pixel as it was drawn.
    fn sample(&self, x: usize, y: usize) -> (u32, f32) {
        let quad = &self.quads[y / 2 * self.stride() + x / 2];
        let lane = y % 2 * 2 + x % 2;
        match quad.face.to_ints()[lane] as u32 {
            NO_FACE => (NO_FACE, 0.0),
            face => (face, f32::from_bits(quad.depth.to_ints()[lane] as u32)),
        }
    }

    /// Face at a place of the picture, each 0..1 from the left top, and its 1/depth; `NO_FACE` and 0 beside the mesh.
    pub fn probe(&self, across: f32, down: f32) -> (u32, f32) {
        let at = |part: f32, size: usize| ((part * size as f32) as usize).min(size.saturating_sub(1));
        let inside = (0.0..=1.0).contains(&across) && (0.0..=1.0).contains(&down);
        if !inside || self.count == 0 {
            return (NO_FACE, 0.0);
        }
        self.sample(at(across, self.width), at(down, self.height))
    }

    fn clear(&mut self, far: f32) {
        let quads = self.stride() * self.height.div_ceil(2);
        self.quads[..quads].fill(Quad::empty(far));
    }

    /// Quads become rows of pixels.
    fn spread_quads(&mut self) {
        let (width, stride) = (self.width, self.stride());
        for (y, row) in self.pixels[..self.count].chunks_exact_mut(width).enumerate() {
            let quads = &self.quads[y / 2 * stride..][..stride];
            let lane = y % 2 * 2;
            let mut pairs = row.chunks_exact_mut(2);
            for (pair, quad) in (&mut pairs).zip(quads) {
                let words = quad.colour.to_ints();
                pair[0] = words[lane] as u32;
                pair[1] = words[lane + 1] as u32;
            }
            if let [last] = pairs.into_remainder() {
                *last = quads[stride - 1].colour.to_ints()[lane] as u32;
            }
        }
    }

    /// Each quad becomes one pixel, the mean of its four.
    fn shrink_quads(&mut self) {
        for (pixel, quad) in self.pixels[..self.count].iter_mut().zip(&self.quads) {
            let half = |word: i32| (word as u32 & 0x00ff_00ff, (word as u32 >> 8) & 0x00ff_00ff);
            let mean = |sum: u32| ((sum + 0x0002_0002) >> 2) & 0x00ff_00ff;
            let (even, odd) =
                quad.colour.to_ints().map(half).iter().fold((0, 0), |sum, h| (sum.0 + h.0, sum.1 + h.1));
            *pixel = mean(even) | mean(odd) << 8;
        }
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
    (frame.width, frame.height, frame.count) = (width * times, height * times, width * height);
    if frame.count == 0 {
        return;
    }
    frame.clear(view.far);
    let view = &View { focal: view.focal * times as f32, ..*view };
    let is_near = project::project(mesh, view, frame.width, frame.height);
    fill::fill(mesh, view, frame, is_near);
    if is_smooth {
        frame.shrink_quads();
    } else {
        frame.spread_quads();
    }
}

#[cfg(test)]
mod tests;
