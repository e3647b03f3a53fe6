//! Constants of the lesion rules.

/// z counts robust standard deviations of normal white matter, lower half; "above cortex" counts those of normal
/// cortex. Chosen with the two patients and the phantoms of docs/accuracy.md in sight, each in the middle of a range in
/// which the patients' figures move little; no head was kept aside.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Some voxel of a lesion exceeds `seed`; all exceed `grow` in the blurred series.
    pub seed: f32,
    pub grow: f32,
    /// All voxels of a lesion exceed this part of the highest blurred z around. Blur leaves the border of an object at
    /// half of its height over the surroundings; the highest voxel lies above that height by its noise, hence less
    /// than a half. A border at a fixed z instead would grow the farther the brighter the lesion and the quieter the
    /// series.
    pub peak_part: f32,
    /// How far around the highest z is looked for along each axis of the series, mm: at least the neighbouring slice
    /// of the thickest series, for a lesion often peaks there.
    pub reach_mm: f64,
    /// Blur of z before growing, mm: the noise of one voxel draws no border.
    pub blur_mm: f64,
    /// A seed is this far above cortex: partial volume of a fold reaches the brightness of cortex, not more.
    pub seed_grey: f32,
    /// Outside certain white matter every voxel is this far above cortex.
    pub grey: f32,
    /// So far above cortex it is none, whatever its prior and its label: a lesion is as grey as cortex on T1, and the
    /// folds of a person are not those of the template.
    pub unmistakable: f32,
    /// Least prior of white matter, and most prior of cortex.
    pub white: f32,
    pub cortex: f32,
    /// Most mean prior of ventricle and deep grey matter together over a lesion: the corners of the ventricles, the fornix and
    /// the tail of the hippocampus are bright in everyone. Dice of the two patients from .45 down to .30: .738 to .743 and
    /// .324 to .328. Of balls of 3 mm radius within 3 mm of a ventricle 4 to 17 % would be lost at .30, farther out hardly any.
    pub inner: f32,
    /// Least prior of white matter where a lesion may grow to, and start when it is `unmistakable`.
    pub possible: f32,
    /// Within this distance of a lateral ventricle white matter and ventricle count together, mm. Further out that
    /// would take in the bright rim of a normal ventricle.
    pub rim_mm: f32,
    /// Within this distance of a lateral ventricle a lesion need not be brighter than cortex, mm.
    pub sure_mm: f32,
    /// Smallest lesion, mm³.
    pub least_mm3: f64,
    /// Depth below the brain's surface, mm.
    pub depth_mm: f32,
    /// Most prior of deep grey matter.
    pub deep: f32,
    /// What the lesions of a larger load take in that touches them, see `grow::grown`: least blurred z, and how far
    /// along an axis, mm. Measured on one patient of 8 mL: Dice .705 without; .742 to .750 for z from 2.75 to 3.25 and
    /// 1 to 4 mm.
    pub border: f32,
    pub border_mm: f64,
    /// Largest load whose lesions stay as they were found, mm³.
    pub least_load_mm3: f64,
    /// Whether a lesion must be brighter than the cortex nearby, see `cortex_nearby`.
    pub beats_cortex: bool,
    /// Width of the Gaussian over which the series' field is read, mm, see `field`; `None` leaves the field in.
    pub field_mm: Option<f64>,
    /// Normal tissue counts as spread as in the series with its field, up to so many times the spread without it: the
    /// limits were chosen with fields in. Much above it small faint lesions under a strong field are lost; at 1 the rims
    /// of normal ventricles are drawn.
    pub narrowed: f32,
    /// So far above white matter and above cortex, in spreads of each, no fluid is, whatever the T1-weighted labels say; lesions
    /// of a larger load take it in. Dice of a patient with 8 mL: .741 without, .765 to .768 from 3 to 5 and .5 to 1.5.
    pub fluid: f32,
    pub fluid_grey: f32,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            seed: 5.5,
            grow: 2.6,
            peak_part: 0.4,
            reach_mm: 6.0,
            blur_mm: 0.5,
            seed_grey: 1.0,
            grey: 2.2,
            unmistakable: 4.0,
            white: 0.8,
            cortex: 0.1,
            inner: 0.35,
            possible: 0.3,
            rim_mm: 2.0,
            sure_mm: 4.0,
            least_mm3: 5.0,
            depth_mm: 1.0,
            deep: 0.2,
            border: 2.75,
            border_mm: 3.0,
            least_load_mm3: 3000.0,
            beats_cortex: false,
            field_mm: Some(50.0),
            narrowed: 1.16,
            fluid: 4.0,
            fluid_grey: 1.0,
        }
    }
}
