//! The class priors that the lesion rules read, as bytes on the window.

use crate::tissue::prior::Prior;
use crate::tissue::tissue_class::{
    CEREBELLAR_CORTEX, CEREBELLAR_WHITE_MATTER, CLASSES, CORTEX, HIPPOCAMPUS, THALAMUS, VENTRICLE,
    WHITE_MATTER,
};

/// Priors times 255 on the window; 0 off the candidates.
pub struct TissuePriors {
    /// Cerebral white matter.
    pub white: Vec<u8>,
    pub ventricle: Vec<u8>,
    pub cortex: Vec<u8>,
    /// Thalamus, caudate, putamen, pallidum, hippocampus and their neighbours.
    pub deep: Vec<u8>,
    /// Cerebellar cortex and white matter.
    pub cerebellum: Vec<u8>,
}

impl TissuePriors {
    /// Before `mrf::sweep`, which replaces the priors by posteriors. Allocates 5 bytes per voxel of the window.
    pub fn new(prior: &Prior) -> Self {
        let mut out = Self::empty(prior.window.count());
        for (&at, c) in prior.voxels.iter().zip(prior.class.chunks_exact(CLASSES)) {
            let byte = |v: f32| (v * 255.0 + 0.5) as u8;
            let at = at as usize;
            out.white[at] = byte(c[WHITE_MATTER]);
            out.ventricle[at] = byte(c[VENTRICLE]);
            out.cortex[at] = byte(c[CORTEX]);
            out.deep[at] = byte(c[THALAMUS..=HIPPOCAMPUS].iter().sum());
            out.cerebellum[at] = byte(c[CEREBELLAR_CORTEX] + c[CEREBELLAR_WHITE_MATTER]);
        }
        out
    }

    /// No tissue anywhere.
    pub fn empty(count: usize) -> Self {
        let zero = || vec![0; count];
        Self { white: zero(), ventricle: zero(), cortex: zero(), deep: zero(), cerebellum: zero() }
    }
}
