//! Constants of the comparison.

/// z counts standard deviations of the difference where the image is as steep; "above" counts spreads of normal white matter.
#[derive(Debug, Clone, Copy)]
pub struct ChangeRules {
    /// Some voxel of a change exceeds `seed`; all exceed `grow`.
    pub seed: f32,
    pub grow: f32,
    /// A changed voxel is this far above normal white matter in the series in which it is brighter.
    pub above: f32,
    /// Some voxel of a sure change is this far above normal white matter; below, it is a possible one.
    pub sure: f32,
    /// Volume of a change, at least, mm³.
    pub least_mm3: f64,
    /// A lesion was there already when the other series shows at least this much of one where it changed, mm³.
    pub known_mm3: f64,
    /// Prior of white matter, at least; of cortex, deep grey matter and cerebellum, at most.
    pub white: f32,
    pub cortex: f32,
    pub deep: f32,
    pub cerebellum: f32,
    /// Blur of the difference, mm.
    pub blur_mm: f64,
    /// Blur of the field by which the brightness of the two series differs, mm.
    pub field_mm: f64,
}

impl Default for ChangeRules {
    fn default() -> Self {
        Self {
            seed: 5.0,
            grow: 2.5,
            above: 1.0,
            sure: 3.0,
            least_mm3: 12.0,
            known_mm3: 10.0,
            white: 0.5,
            cortex: 0.4,
            deep: 0.5,
            cerebellum: 0.3,
            blur_mm: 0.8,
            field_mm: 12.0,
        }
    }
}
