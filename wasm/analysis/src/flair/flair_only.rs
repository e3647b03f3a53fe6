//! A FLAIR series without a T1-weighted one: intracranial volume, lesions, and the deep structures that our network reads;
//! no parcels. The atlas is placed by an affine only; the nonlinear registration ends millimetres off on this contrast.

use super::contrast::{Levels, FEWEST};
use super::lesions::{find_with, Lesions};
use super::rules::Rules;
use super::tissue::TissuePriors;
use super::{Flair, T1Side};
use crate::atlas::{Atlas, CLASSES};
use crate::network::any_contrast::{read_deep, DeepReading};
use crate::network::half_box;
use crate::numbers::percentile::percentile;
use crate::registration::affine::{prepare, register};
use crate::tissue::em::{fit_any_order, Fit};
use crate::tissue::mrf;
use crate::tissue::prior::{sample_prior, Prior, Window};
use crate::tissue::tissue_class::{
    CEREBELLAR_CORTEX, CEREBELLAR_WHITE_MATTER, CORTEX, HIPPOCAMPUS, VENTRICLE, WHITE_MATTER,
};
use crate::voxels::conform::{conform, Conformed, SIDE};
use volume::{Affine, Error, Grid};

/// Result of `flair_only`.
pub struct FlairOnly {
    pub conformed: Conformed,
    pub window: Window,
    /// Tissue labels of the window: 1 and 2 cerebral white matter, 15 to 18 lateral ventricles, 28 lesion; others 0.
    pub labels: Vec<u8>,
    pub icv_mm3: f64,
    pub lesions: Lesions,
    /// `None` without weights.
    pub deep: Option<DeepReading>,
    /// Correlation with the template.
    pub ncc: f64,
}

/// Analyses a FLAIR on its own. The result is always of low confidence. `deep_weights` are those of a network for any
/// contrast; `None` to do without.
///
/// # Errors
/// `engine.unsupported_input`: `t2_contrast` when fluid is brighter than grey matter, `t1_contrast` when white matter is,
/// `flair_cortex` when more bright cortex than lesions is found;
/// `registration failed`, `field of view`, `empty`, `contrast`, `shape`.
pub fn flair_only(
    voxels: &[f32],
    grid: &Grid,
    atlas: &Atlas,
    deep_weights: Option<&[u8]>,
) -> Result<FlairOnly, Error> {
    let conformed = conform(voxels, grid)?;
    let (image, coarse) = prepare(&conformed.voxels, &conformed.grid)?;
    let registration = register(&image, &coarse, atlas)?;
    let mut prior = sample_prior(atlas, &conformed.grid, &registration.subject_from_atlas, None)?;
    check_fluid(&conformed.voxels, &prior)?;
    let icv_mm3 = prior.inside_dura() as f64;
    let priors = TissuePriors::new(&prior);
    let fitted = fit_any_order(&conformed.voxels, &prior, true, None)?;
    levels_of(&fitted, &prior).check()?;
    let map = &registration.subject_from_atlas;
    let deep = deep_weights
        .map(|weights| read_deep(weights, &conformed, &prior, map, half_box::centre_mm(atlas)))
        .transpose()?;
    let labels = labels_of(&fitted, &mut prior);
    let window = prior.window;
    drop(prior);
    let flat = vec![1f32; window.count()];
    let side = T1Side {
        conformed: &conformed.voxels,
        grid: &conformed.grid,
        window,
        labels: &labels,
        corrected: &flat,
        grey: 1.0,
        white: 1.0,
        priors: &priors,
    };
    // An affine aligns no folds and no ventricles: white matter is certain nowhere, and no border was measured.
    let usual = Rules::default();
    // A field read from cortex and white matter of an affine follows the lesions: it took Dice of a patient with 8 mL from .55
    // to .27.
    let rules = Rules {
        field_mm: None,
        seed_grey: usual.grey,
        inner: 2.0,
        beats_cortex: true,
        least_load_mm3: f64::INFINITY,
        ..usual
    };
    let mut lesions = find_with(&Flair { voxels, grid }, &side, &Affine::IDENTITY, &rules)?;
    lesions.low_confidence = true;
    let mut labels = labels;
    for (label, &mark) in labels.iter_mut().zip(&lesions.on_t1) {
        let kept = matches!(*label, 1 | 2 | 15..=18);
        *label = if mark != 0 {
            super::relabel::LESION
        } else if kept {
            *label
        } else {
            0
        };
    }
    Ok(FlairOnly { conformed, window, labels, icv_mm3, lesions, deep, ncc: registration.ncc })
}

/// Grey matter with the white matter beside it.
const PAIRS: [(usize, usize); 3] =
    [(CORTEX, WHITE_MATTER), (CEREBELLAR_CORTEX, CEREBELLAR_WHITE_MATTER), (HIPPOCAMPUS, WHITE_MATTER)];

/// Grey against white matter in cerebrum, cerebellum and hippocampus: a stroke that an affine cannot follow brightens the
/// white matter of one. The fluid has been looked at already, and the fit bounds it.
fn levels_of(fitted: &Fit, prior: &Prior) -> Levels {
    let has =
        |class: usize| prior.class.chunks_exact(CLASSES).filter(|c| c[class] > 0.5).nth(FEWEST).is_some();
    let mean = |class: usize| fitted.mixture.class_mean(class);
    let pairs = PAIRS.into_iter().filter(|&(grey, white)| has(grey) && has(white));
    let ratios: Vec<f64> = pairs.map(|(grey, white)| mean(grey) / mean(white)).collect();
    let grey = ratios.iter().sum::<f64>() / ratios.len().max(1) as f64;
    Levels { fluid: mean(VENTRICLE).min(grey), grey, white: 1.0 }
}

fn labels_of(fitted: &Fit, prior: &mut Prior) -> Vec<u8> {
    let q = mrf::sweep(&fitted.corrected, prior, &fitted.used);
    mrf::label(&q, prior)
}

/// Refuses a T2-weighted series, on which fluid is brighter than grey matter: lesions and fluid look alike there.
fn check_fluid(conformed: &[u8], prior: &Prior) -> Result<(), Error> {
    let median = |class: usize, least: f32| {
        let rows = prior.voxels.iter().zip(prior.class.chunks_exact(CLASSES));
        let mut found: Vec<f32> = rows
            .filter(|(_, c)| c[class] > least)
            .map(|(&at, _)| {
                let [i, j, k] = prior.window.ijk(at as usize);
                f32::from(conformed[i + SIDE * (j + SIDE * k)])
            })
            .collect();
        percentile(&mut found, 50.0)
    };
    match (median(VENTRICLE, 0.8), median(CORTEX, 0.6)) {
        (Some(fluid), Some(grey)) if fluid > grey => Err(Error::unsupported(
            "t2_contrast",
            format!("Cannot find lesions: fluid ({fluid:.0}) is brighter than grey matter ({grey:.0})"),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "flair_only_tests.rs"]
mod tests;
