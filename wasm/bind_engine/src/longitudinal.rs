//! Several visits of one patient for JavaScript: one `LongitudinalEngine` per patient, one method per stage.

use crate::{grid, EngineFailure};
use analysis::atlas::Atlas;
use analysis::longitudinal::{Longitudinal, Measured};
use wasm_bindgen::prelude::*;

/// One visit measured in the space of all.
#[wasm_bindgen]
pub struct VisitMeasure {
    inner: Measured,
}

#[wasm_bindgen]
impl VisitMeasure {
    /// By label, 105 values.
    pub fn volumes_mm3(&self) -> Vec<f64> {
        self.inner.volumes_mm3.clone()
    }

    /// Mean cortical thickness by label, 105 values; 0 where it is not measured.
    pub fn thickness_mm(&self) -> Vec<f64> {
        self.inner.thickness_mm.to_vec()
    }

    /// Left and right.
    pub fn thickness_by_side(&self) -> Vec<f64> {
        self.inner.side_mm.to_vec()
    }

    pub fn class_means(&self) -> Vec<f64> {
        self.inner.class_means.clone()
    }

    pub fn converged(&self) -> bool {
        self.inner.converged
    }
}

#[wasm_bindgen]
pub struct LongitudinalEngine {
    inner: Longitudinal,
}

macro_rules! visits {
    ($($locate:ident, $place:ident: $t:ty),*) => {
        #[wasm_bindgen]
        impl LongitudinalEngine {
            $(
            /// Adds a visit.
            pub fn $locate(&mut self, voxels: &[$t], shape: &[u32], ras_from_ijk: &[f64]) -> Result<(), EngineFailure> {
                Ok(self.inner.locate(voxels, grid(shape, ras_from_ijk)?)?)
            }

            /// The same voxels again, after `register_visits`.
            pub fn $place(&mut self, visit: usize, voxels: &[$t]) -> Result<(), EngineFailure> {
                Ok(self.inner.place(visit, voxels)?)
            }
            )*
        }
    };
}
visits!(
    locate_u8, place_u8: u8,
    locate_i8, place_i8: i8,
    locate_u16, place_u16: u16,
    locate_i16, place_i16: i16,
    locate_i32, place_i32: i32,
    locate_f32, place_f32: f32
);

#[wasm_bindgen]
impl LongitudinalEngine {
    /// From the bytes of the three NPY files of the atlas.
    #[wasm_bindgen(constructor)]
    pub fn new(template: &[u8], labels: &[u8], weights: &[u8]) -> Result<LongitudinalEngine, EngineFailure> {
        Ok(Self { inner: Longitudinal::new(Atlas::from_npy(template, labels, weights)?) })
    }

    pub fn register_visits(&mut self) -> Result<(), EngineFailure> {
        Ok(self.inner.register_visits()?)
    }

    pub fn average(&mut self) -> Result<(), EngineFailure> {
        Ok(self.inner.average()?)
    }

    pub fn deform_mean(&mut self) -> Result<(), EngineFailure> {
        Ok(self.inner.deform_mean()?)
    }

    pub fn fit_mean(&mut self, bias_correction: bool) -> Result<(), EngineFailure> {
        Ok(self.inner.fit_mean(bias_correction)?)
    }

    pub fn measure(&mut self, visit: usize) -> Result<VisitMeasure, EngineFailure> {
        Ok(VisitMeasure { inner: self.inner.measure(visit)? })
    }

    /// One intracranial volume for all visits; 0 before `fit_mean`.
    pub fn icv_mm3(&self) -> f64 {
        self.inner.icv_mm3()
    }

    /// Correlation of each visit with the template.
    pub fn ncc(&self) -> Vec<f64> {
        self.inner.ncc()
    }

    /// Middle mm to a visit's mm, 16 values; empty before `register_visits`.
    pub fn visit_from_middle(&self, visit: usize) -> Vec<f64> {
        self.inner.visit_from_middle(visit).map(|map| map.0.to_vec()).unwrap_or_default()
    }
}
