//! The camera.

use super::lanes::MAX_ROUNDED;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::floats::Single;

/// Parts of a pixel that vertices are rounded to, as a shift: 64. Integers make shared edges watertight.
pub const SUBPIXEL_BITS: u32 = 6;
pub(super) const SUBPIXELS: f32 = (1 << SUBPIXEL_BITS) as f32;

/// A perspective camera and its light. Camera space: x right, y up, z into the screen, in scene units.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Rows of the affine that takes RAS mm into camera space; its 3×3 part is a rotation times a positive number.
    pub camera_from_ras: [[f32; 4]; 3],
    /// Pixels per unit at depth 1.
    pub focal: f32,
    /// Depths between which is drawn, 0 < near < far.
    pub near: f32,
    pub far: f32,
    /// Unit vector towards the light, in RAS.
    pub light: [f32; 3],
    /// Unit vector half way between the light and the eye, in RAS.
    pub half: [f32; 3],
    /// Parts of the surface's colour without and by the light, and of white at the highlight.
    pub ambient: f32,
    pub diffuse: f32,
    pub specular: f32,
    /// Back faces are left out.
    pub is_culling: bool,
}

impl View {
    /// Camera space of a position.
    pub(super) fn to_camera(self, p: [f32; 3]) -> [f32; 3] {
        self.camera_from_ras.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3])
    }

    /// Screen place of a point in front of the near plane, in parts of a pixel, and 1/depth.
    pub(super) fn to_screen([x, y, z]: [f32; 3], focal: f32, width: usize, height: usize) -> (i32, i32, f32) {
        let inverse = 1.0 / z;
        let along = |offset: f32, pixels: usize| {
            let middle = pixels as f32 * 0.5 * SUBPIXELS;
            let place = (offset * focal * SUBPIXELS * inverse + middle).round_ties_even() as i32;
            place.clamp(-MAX_ROUNDED, MAX_ROUNDED)
        };
        (along(x, width), along(-y, height), inverse)
    }
}
