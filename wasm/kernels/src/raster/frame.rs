//! One picture while it is kept: colours, depths and faces.

use super::view::View;
use alloc::collections::TryReserveError;
use alloc::vec::Vec;

/// Opaque black, behind the surface.
pub const BACKGROUND: u32 = 0xff00_0000;
/// In the face buffer: no face.
pub const NO_FACE: u32 = u32::MAX;

/// One picture: colour, depth and the face that is seen.
#[derive(Default)]
pub struct Frame {
    /// 1/depth; that of the far plane where nothing was drawn.
    pub(super) depths: Vec<f32>,
    /// Says nothing where nothing was drawn, nor before somebody asks for a face: writing them would slow each picture.
    pub(super) faces: Vec<u32>,
    /// What the last picture was drawn of, while its faces are not there: the view, and whether it cuts triangles.
    pub(super) pending_faces: Option<(View, bool)>,
    /// RGBA, rows from the top.
    pub(super) pixels: Vec<u32>,
    /// 1/depth of the far plane.
    pub(super) farthest: f32,
    /// Columns and rows outside of which the arrays are clear, for a picture of this width, height and far plane.
    pub(super) touched: Option<[usize; 4]>,
    /// Of the picture that was drawn, which has twice the size of a smooth one's pixels.
    pub(super) width: usize,
    pub(super) height: usize,
    /// Of `pixels`.
    pub(super) count: usize,
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
    pub(super) fn pixel(&self, across: f32, down: f32) -> Option<usize> {
        let at = |part: f32, size: usize| ((part * size as f32) as usize).min(size.saturating_sub(1));
        let inside = (0.0..=1.0).contains(&across) && (0.0..=1.0).contains(&down);
        if !inside || self.count == 0 {
            return None;
        }
        let pixel = at(down, self.height) * self.width + at(across, self.width);
        (self.depths[pixel] > self.farthest).then_some(pixel)
    }

    /// 1/depth at a place of the picture; 0 beside the mesh.
    pub fn depth_at(&self, across: f32, down: f32) -> f32 {
        self.pixel(across, down).map_or(0.0, |pixel| self.depths[pixel])
    }

    /// Clears what was drawn before.
    pub(super) fn clear(&mut self, width: usize, height: usize, far: f32) {
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
    pub(super) fn shrink(&mut self) {
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
