use super::lanes::{Lanes, Opaque};
use super::Frame;

/// A vertex on the screen.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    /// x, y in parts of a pixel
    pub place: [i32; 2],
    /// red, green, blue, 1/depth
    pub shade: Lanes,
}

/// The picture while it is drawn: three arrays of one length.
pub(super) struct Canvas<'a> {
    depths: &'a mut [f32],
    faces: &'a mut [u32],
    pixels: &'a mut [u32],
    pub width: usize,
    pub height: usize,
    opaque: Opaque,
}

impl Canvas<'_> {
    pub fn of(frame: &mut Frame) -> Canvas<'_> {
        let (width, height) = (frame.width, frame.height);
        let samples = width * height;
        Canvas {
            depths: &mut frame.depths[..samples],
            faces: &mut frame.faces[..samples],
            pixels: &mut frame.pixels[..samples],
            width,
            height,
            opaque: Opaque::new(),
        }
    }

    /// Draws a pixel where nothing is nearer.
    #[inline(always)]
    pub fn draw(&mut self, at: usize, value: Lanes, number: u32) {
        let depth = value.float::<3>();
        let old = &mut self.depths[at];
        if depth > *old {
            *old = depth;
            // SAFETY: the three arrays have one length.
            #[allow(unsafe_code)]
            unsafe {
                *self.faces.get_unchecked_mut(at) = number;
                *self.pixels.get_unchecked_mut(at) = self.opaque.word(value);
            }
        }
    }
}
