//! Numbers of the tissue classes, which the prior, the mixture and the posteriors are indexed by. The labels of each are
//! in `atlas::class_of`.

/// Outside the dura.
pub const OUTSIDE: usize = 0;
pub const CORTEX: usize = 1;
pub const CEREBELLAR_CORTEX: usize = 2;
/// Of the cerebrum.
pub const WHITE_MATTER: usize = 3;
pub const CEREBELLAR_WHITE_MATTER: usize = 4;
/// With the ventral diencephalon.
pub const BRAIN_STEM: usize = 5;
pub const THALAMUS: usize = 6;
/// With the accumbens.
pub const CAUDATE: usize = 7;
pub const PUTAMEN: usize = 8;
pub const PALLIDUM: usize = 9;
/// With the amygdala.
pub const HIPPOCAMPUS: usize = 10;
/// Lateral ventricle, inferior horn, third and fourth ventricle.
pub const VENTRICLE: usize = 11;
/// Cerebrospinal fluid between the brain and the dura.
pub const OUTER_FLUID: usize = 12;

pub const CLASSES: usize = 13;
