//! Lesions by rules: FLAIR brighter than normal white matter, where the prior allows white matter.

use super::split::{components, is_lateral_ventricle, side, DEEP, PERIVENTRICULAR};
use super::stack::{places, Place};
use super::{Flair, T1Side};
use crate::filter::gaussian;
use crate::morphology::{dilate, erode};
use crate::percentile::percentile;
use volume::{Affine, Error};

/// Below this volume the finding is called minimal: false positives weigh as much as lesions, mm³.
const LOW_CONFIDENCE_MM3: f64 = 3000.0;
/// Part of a lesion that may be labelled cortex: lesions darken T1 to grey, but a fold is not a lesion.
const MOST_CORTICAL: f64 = 0.5;
const BINS: usize = 200;
/// Blur of the histogram before its mode is read, bins.
const BIN_SIGMA: f64 = 4.0;
/// Robust standard deviation from a median absolute deviation.
const NORMAL: f32 = 1.4826;

/// Constants of the rules. z counts robust standard deviations of normal white matter, lower half. Chosen on the two
/// patients of docs/accuracy.md, each in the middle of a range in which both figures move little.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Some voxel of a lesion exceeds `seed`; all exceed `grow` in the blurred series.
    pub seed: f32,
    pub grow: f32,
    /// Blur of z before growing, mm: the noise of one voxel draws no border.
    pub blur_mm: f64,
    /// Outside certain white matter also this many standard deviations above normal cortex.
    pub grey: f32,
    /// Least prior of white matter, and most prior of cortex.
    pub white: f32,
    pub cortex: f32,
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
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            seed: 5.5,
            grow: 2.6,
            blur_mm: 0.5,
            grey: 2.2,
            white: 0.8,
            cortex: 0.1,
            rim_mm: 2.0,
            sure_mm: 4.0,
            least_mm3: 5.0,
            depth_mm: 1.0,
            deep: 0.2,
        }
    }
}

/// Result of `find`.
pub struct Lesions {
    /// On the FLAIR grid: 0, 1 periventricular, 2 deep.
    pub mask: Vec<u8>,
    /// The same on the window, nearest.
    pub on_t1: Vec<u8>,
    pub periventricular_mm3: f64,
    pub deep_mm3: f64,
    /// Cerebral white matter with its lesions, counted on the window.
    pub white_matter_mm3: f64,
    /// Connected lesions.
    pub count: usize,
    /// Less than 3 mL in all.
    pub low_confidence: bool,
}

/// Level of normal tissue and the spread of the half below it.
#[derive(Debug, Clone, Copy)]
pub struct Normal {
    pub mode: f32,
    pub spread: f32,
}

impl Normal {
    /// Mode of a smoothed histogram between the 1st and 99th percentile. The spread reads the lower half only: lesions
    /// must not widen it. `None` for fewer than 100 values or when they do not spread.
    pub fn of(values: &mut [f32]) -> Option<Self> {
        if values.len() < 100 {
            return None;
        }
        let (low, high) = (percentile(values, 1.0)? as f32, percentile(values, 99.0)? as f32);
        if high <= low {
            return None;
        }
        let mut counts = vec![0f32; BINS];
        for &v in values.iter().filter(|&&v| v >= low && v <= high) {
            counts[(((v - low) / (high - low) * BINS as f32) as usize).min(BINS - 1)] += 1.0;
        }
        crate::filter::gaussian(&mut counts, [BINS, 1, 1], [BIN_SIGMA, 0.0, 0.0], 1);
        let top = (0..BINS).fold(0, |best, at| if counts[at] > counts[best] { at } else { best });
        let mode = low + (top as f32 + 0.5) / BINS as f32 * (high - low);
        let mut below: Vec<f32> = values.iter().filter(|&&v| v < mode).map(|&v| mode - v).collect();
        let spread = NORMAL * percentile(&mut below, 50.0)? as f32;
        (spread > 0.0).then_some(Self { mode, spread })
    }

    fn z(&self, v: f32) -> f32 {
        (v - self.mode) / self.spread
    }
}

const fn byte(prior: f32) -> u8 {
    (prior * 255.0) as u8
}

