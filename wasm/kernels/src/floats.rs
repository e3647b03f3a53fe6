//! What the core library does not have of floats: instructions of the machine, one lane of them.

use core::arch::wasm32::{
    f32x4_extract_lane, f32x4_nearest, f32x4_splat, f32x4_sqrt, f64x2_extract_lane, f64x2_floor, f64x2_splat,
};

/// Methods of the standard library.
pub trait Single {
    fn sqrt(self) -> Self;
    fn round_ties_even(self) -> Self;
}

impl Single for f32 {
    #[inline(always)]
    fn sqrt(self) -> f32 {
        f32x4_extract_lane::<0>(f32x4_sqrt(f32x4_splat(self)))
    }
    #[inline(always)]
    fn round_ties_even(self) -> f32 {
        f32x4_extract_lane::<0>(f32x4_nearest(f32x4_splat(self)))
    }
}

/// Methods of the standard library.
pub trait Double {
    fn floor(self) -> Self;
}

impl Double for f64 {
    #[inline(always)]
    fn floor(self) -> f64 {
        f64x2_extract_lane::<0>(f64x2_floor(f64x2_splat(self)))
    }
}
