//! One analysis for JavaScript: an `Engine` takes the series, `analyze` consumes it and gives all results.

use crate::failure::{grid, EngineFailure};
use crate::flair::EngineFlair;
use crate::fusion::EngineFusion;
use crate::surface::EngineSurface;
use analysis::analyze::{self, Analysis, Input, T1Outcome};
use analysis::atlas::{Atlas, LABEL_COUNT};
use analysis::flair_stage::FlairSeries;
use analysis::network::region_agreement::RegionAgreement;
use analysis::pipeline::Subject;
use analysis::thickness::OFFSET_MM;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Called when a stage begins: progress 0..100, and the stage's name.
    #[wasm_bindgen(typescript_type = "(percent: number, stage: string) => void")]
    pub type StageCallback;

    #[wasm_bindgen(method)]
    fn call(this: &StageCallback, receiver: &JsValue, percent: f64, stage: &str);
}

impl StageCallback {
    pub(crate) fn report(&self, percent: f64, stage: &str) {
        self.call(&JsValue::UNDEFINED, percent, stage);
    }
}

#[wasm_bindgen]
pub struct Engine {
    atlas: Atlas,
    t1: Option<Subject>,
    flair: Option<FlairSeries>,
}

macro_rules! series {
    ($($conform:ident, $add_flair:ident: $t:ty),*) => {
        #[wasm_bindgen]
        impl Engine {
            $(
            /// Takes the T1-weighted series and brings it to the conformed grid.
            pub fn $conform(&mut self, voxels: &[$t], shape: &[u32], ras_from_ijk: &[f64]) -> Result<(), EngineFailure> {
                self.t1 = Some(Subject::new(voxels, grid(shape, ras_from_ijk)?)?);
                Ok(())
            }

            /// Takes the FLAIR series.
            pub fn $add_flair(&mut self, voxels: &[$t], shape: &[u32], ras_from_ijk: &[f64]) -> Result<(), EngineFailure> {
                self.flair = Some(FlairSeries::new(voxels, grid(shape, ras_from_ijk)?)?);
                Ok(())
            }
            )*
        }
    };
}
series!(
    conform_u8, add_flair_u8: u8,
    conform_i8, add_flair_i8: i8,
    conform_u16, add_flair_u16: u16,
    conform_i16, add_flair_i16: i16,
    conform_i32, add_flair_i32: i32,
    conform_f32, add_flair_f32: f32
);

#[wasm_bindgen]
impl Engine {
    /// From the bytes of the three NPY files of the atlas.
    #[wasm_bindgen(constructor)]
    pub fn new(template: &[u8], labels: &[u8], weights: &[u8]) -> Result<Engine, EngineFailure> {
        Ok(Self { atlas: Atlas::from_npy(template, labels, weights)?, t1: None, flair: None })
    }

    /// The conformed volume, 256³ bytes; empty without a T1-weighted series.
    pub fn conformed(&self) -> Vec<u8> {
        self.t1.as_ref().map(|t1| t1.conformed.voxels.clone()).unwrap_or_default()
    }

    pub fn conformed_ras_from_ijk(&self) -> Vec<f64> {
        self.t1.as_ref().map(|t1| t1.conformed.grid.ras_from_ijk.0.to_vec()).unwrap_or_default()
    }

    /// Analyses the series that were given, and consumes them. A failure of the T1-weighted series is thrown; one of the
    /// FLAIR series is in the result.
    ///
    /// The weights are those of our own network for deep structures and of the second opinion's network, where they are to
    /// be asked.
    pub fn analyze(
        self,
        bias_correction: bool,
        deep_weights: Option<Vec<u8>>,
        model_weights: Option<Vec<u8>>,
        on_stage: &StageCallback,
    ) -> Result<EngineAnalysis, EngineFailure> {
        let Self { atlas, t1, flair } = self;
        let input = Input { atlas, t1, flair, bias_correction, deep_weights, model_weights };
        let inner = analyze::analyze(input, |percent, stage| on_stage.report(percent, stage))?;
        Ok(EngineAnalysis { inner })
    }
}

/// Results of the series that were given.
#[wasm_bindgen]
pub struct EngineAnalysis {
    inner: Analysis,
}

#[wasm_bindgen]
impl EngineAnalysis {
    // each is wanted once: what has been taken is gone

    /// `undefined` without a T1-weighted series.
    pub fn take_t1(&mut self) -> Option<EngineT1> {
        self.inner.t1.take().map(|inner| EngineT1 { inner })
    }

    /// `undefined` without a FLAIR series.
    ///
    /// # Errors
    /// What the FLAIR series failed with.
    pub fn take_flair(&mut self) -> Result<Option<EngineFlair>, EngineFailure> {
        Ok(self.inner.flair.take().transpose()?.map(EngineFlair::new))
    }
}

/// Result of the T1-weighted series, on the output grid.
#[wasm_bindgen]
pub struct EngineT1 {
    inner: T1Outcome,
}

#[wasm_bindgen]
impl EngineT1 {
    pub fn shape(&self) -> Vec<u32> {
        self.inner.maps.frame.grid.shape.iter().map(|&n| n as u32).collect()
    }

    pub fn ras_from_ijk(&self) -> Vec<f64> {
        self.inner.maps.frame.grid.ras_from_ijk.0.to_vec()
    }

    // each array is wanted once: what has been taken is empty