/// Voxels of normal white matter: the prior is sure and T1 is near its median.
fn normal_white<'a>(places: &'a [Place], t1: &T1Side) -> Vec<&'a Place> {
    let sure: Vec<&Place> = places.iter().filter(|p| p.white > byte(0.85)).collect();
    if !t1.has_contrast() {
        return sure;
    }
    let mut t1: Vec<f32> = sure.iter().map(|p| p.t1).collect();
    let Some(middle) = percentile(&mut t1, 50.0) else { return sure };
    let mut off: Vec<f32> = t1.iter().map(|v| (v - middle as f32).abs()).collect();
    let sd = NORMAL * percentile(&mut off, 50.0).unwrap_or(0.0) as f32;
    sure.into_iter().filter(|p| (p.t1 - middle as f32).abs() <= 2.0 * sd).collect()
}

/// What speaks for a lesion at every place.
struct Evidence {
    z: Vec<f32>,
    /// The same blurred over the brain.
    smooth: Vec<f32>,
    /// Where a lesion may lie.
    allowed: Vec<bool>,
    /// Where T1 shows no fluid.
    solid: Vec<bool>,
}

fn evidence(flair: &Flair, t1: &T1Side, places: &[Place], rules: &Rules) -> Result<Evidence, Error> {
    let absent = || Error::unsupported("contrast", "Cannot find lesions: no normal tissue on the FLAIR");
    let value = |p: &Place| flair.voxels[p.at as usize];
    let mut white: Vec<f32> = normal_white(places, t1).into_iter().map(value).collect();
    let white = Normal::of(&mut white).ok_or_else(absent)?;
    let step = t1.white - t1.grey;
    let is_middle = |v: f32| v > t1.grey - step && v < t1.grey + 0.5 * step;
    let is_grey = |p: &&Place| p.cortex > byte(0.6) && (!t1.has_contrast() || is_middle(p.t1));
    let mut grey: Vec<f32> = places.iter().filter(is_grey).map(value).collect();
    let grey = Normal::of(&mut grey).ok_or_else(absent)?;
    let square = |mm: f32| (mm * mm) as u16;
    let solid = |p: &Place| !t1.has_contrast() || p.t1 > t1.white - 1.9 * step;
    let allowed = |p: &Place| {
        let near = p.ventricle_mm2 < square(rules.rim_mm);
        let both = u16::from(p.white) + u16::from(p.ventricle) > u16::from(byte(rules.white));
        let sure = p.white > byte(0.85) || p.ventricle_mm2 < square(rules.sure_mm);
        p.surface_mm2 > square(rules.depth_mm)
            && (p.white > byte(rules.white) || (near && both))
            && p.cortex < byte(rules.cortex)
            && p.deep < byte(rules.deep)
            && p.cerebellum < byte(0.3)
            && !is_lateral_ventricle(p.label)
            && solid(p)
            && (sure || grey.z(value(p)) > rules.grey)
    };
    let z: Vec<f32> = places.iter().map(|p| white.z(value(p))).collect();
    Ok(Evidence {
        smooth: blurred(places, &z, flair, rules.blur_mm),
        z,
        allowed: places.iter().map(allowed).collect(),
        solid: places.iter().map(solid).collect(),
    })
}

/// Values of the places blurred by a Gaussian of `sigma_mm`, the voxels outside left out.
fn blurred(places: &[Place], values: &[f32], flair: &Flair, sigma_mm: f64) -> Vec<f32> {
    let (mut sum, mut weight) = (vec![0f32; flair.grid.count()], vec![0f32; flair.grid.count()]);
    for (p, &v) in places.iter().zip(values) {
        sum[p.at as usize] = v;
        weight[p.at as usize] = 1.0;
    }
    let sigma = flair.grid.ras_from_ijk.spacing_mm().map(|mm| sigma_mm / mm);
    gaussian(&mut sum, flair.grid.shape, sigma, 1);
    gaussian(&mut weight, flair.grid.shape, sigma, 1);
    places.iter().map(|p| sum[p.at as usize] / weight[p.at as usize].max(1e-3)).collect()
}

