//! Label maps on other grids for JavaScript.

use crate::failure::{grid, EngineFailure};
use analysis::voxels::resample;
use wasm_bindgen::prelude::*;

macro_rules! nearest {
    ($($name:ident: $t:ty),*) => {
        $(
        /// Nearest voxel of a label map at each voxel of another grid; 0 outside.
        #[wasm_bindgen]
        pub fn $name(
            labels: &[$t],
            shape: &[u32],
            ras_from_ijk: &[f64],
            to_shape: &[u32],
            to_ras_from_ijk: &[f64],
        ) -> Result<Vec<$t>, EngineFailure> {
            let (from, to) = (grid(shape, ras_from_ijk)?, grid(to_shape, to_ras_from_ijk)?);
            Ok(resample::nearest(labels, &from, &to)?)
        }
        )*
    };
}
nearest!(resample_nearest_u8: u8, resample_nearest_u16: u16, resample_nearest_i32: i32);
