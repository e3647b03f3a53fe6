//! The engine for JavaScript: one `Engine` per analysis, one method per stage. Arrays are copied across the border;
//! failures are thrown as `EngineFailure`.

mod flair;
mod fusion;
mod longitudinal;
mod surface;
mod team;

use analysis::atlas::Atlas;
use analysis::outcome::Outcome;
use analysis::pipeline::Pipeline;
use analysis::second_opinion::Agreement;
use analysis::{resample, vectors};
use volume::{Affine, Error, Grid, Shape};
use wasm_bindgen::prelude::*;

/// A typed failure; `code` is a key of `model/errors.ts`.
#[wasm_bindgen]
pub struct EngineFailure {
    error: Error,
}

#[wasm_bindgen]
impl EngineFailure {
    #[wasm_bindgen(getter)]
    pub fn code(&self) -> String {
        self.error.code().into()
    }

    #[wasm_bindgen(getter)]
    pub fn reason(&self) -> String {
        self.error.reason().into()
    }

    #[wasm_bindgen(getter)]
    pub fn message(&self) -> String {
        self.error.message().into()
    }
}

impl From<Error> for EngineFailure {
    fn from(error: Error) -> Self {
        Self { error }
    }
}

fn shape_of(shape: &[u32]) -> Result<Shape, Error> {
    let shape: [u32; 3] = shape.try_into().map_err(|_| Error::misuse("Cannot read shape: not 3 numbers"))?;
    Ok(shape.map(|n| n as usize))
}

fn grid(shape: &[u32], ras_from_ijk: &[f64]) -> Result<Grid, Error> {
    let affine: [f64; 16] =
        ras_from_ijk.try_into().map_err(|_| Error::misuse("Cannot read affine: not 16 numbers"))?;
    Grid::new(shape_of(shape)?, Affine(affine))
}

/// Result on the output grid.
#[wasm_bindgen]
pub struct EngineOutcome {
    inner: Outcome,
}

#[wasm_bindgen]
impl EngineOutcome {
    pub fn shape(&self) -> Vec<u32> {
        self.inner.frame.grid.shape.iter().map(|&n| n as u32).collect()
    }

    pub fn ras_from_ijk(&self) -> Vec<f64> {
        self.inner.frame.grid.ras_from_ijk.0.to_vec()
    }

    // each array is wanted once: what has been taken is empty

    pub fn take_intensities(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.intensities)
    }

    pub fn take_labels(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.labels)
    }

    /// 1 inside the dura, as the intracranial volume counts it.
    pub fn take_intracranial(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.intracranial)
    }

    pub fn take_thickness(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.thickness)
    }

    pub fn volumes_mm3(&self) -> Vec<f64> {
        self.inner.volumes_mm3.clone()
    }
}

/// How a second opinion compares with the engine.
#[wasm_bindgen]
pub struct EngineAgreement {
    pub cortex_dice: f64,
    pub used: bool,
    reason: &'static str,
}

#[wasm_bindgen]
impl EngineAgreement {
    /// `agreed`, or what refused it.
    #[wasm_bindgen(getter)]
    pub fn reason(&self) -> String {
        self.reason.into()
    }
}

#[wasm_bindgen]
pub struct Engine {
    pipeline: Pipeline,
}

macro_rules! conform {
    ($($name:ident: $t:ty),*) => {
        #[wasm_bindgen]
        impl Engine {
            $(pub fn $name(&mut self, voxels: &[$t], shape: &[u32], ras_from_ijk: &[f64]) -> Result<(), EngineFailure> {
                Ok(self.pipeline.conform(voxels, grid(shape, ras_from_ijk)?)?)
            })*
        }
    };
}
conform!(conform_u8: u8, conform_i8: i8, conform_u16: u16, conform_i16: i16, conform_i32: i32, conform_f32: f32);

#[wasm_bindgen]
impl Engine {
    /// From the bytes of the three NPY files of the atlas.
    #[wasm_bindgen(constructor)]
    pub fn new(template: &[u8], labels: &[u8], weights: &[u8]) -> Result<Engine, EngineFailure> {
        Ok(Self { pipeline: Pipeline::new(Atlas::from_npy(template, labels, weights)?) })
    }

    pub fn register(&mut self) -> Result<(), EngineFailure> {
        Ok(self.pipeline.register()?)
    }

    pub fn deform(&mut self) -> Result<(), EngineFailure> {
        Ok(self.pipeline.deform()?)
    }

    pub fn place_prior(&mut self) -> Result<(), EngineFailure> {
        Ok(self.pipeline.place_prior()?)
    }

    pub fn segment(&mut self, bias_correction: bool) -> Result<(), EngineFailure> {
        Ok(self.pipeline.segment(bias_correction)?)
    }

    pub fn label(&mut self) -> Result<(), EngineFailure> {
        Ok(self.pipeline.label()?)
    }

