//! Lesions by rules: FLAIR brighter than normal white matter, where the prior allows white matter.

use super::contrast::Levels;
use super::cortex_nearby::part_by_cortex;
use super::evidence::evidence;
use super::field::flattened;
use super::grow::grown;
use super::hysteresis::hysteresis;
use super::rules::Rules;
use super::split::{side, DEEP, PERIVENTRICULAR};
use super::stack::{places, Places};
use super::{Flair, T1Side};
use volume::{Affine, Error};

/// Below this volume the finding is called minimal: false positives weigh as much as lesions, mm³.
const LOW_CONFIDENCE_MM3: f64 = 3000.0;

/// One lesion: connected voxels of the FLAIR.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesion {
    pub periventricular_mm3: f64,
    pub deep_mm3: f64,
    /// Its voxel nearest to its centre of mass, RAS mm of the T1-weighted series.
    pub centre_mm: [f64; 3],
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
    /// The largest first.
    pub list: Vec<Lesion>,
    /// Less than 3 mL in all.
    pub low_confidence: bool,
}

/// Finds lesions on the FLAIR's voxels with the rules of `Rules::default`.
///
/// # Errors
/// `engine.unsupported_input`: `contrast` when the FLAIR shows no normal tissue, `t1_contrast` or `t2_contrast` when the
/// series is no FLAIR; `volume.affine_singular`.
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
    let Places { brain: places, fluid } = places(flair, t1, t1_from_flair)?;
    Levels::of(flair, t1, &places).map_or(Ok(()), |levels| levels.check())?;
    let flat = rules.field_mm.map(|sigma_mm| flattened(flair, &places, &fluid, sigma_mm));
    let raw = flair;
    let flair = &Flair { voxels: flat.as_deref().unwrap_or(raw.voxels), grid: raw.grid };
    let evidence = evidence(flair, raw, t1, &places, &fluid, rules)?;
    let mut parts = hysteresis(&places, &evidence, rules, flair);
    if rules.beats_cortex {
        parts = part_by_cortex(&places, flair, parts).checked(flair)?;
    }
    let parts = grown(&places, &evidence, rules, flair, parts);
    let mut mask = vec![0u8; flair.grid.count()];
    parts.iter().flatten().for_each(|&v| mask[v as usize] = DEEP);
    for p in places.iter().chain(&fluid).filter(|p| p.ventricle_mm2 < u16::MAX) {
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
        list: listed(flair, t1_from_flair, &mask, &parts),
        mask,
        on_t1,
        periventricular_mm3,
        deep_mm3,
        white_matter_mm3,
        low_confidence: periventricular_mm3 + deep_mm3 < LOW_CONFIDENCE_MM3,
    })
}

/// The lesions one by one.
fn listed(flair: &Flair, t1_from_flair: &Affine, mask: &[u8], parts: &[Vec<u32>]) -> Vec<Lesion> {
    let voxel_mm3 = flair.grid.ras_from_ijk.determinant().abs();
    let ras = t1_from_flair.compose(&flair.grid.ras_from_ijk);
    let [nx, ny, _] = flair.grid.shape;
    let mm =
        |v: u32| ras.apply([v as usize % nx, v as usize / nx % ny, v as usize / (nx * ny)].map(|c| c as f64));
    let mut list: Vec<Lesion> = parts
        .iter()
        .map(|part| {
            let points: Vec<[f64; 3]> = part.iter().map(|&v| mm(v)).collect();
            let middle = [0, 1, 2].map(|a| points.iter().map(|p| p[a]).sum::<f64>() / points.len() as f64);
            let away = |p: &[f64; 3]| (0..3).map(|a| (p[a] - middle[a]).powi(2)).sum::<f64>();
            let centre = points.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
            let volume =
                |kind: u8| part.iter().filter(|&&v| mask[v as usize] == kind).count() as f64 * voxel_mm3;
            Lesion {
                periventricular_mm3: volume(PERIVENTRICULAR),
                deep_mm3: volume(DEEP),
                centre_mm: centre.copied().unwrap_or(middle),
            }
        })
        .collect();
    let size = |l: &Lesion| l.periventricular_mm3 + l.deep_mm3;
    list.sort_by(|a, b| size(b).total_cmp(&size(a)));
    list
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

#[cfg(test)]
#[path = "lesions_tests.rs"]
mod tests;
