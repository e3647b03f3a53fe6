//! How floats are rounded to integers without an instruction for it.

/// 1.5 · 2^23: a float of less than 2^22 that is added to it keeps no fraction, and the sum's bits are its integer and these.
pub const ROUNDER: f32 = 12_582_912.0;
/// Farthest integer that [`super::Lanes::round_to_i32`] gives.
pub const MAX_ROUNDED: i32 = (1 << 22) - 1;