    pub fn take_intensities(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.maps.intensities)
    }

    pub fn take_labels(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.maps.labels)
    }

    /// 1 inside the dura, as the intracranial volume counts it.
    pub fn take_intracranial(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.maps.intracranial)
    }

    /// Millimetres times 51 at cortical voxels; empty when the voxels are too large for it.
    pub fn take_thickness(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.maps.thickness)
    }

    pub fn take_surface(&mut self) -> EngineSurface {
        EngineSurface::new(std::mem::take(&mut self.inner.surface))
    }

    pub fn volumes_mm3(&self) -> Vec<f64> {
        self.inner.maps.volumes_mm3.clone()
    }

    pub fn icv_mm3(&self) -> f64 {
        self.inner.fit.icv_mm3
    }

    /// Correlation after the affine registration, then local correlation at 4 mm and 2 mm.
    pub fn similarity(&self) -> Vec<f64> {
        let [coarse, fine] = self.inner.deformation.lncc;
        vec![self.inner.registration.ncc, coarse, fine]
    }

    /// Smallest determinant of the nonlinear map in the brain, its 1st and 99th percentile, and the part that folds.
    pub fn jacobian(&self) -> Vec<f64> {
        let range = &self.inner.deformation.jacobian;
        vec![range.min, range.p1, range.p99, range.folded_fraction]
    }

    /// Rotation vector (rad), translation (mm), log scales, shears.
    pub fn affine_parameters(&self) -> Vec<f64> {
        self.inner.registration.params.to_vec()
    }

    /// Template mm to subject mm.
    pub fn subject_from_atlas(&self) -> Vec<f64> {
        self.inner.registration.subject_from_atlas.0.to_vec()
    }

    /// Whether the registration started again from more poses.
    pub fn retried(&self) -> bool {
        self.inner.registration.retried
    }

    /// Part of the brain outside the field of view, 0 to 1, as the prior expects it; `undefined` for a head that the field
    /// of view does not cut.
    pub fn cut_fraction(&self) -> Option<f64> {
        self.inner.fit.cut_fraction
    }

    /// Mean intensity of classes 1..12 relative to white matter's prior median; index 0 is 0.
    pub fn class_means(&self) -> Vec<f64> {
        self.inner.fit.class_means.clone()
    }

    pub fn converged(&self) -> bool {
        self.inner.fit.converged
    }

    pub fn winning_posterior(&self) -> f64 {
        self.inner.fit.winning_posterior
    }

    /// Robust standard deviation of white matter, white matter = 1; 0 if unknown.
    pub fn white_sd(&self) -> f64 {
        self.inner.fit.white_sd
    }

    /// 0 if unknown.
    pub fn snr(&self) -> f64 {
        self.inner.figures.snr
    }

    /// Detail along each axis of the conformed grid, see `quality::sharpness`.
    pub fn sharpness(&self) -> Vec<f64> {
        self.inner.figures.sharpness.to_vec()
    }

    /// See `ghosting::ghosting`.
    pub fn ghosting(&self) -> f64 {
        self.inner.figures.ghosting
    }

    /// Atlas mm of each label's centre, three numbers a label; NaN without voxels.
    pub fn centres(&self) -> Vec<f64> {
        self.inner.figures.centres.iter().flat_map(|c| c.unwrap_or([f64::NAN; 3])).collect()
    }

    /// What was taken from every thickness so that it reads like FreeSurfer's, mm.
    pub fn thickness_offset_mm(&self) -> f64 {
        OFFSET_MM
    }

    /// Mean thickness by label, mm; 0 where not measured; empty when the voxels are too large for it.
    pub fn thickness_by_label(&self) -> Vec<f64> {
        self.inner.thickness.map(|(by_label, _)| by_label.to_vec()).unwrap_or_default()
    }

    /// Mean thickness of the left and of the right cortex, mm; empty when the voxels are too large for it.
    pub fn thickness_by_side(&self) -> Vec<f64> {
        self.inner.thickness.map(|(_, by_side)| by_side.to_vec()).unwrap_or_default()
    }

    /// What came of asking our own network; `undefined` when it was not asked.
    pub fn fusion(&self) -> Option<EngineFusion> {
        self.inner.fusion.as_ref().map(EngineFusion::from)
    }

    /// Voxels of labels 0 to 104 in our label map, in a source's, and in both: three numbers a label, of the atlas, then of
    /// our own network, then of the second opinion (zeros where a network was not asked).
    pub fn region_overlaps(&self) -> Vec<u32> {
        let RegionAgreement { atlas, network, opinion } = &self.inner.regions;
        let mut out = vec![0; 3 * 3 * LABEL_COUNT];
        for (source, rows) in out.chunks_exact_mut(3 * LABEL_COUNT).zip([atlas, network, opinion]) {
            for (row, overlap) in source.chunks_exact_mut(3).zip(rows) {
                row.copy_from_slice(&[overlap.ours, overlap.theirs, overlap.both]);
            }
        }
        out
    }

    /// What came of asking the second opinion's network; `undefined` when it was not asked.
    pub fn agreement(&self) -> Option<EngineAgreement> {
        let agreement = self.inner.agreement.as_ref()?;
        Some(EngineAgreement {
            cortex_dice: agreement.cortex_dice,
            used: agreement.used,
            reason: agreement.reason,
        })
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
