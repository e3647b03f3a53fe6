//! What speaks for a lesion at every place of the brain.

use super::normal::{Normal, NORMAL};
use super::rules::Rules;
use super::split::is_lateral_ventricle;
use super::stack::Place;
use super::{Flair, T1Side};
use crate::numbers::percentile::percentile;
use crate::voxels::filter::gaussian;
use volume::Error;

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

/// What speaks for a lesion, each a value for every place.
pub struct Evidence {
    /// FLAIR above normal white matter and above normal cortex, in spreads of each.
    pub z: Vec<f32>,
    pub above_cortex: Vec<f32>,
    /// z blurred over the brain.
    pub smooth: Vec<f32>,
    pub ground: Vec<Ground>,
    /// Where T1 shows no fluid.
    pub solid: Vec<bool>,
    /// Voxels of the FLAIR that the T1-weighted labels take for a lateral ventricle or for fluid around the brain but that are
    /// far too bright for it, with their z: dark rims of lesions beside fluid get its label.
    pub not_fluid: Vec<(u32, f32)>,
}

/// What the prior and the neighbourhood of a place allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    Barred,
    /// A lesion may grow here, and start if it is unmistakable.
    Possible,
    /// A lesion may start here.
    White,
}

/// Measures normal tissue and weighs every place against it. `raw` is the series with its field.
///
/// # Errors
/// `engine.unsupported_input` (`contrast`) when the FLAIR shows no normal tissue.
pub fn evidence(
    flair: &Flair,
    raw: &Flair,
    t1: &T1Side,
    places: &[Place],
    fluid: &[Place],
    rules: &Rules,
) -> Result<Evidence, Error> {
    let absent = || Error::unsupported("contrast", "Cannot find lesions: no normal tissue on the FLAIR");
    let value = |p: &Place| flair.voxels[p.at as usize];
    let normal = |tissue: &[&Place]| -> Result<Normal, Error> {
        let level = |series: &Flair| {
            let mut values: Vec<f32> = tissue.iter().map(|p| series.voxels[p.at as usize]).collect();
            Normal::of(&mut values).ok_or_else(absent)
        };
        Ok(level(flair)?.not_much_narrower(level(raw)?, rules.narrowed))
    };
    let white = normal(&normal_white(places, t1))?;
    let step = t1.white - t1.grey;
    let is_middle = |v: f32| v > t1.grey - step && v < t1.grey + 0.5 * step;
    let is_grey = |p: &&Place| p.cortex > byte(0.6) && (!t1.has_contrast() || is_middle(p.t1));
    let grey = normal(&places.iter().filter(is_grey).collect::<Vec<_>>())?;
    let solid: Vec<bool> =
        places.iter().map(|p| !t1.has_contrast() || p.t1 > t1.white - 1.9 * step).collect();
    let above_cortex: Vec<f32> = places.iter().map(|p| grey.z(value(p))).collect();
    let z: Vec<f32> = places.iter().map(|p| white.z(value(p))).collect();
    let ground = |(n, p): (usize, &Place)| {
        if solid[n] {
            ground(p, above_cortex[n] > rules.grey, rules)
        } else {
            Ground::Barred
        }
    };
    let ground = places.iter().enumerate().map(ground).collect();
    let is_no_fluid = |p: &&Place| white.z(value(p)) > rules.fluid && grey.z(value(p)) > rules.fluid_grey;
    let ventricle = places.iter().filter(|p| is_lateral_ventricle(p.label));
    let not_fluid = fluid.iter().chain(ventricle).filter(is_no_fluid).map(|p| (p.at, white.z(value(p))));
    let not_fluid = not_fluid.collect();
    let smooth = blurred(places, &z, flair, rules.blur_mm);
    Ok(Evidence { smooth, ground, z, above_cortex, solid, not_fluid })
}

fn ground(p: &Place, is_above_cortex: bool, rules: &Rules) -> Ground {
    let square = |mm: f32| (mm * mm) as u16;
    let is_barred = p.surface_mm2 <= square(rules.depth_mm)
        || p.deep >= byte(rules.deep)
        || p.cerebellum >= byte(0.3)
        || is_lateral_ventricle(p.label);
    if is_barred {
        return Ground::Barred;
    }
    let near = p.ventricle_mm2 < square(rules.rim_mm);
    let both = u16::from(p.white) + u16::from(p.ventricle) > u16::from(byte(rules.white));
    let sure = p.white > byte(0.85) || p.ventricle_mm2 < square(rules.sure_mm);
    let is_white = (p.white > byte(rules.white) || (near && both)) && p.cortex < byte(rules.cortex);
    if is_white && (sure || is_above_cortex) {
        Ground::White
    } else if is_above_cortex && p.white > byte(rules.possible) {
        Ground::Possible
    } else {
        Ground::Barred
    }
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
