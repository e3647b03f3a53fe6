//! The labels of a subject with what they were drawn from.

pub mod assured;
pub mod bias;
pub mod boundary;
pub mod em;
pub mod mixture;
pub mod mrf;
pub mod prior;
pub mod rims;
pub mod tissue_class;

use crate::thickness;
use crate::tissue::assured::settle;
use crate::tissue::boundary::{refine_cortex, refine_ventricle};
use crate::tissue::em::Fit;
use crate::tissue::prior::{Prior, Window};
use crate::tissue::rims::{release_rims, Levels};
use crate::tissue::tissue_class::{CORTEX, VENTRICLE, WHITE_MATTER};

/// Labels and intensities on a box of the conformed grid.
pub struct Tissue {
    pub window: Window,
    /// 0..105, see `atlas::OUTER_CSF`.
    pub labels: Vec<u8>,
    /// The same before partial volume was settled: cortex that is darker than cortex still counts for its thickness.
    pub unrefined: Vec<u8>,
    /// Bias-corrected intensity, white matter about 1; 0 off the candidates.
    pub corrected: Vec<f32>,
    /// Class means on that scale.
    pub grey: f64,
    pub white: f64,
    pub fluid: f64,
}

impl Tissue {
    /// Smooths the posteriors, writes labels and settles partial volume at the boundaries.
    ///
    /// `expected` is `rims::expected_side` of the prior before anything else was written into it; `seen` what our own
    /// network is sure of (`NetworkPosteriors::assured`), empty without it.
    pub fn new(mut prior: Prior, fitted: &Fit, expected: &[u8], seen: &[u8]) -> Self {
        let window = prior.window;
        let q = mrf::sweep(&fitted.corrected, &mut prior, &fitted.used);
        let mut labels = mrf::label(&q, &prior);
        drop(q);
        let mut corrected = vec![0f32; window.count()];
        prior.voxels.iter().zip(&fitted.corrected).for_each(|(&at, &y)| corrected[at as usize] = y);
        let unrefined = labels.clone();
        let [grey, white, fluid] =
            [CORTEX, WHITE_MATTER, VENTRICLE].map(|class| fitted.mixture.class_mean(class));
        refine_cortex(&mut labels, window.shape, &corrected, grey as f32, white as f32);
        refine_ventricle(&mut labels, window.shape, &corrected, fluid as f32, white as f32);
        release_rims(&mut labels, window.shape, &corrected, &Levels::of(&fitted.mixture), expected, seen);
        settle(&mut labels, window.shape, seen);
        Self { window, labels, unrefined, corrected, grey, white, fluid }
    }

    /// What the thickness is measured on.
    pub fn thickness_input(&self) -> thickness::Input<'_> {
        thickness::Input {
            labels: &self.labels,
            unrefined: &self.unrefined,
            corrected: &self.corrected,
            shape: self.window.shape,
            grey: self.grey as f32,
            white: self.white as f32,
            fluid: self.fluid as f32,
        }
    }
}
