//! Constants of the comparison.

/// z counts standard deviations of the difference where the image is as steep; "above" counts from normal white matter to cortex.
#[derive(Debug, Clone, Copy)]
pub struct ChangeRules {
    /// Some voxel of a change exceeds `seed`; all exceed `grow`.
    pub seed: f32,
    pub grow: f32,
    /// A voxel from which a change starts is so much brighter than anything of the other series within `near_mm`, in units
    /// of brightness: what a registration leaves over, and the part that a thick slice shows of its neighbour, is not.
    pub clear: f32,
    pub near_mm: usize,
    /// A change without such a voxel, as that of a lesion that grows by a rim, needs this z.
    pub seed_unclear: f32,
    /// A changed voxel is this bright in the series in which it is brighter.
    pub above: f32,
    /// Voxels of a lesion are this bright. A change without one is a possible one.
    pub sure: f32,
    /// Volume of a change, at least, mm³.
    pub least_mm3: f64,
    /// A lesion was there already when the other series shows at least this much of one where it changed, mm³, and this part
    /// of what it is in the brighter one.
    pub known_mm3: f64,
    pub known_part: f64,
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
            clear: 0.4,
            near_mm: 2,
            seed_unclear: 9.0,
            above: 0.5,
            sure: 1.5,
            least_mm3: 12.0,
            known_mm3: 10.0,
            known_part: 0.1,
            white: 0.5,
            cortex: 0.4,
            deep: 0.5,
            cerebellum: 0.3,
            blur_mm: 0.8,
            field_mm: 12.0,
        }
    }
}
