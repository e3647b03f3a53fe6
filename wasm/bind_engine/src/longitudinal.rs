//! Several visits of one patient for JavaScript. A `LongitudinalEngine` locates them, `register_visits` makes
//! `PlacedVisits` of it, and `analyze` measures these.

use crate::engine::StageCallback;
use crate::failure::{grid, EngineFailure};
use crate::fusion::EngineFusion;
use analysis::atlas::Atlas;
use analysis::visits::longitudinal::{self, LongitudinalOutcome, MeasuredVisit, Visits};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
pub struct LongitudinalEngine {
    visits: Visits,
}

/// The visits in the space in their middle.
#[wasm_bindgen]
pub struct PlacedVisits {
    visits: longitudinal::PlacedVisits,
}

macro_rules! visits {
    ($($locate:ident, $place:ident: $t:ty),*) => {
        #[wasm_bindgen]
        impl LongitudinalEngine {
            $(
            /// Adds a visit.
            pub fn $locate(&mut self, voxels: &[$t], shape: &[u32], ras_from_ijk: &[f64]) -> Result<(), EngineFailure> {
                Ok(self.visits.locate(voxels, grid(shape, ras_from_ijk)?)?)
            }
            )*
        }

        #[wasm_bindgen]
        impl PlacedVisits {
            $(
            /// The same voxels again.
            pub fn $place(&mut self, visit: usize, voxels: &[$t]) -> Result<(), EngineFailure> {
                Ok(self.visits.place(visit, voxels)?)
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
        Ok(Self { visits: Visits::new(Atlas::from_npy(template, labels, weights)?) })
    }

    /// Finds the space in the middle of the visits, and consumes them.
    pub fn register_visits(self) -> Result<PlacedVisits, EngineFailure> {
        Ok(PlacedVisits { visits: self.visits.register()? })
    }
}

#[wasm_bindgen]
impl PlacedVisits {
    /// Measures every visit, and consumes them. Without `deep_weights` our own network is not asked.
    pub fn analyze(
        self,
        bias_correction: bool,
        deep_weights: Option<Vec<u8>>,
        on_stage: &StageCallback,
    ) -> Result<EngineVisits, EngineFailure> {
        let inner = self.visits.analyze(bias_correction, deep_weights.as_deref(), |percent, stage| {
            on_stage.report(percent, stage)
        })?;
        Ok(EngineVisits { inner })
    }
}

/// The visits, measured alike.
#[wasm_bindgen]
pub struct EngineVisits {
    inner: LongitudinalOutcome,
}

#[wasm_bindgen]
impl EngineVisits {
    /// One intracranial volume for all visits.
    pub fn icv_mm3(&self) -> f64 {
        self.inner.icv_mm3
    }

    /// What came of asking our own network; `undefined` when it was not asked.
    pub fn fusion(&self) -> Option<EngineFusion> {
        self.inner.fusion.as_ref().map(EngineFusion::from)
    }

    /// In the order in which they were placed.
    pub fn take_visits(&mut self) -> Vec<VisitMeasure> {
        std::mem::take(&mut self.inner.visits).into_iter().map(|inner| VisitMeasure { inner }).collect()
    }
}

/// One visit measured in the space of all.
#[wasm_bindgen]
pub struct VisitMeasure {
    inner: MeasuredVisit,
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

    pub fn converged(&self) -> bool {
        self.inner.converged
    }
}