    /// Asks the network with these weights; what came of it.
    pub fn consult(&mut self, weights: &[u8]) -> Result<EngineAgreement, EngineFailure> {
        let Agreement { cortex_dice, used, reason, .. } = self.pipeline.consult(weights)?;
        Ok(EngineAgreement { cortex_dice, used, reason })
    }

    pub fn measure_thickness(&mut self) -> Result<(), EngineFailure> {
        Ok(self.pipeline.measure_thickness()?)
    }

    pub fn finish(&mut self) -> Result<EngineOutcome, EngineFailure> {
        Ok(EngineOutcome { inner: self.pipeline.finish()? })
    }

    pub fn icv_mm3(&self) -> f64 {
        self.pipeline.icv_mm3()
    }

    /// Correlation after the affine registration, then local correlation at 4 mm and 2 mm; empty before them.
    pub fn similarity(&self) -> Vec<f64> {
        let affine = self.pipeline.registration().map(|r| r.ncc);
        affine.into_iter().chain(self.pipeline.deformation().into_iter().flat_map(|d| d.lncc)).collect()
    }

    /// Smallest determinant of the nonlinear map in the brain, its 1st and 99th percentile, and the part that folds.
    pub fn jacobian(&self) -> Vec<f64> {
        let range = self.pipeline.deformation().map(|d| &d.jacobian);
        range.map(|j| vec![j.min, j.p1, j.p99, j.folded_fraction]).unwrap_or_default()
    }

    /// Rotation vector (rad), translation (mm), log scales, shears; empty before `register`.
    pub fn affine_parameters(&self) -> Vec<f64> {
        self.pipeline.registration().map(|r| r.params.to_vec()).unwrap_or_default()
    }

    /// Part of the brain outside the field of view, 0 to 1, as the prior expects it; `undefined` for a head that the field
    /// of view does not cut.
    pub fn cut_fraction(&self) -> Option<f64> {
        self.pipeline.is_cut().then_some(self.pipeline.summary().cut_fraction)
    }

    pub fn retried(&self) -> bool {
        self.pipeline.registration().is_some_and(|r| r.retried)
    }

    /// Mean intensity of classes 1..12 relative to white matter's prior median; index 0 is 0.
    pub fn class_means(&self) -> Vec<f64> {
        self.pipeline.summary().class_means.clone()
    }

    pub fn converged(&self) -> bool {
        self.pipeline.summary().converged
    }

    pub fn winning_posterior(&self) -> f64 {
        self.pipeline.summary().winning_posterior
    }

    /// Robust standard deviation of white matter, white matter = 1; 0 if unknown.
    pub fn white_sd(&self) -> f64 {
        self.pipeline.summary().white_sd
    }

    /// 0 if unknown.
    pub fn snr(&self) -> f64 {
        self.pipeline.summary().snr
    }

    /// Detail along each axis of the conformed grid, see `quality::sharpness`.
    pub fn sharpness(&self) -> Vec<f64> {
        self.pipeline.summary().sharpness.to_vec()
    }

    /// Atlas mm of each label's centre, three numbers a label; NaN without voxels.
    pub fn centres(&self) -> Vec<f64> {
        self.pipeline.summary().centres.iter().flat_map(|c| c.unwrap_or([f64::NAN; 3])).collect()
    }

    /// Mean thickness by label, mm; 0 where not measured; empty when the voxels are too large for it.
    pub fn thickness_by_label(&self) -> Vec<f64> {
        self.pipeline.thickness().map(|t| t.mean_mm.to_vec()).unwrap_or_default()
    }

    /// Mean thickness of the left and of the right cortex, mm; empty when the voxels are too large for it.
    pub fn thickness_by_side(&self) -> Vec<f64> {
        self.pipeline.thickness().map(|t| t.side_mm.to_vec()).unwrap_or_default()
    }

    /// The conformed volume, 256³ bytes; empty before `conform`.
    pub fn conformed(&self) -> Vec<u8> {
        self.pipeline.conformed().map(|c| c.voxels.clone()).unwrap_or_default()
    }

    pub fn conformed_ras_from_ijk(&self) -> Vec<f64> {
        self.pipeline.conformed().map(|c| c.grid.ras_from_ijk.0.to_vec()).unwrap_or_default()
    }

    /// Template mm to subject mm; empty before `register`.
    pub fn subject_from_atlas(&self) -> Vec<f64> {
        self.pipeline.registration().map(|r| r.subject_from_atlas.0.to_vec()).unwrap_or_default()
    }
}

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

/// Figures of one stage on seeded inputs; the native tests store what this build must reproduce.
#[wasm_bindgen]
pub fn test_vector(name: &str, seed: u32) -> Vec<f64> {
    vectors::vector(name, seed)
}

/// Every error code the engine can report, joined by commas.
#[wasm_bindgen]
pub fn error_codes() -> String {
    volume::CODES.join(",")
}

/// Version of the engine; stored with every result.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}
