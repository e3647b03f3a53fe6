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

impl Corner {
    /// One of a mesh's.
    pub fn of(corner: Lanes) -> Corner {
        let colour = corner.int::<2>() as u32;
        let [red, green, blue] = [8, 0, 24].map(|shift| (colour >> shift & 255) as f32);
        Corner {
            place: [corner.int::<0>(), corner.int::<1>()],
            shade: Lanes::floats([red, green, blue, corner.float::<3>()]),
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
    pub fn draw(&mut self, at: usize, value: Lanes, number: u32) {
        let word = if self.is_of_faces { number } else { self.opaque.word(value) };
        self.draw_word(at, value.float::<3>(), word);
    }

    /// The same of what is known already.
    #[inline(always)]
    pub fn draw_word(&mut self, at: usize, depth: f32, word: u32) {
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
