//! The FLAIR series for JavaScript.

use crate::fusion::EngineFusion;
use analysis::flair::lesions::Lesion;
use analysis::flair_stage::FlairOutcome;
use wasm_bindgen::prelude::*;

/// What the FLAIR series shows.
#[wasm_bindgen]
pub struct EngineFlair {
    inner: FlairOutcome,
}

impl EngineFlair {
    pub(crate) fn new(inner: FlairOutcome) -> Self {
        Self { inner }
    }
}

#[wasm_bindgen]
impl EngineFlair {
    pub fn shape(&self) -> Vec<u32> {
        self.inner.grid.shape.iter().map(|&n| n as u32).collect()
    }

    pub fn ras_from_ijk(&self) -> Vec<f64> {
        self.inner.grid.ras_from_ijk.0.to_vec()
    }

    // each array is wanted once: what has been taken is empty

    pub fn take_intensities(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.intensities)
    }

    /// 1 periventricular, 2 deep, on the grid of `shape`.
    pub fn take_marks(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.marks)
    }

    /// The same on the series' own grid.
    pub fn take_scanner_marks(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner.lesions.mask)
    }

    pub fn t1_from_flair(&self) -> Vec<f64> {
        self.inner.t1_from_flair.0.to_vec()
    }

    /// Normalised mutual information and overlap; empty without a T1-weighted series.
    pub fn similarity(&self) -> Vec<f64> {
        self.inner.similarity.map(|s| s.to_vec()).unwrap_or_default()
    }

    /// Periventricular, deep, and cerebral white matter with its lesions, mm³.
    pub fn volumes_mm3(&self) -> Vec<f64> {
        let lesions = &self.inner.lesions;
        vec![lesions.periventricular_mm3, lesions.deep_mm3, lesions.white_matter_mm3]
    }

    /// Five numbers a lesion, the largest first: periventricular and deep mm³, RAS mm of its centre.
    pub fn lesions(&self) -> Vec<f64> {
        let flat = |l: &Lesion| {
            let [x, y, z] = l.centre_mm;
            [l.periventricular_mm3, l.deep_mm3, x, y, z]
        };
        self.inner.lesions.list.iter().flat_map(flat).collect()
    }

    pub fn low_confidence(&self) -> bool {
        self.inner.lesions.low_confidence
    }

    /// What came of asking our own network about a FLAIR series alone; `undefined` when it was not asked.
    pub fn deep(&self) -> Option<EngineFusion> {
        self.inner.deep.as_ref().map(|deep| EngineFusion::from(&deep.fusion))
    }

    /// Labels of the deep structures on the grid of `shape`; empty when there are none.
    pub fn take_deep_labels(&mut self) -> Vec<u8> {
        self.inner.deep.as_mut().map(|deep| std::mem::take(&mut deep.labels)).unwrap_or_default()
    }

    /// Their volumes by label; empty when the network was not asked.
    pub fn deep_volumes_mm3(&self) -> Vec<f64> {
        self.inner.deep.as_ref().map(|deep| deep.volumes_mm3.clone()).unwrap_or_default()
    }

    /// 0 with a T1-weighted series, which has its own.
    pub fn icv_mm3(&self) -> f64 {
        self.inner.icv_mm3.unwrap_or(0.0)
    }
}
