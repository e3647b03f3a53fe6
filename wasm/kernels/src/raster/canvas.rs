//! Colour and depth of a picture while it is drawn.

use super::frame::Frame;
use super::lanes::{Lanes, Opaque};

/// A vertex on the screen.
#[derive(Clone, Copy)]
pub(super) struct ScreenVertex {
    /// x, y in parts of a pixel
    pub place: [i32; 2],
    /// red, green, blue, 1/depth
    pub shade: Lanes,
}

impl ScreenVertex {
    /// From a projected vertex of a mesh.
    pub fn of(corner: Lanes) -> ScreenVertex {
        let colour = corner.i32_lane::<2>() as u32;
        let [red, green, blue] = [8, 0, 24].map(|shift| (colour >> shift & 255) as f32);
        ScreenVertex {
            place: [corner.i32_lane::<0>(), corner.i32_lane::<1>()],
            shade: Lanes::from_f32([red, green, blue, corner.f32_lane::<3>()]),
        }
    }
}

/// The picture while it is drawn: two arrays of one length.
pub(super) struct Canvas<'a> {
    depths: &'a mut [f32],
    pixels: &'a mut [u32],
    pub width: usize,
    pub height: usize,
    /// Numbers of faces are drawn instead of colours.
    pub is_of_faces: bool,
    opaque: Opaque,
}

impl Canvas<'_> {
    pub fn of(frame: &mut Frame) -> Canvas<'_> {
        Canvas::new(frame, false)
    }

    /// Draws into the frame's faces.
    pub fn of_faces(frame: &mut Frame) -> Canvas<'_> {
        Canvas::new(frame, true)
    }

    fn new(frame: &mut Frame, is_of_faces: bool) -> Canvas<'_> {
        let (width, height) = (frame.width, frame.height);
        let samples = width * height;
        Canvas {
            depths: &mut frame.depths[..samples],
            pixels: &mut if is_of_faces { &mut frame.faces } else { &mut frame.pixels }[..samples],
            width,
            height,
            is_of_faces,
            opaque: Opaque::new(),
        }
    }

    /// Draws a pixel where nothing is nearer.
    #[inline(always)]
    pub fn draw_pixel(&mut self, at: usize, value: Lanes, number: u32) {
        let word = if self.is_of_faces { number } else { self.opaque.word(value) };
        self.put_pixel(at, value.f32_lane::<3>(), word);
    }

    /// The same with depth and colour already separated.
    #[inline(always)]
    pub fn put_pixel(&mut self, at: usize, depth: f32, word: u32) {
        let old = &mut self.depths[at];
        if depth > *old {
            *old = depth;
            // SAFETY: both arrays have one length.
            #[allow(unsafe_code)]
            unsafe {
                *self.pixels.get_unchecked_mut(at) = word;
            }
        }
    }
}