/// Connected voxels above `grow` with one above `seed` and at least the smallest lesion's volume; gaps of one voxel
/// are closed where T1 shows no fluid. Indices in the FLAIR, a list a lesion.
fn hysteresis(places: &[Place], evidence: &Evidence, rules: &Rules, flair: &Flair) -> Vec<Vec<u32>> {
    let (voxel_mm3, shape) = (flair.grid.ras_from_ijk.determinant().abs(), flair.grid.shape);
    let mut marks = vec![0u8; flair.grid.count()];
    for (v, p) in places.iter().enumerate().filter(|&(v, _)| evidence.allowed[v]) {
        if evidence.smooth[v] > rules.grow {
            marks[p.at as usize] = if evidence.z[v] > rules.seed { 2 } else { 1 };
        }
    }
    let sure = (rules.sure_mm * rules.sure_mm) as u16;
    let mut is_cortex = vec![false; marks.len()];
    // no fold of the cortex lies beside a lateral ventricle
    let may_fold = |p: &Place| (37..=104).contains(&p.label) && p.ventricle_mm2 >= sure;
    places.iter().for_each(|p| is_cortex[p.at as usize] = may_fold(p));
    let mut parts = components(&marks, shape);
    parts.retain(|part| {
        let cortical = part.iter().filter(|&&v| is_cortex[v as usize]).count();
        part.len() as f64 * voxel_mm3 >= rules.least_mm3
            && part.iter().any(|&v| marks[v as usize] == 2)
            && cortical as f64 <= MOST_CORTICAL * part.len() as f64
    });
    let mut kept = vec![false; marks.len()];
    parts.iter().flatten().for_each(|&v| kept[v as usize] = true);
    let closed = erode(&dilate(&kept, shape, 1), shape);
    marks.fill(0);
    for (v, p) in places.iter().enumerate() {
        let at = p.at as usize;
        marks[at] = u8::from(kept[at] || (closed[at] && evidence.solid[v]));
    }
    components(&marks, shape)
}

/// Finds lesions on the FLAIR's voxels with the rules of `Rules::default`.
///
/// # Errors
/// `engine.unsupported_input` (`contrast`) when the FLAIR shows no normal tissue; `volume.affine_singular`.
pub fn find(flair: &Flair, t1: &T1Side, t1_from_flair: &Affine) -> Result<Lesions, Error> {
    find_with(flair, t1, t1_from_flair, &Rules::default())
}

/// The same with other constants.
///
/// # Errors
/// As `find`.
pub fn find_with(
    flair: &Flair,
    t1: &T1Side,
    t1_from_flair: &Affine,
    rules: &Rules,
) -> Result<Lesions, Error> {
    let places = places(flair, t1, t1_from_flair)?;
    let evidence = evidence(flair, t1, &places, rules)?;
    let parts = hysteresis(&places, &evidence, rules, flair);
    let mut mask = vec![0u8; flair.grid.count()];
    parts.iter().flatten().for_each(|&v| mask[v as usize] = DEEP);
    for p in places.iter().filter(|p| p.ventricle_mm2 < u16::MAX) {
        let mark = &mut mask[p.at as usize];
        if *mark != 0 {
            *mark = side(p.ventricle_mm2);
        }
    }
    let voxel_mm3 = flair.grid.ras_from_ijk.determinant().abs();
    let volume = |kind: u8| mask.iter().filter(|&&m| m == kind).count() as f64 * voxel_mm3;
    let (periventricular_mm3, deep_mm3) = (volume(PERIVENTRICULAR), volume(DEEP));
    let on_t1 = on_window(flair, t1, t1_from_flair, &mask)?;
    let white_matter = t1.labels.iter().zip(&on_t1).zip(&t1.priors.white).filter(|((&l, &m), &w)| {
        matches!(l, 1 | 2 | 28) || (m != 0 && w > 127 && matches!(l, 9..=12 | 37..=104))
    });
    let white_matter_mm3 = white_matter.count() as f64;
    Ok(Lesions {
        mask,
        on_t1,
        periventricular_mm3,
        deep_mm3,
        white_matter_mm3,
        count: parts.len(),
        low_confidence: periventricular_mm3 + deep_mm3 < LOW_CONFIDENCE_MM3,
    })
}

/// The mask on the window, nearest.
fn on_window(flair: &Flair, t1: &T1Side, t1_from_flair: &Affine, mask: &[u8]) -> Result<Vec<u8>, Error> {
    let flair_from_t1 = flair.grid.ras_from_ijk.invert()?.compose(&t1_from_flair.invert()?);
    let ijk = flair_from_t1.compose(&t1.grid.ras_from_ijk);
    let mut out = vec![0u8; t1.window.count()];
    let slice = t1.window.shape[0] * t1.window.shape[1];
    parallel::for_each_chunk(&mut out, slice, |k, piece| {
        for (at, mark) in piece.iter_mut().enumerate() {
            let p = ijk.apply(t1.window.ijk(k * slice + at).map(|v| v as f64)).map(|v| (v + 0.5).floor());
            if (0..3).all(|a| p[a] >= 0.0 && p[a] < flair.grid.shape[a] as f64) {
                *mark = mask[flair.grid.index(p[0] as usize, p[1] as usize, p[2] as usize)];
            }
        }
    });
    Ok(out)
}
