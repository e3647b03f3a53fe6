//! Lesions against the cortex around them, for a FLAIR whose atlas is placed by an affine only: the folds of a person lie
//! where the template has white matter, and the coil brightens the vertex.

use super::stack::Place;
use super::Flair;
use crate::numbers::percentile::percentile;
use crate::voxels::filter::gaussian;
use volume::Error;

/// Least median brightness of a lesion over the cortex around it. On eight FLAIR series of six heads, lesions of a
/// reference mask or beyond doubt by eye: 1.19 to 1.40; cortex at the vertex and along the midline: 1.01 to 1.16.
const LEAST_RATIO: f32 = 1.18;
/// Blur within which white matter and cortex count as nearby, mm.
const WHITE_MM: f64 = 15.0;
const CORTEX_MM: f64 = 12.0;
/// Priors, of 255, above which a place counts as white matter and as cortex.
const WHITE: u8 = 216;
const CORTEX: u8 = 128;
/// Least blurred weight that gives a local value.
const LEAST_WEIGHT: f32 = 1e-3;

/// Taken for cortex, mm³, above which there is no number when that is more than the lesions.
const MOST_CORTEX_MM3: f64 = 1000.0;

/// Lesions clearly brighter than the cortex nearby, and those that are not.
pub struct Parted {
    pub lesions: Vec<Vec<u32>>,
    pub cortex: Vec<Vec<u32>>,
}

/// Parts found lesions by the cortex nearby. The cortex is read where it is brighter than the white matter nearby, which
/// leaves out the fluid of the sulci.
pub fn part_by_cortex(places: &[Place], flair: &Flair, found: Vec<Vec<u32>>) -> Parted {
    let white = nearby(places, flair, WHITE_MM, |p| p.white > WHITE);
    let brighter = |p: &Place| p.cortex > CORTEX && flair.voxels[p.at as usize] > white[p.at as usize];
    let cortex = nearby(places, flair, CORTEX_MM, brighter);
    let (lesions, cortex) = found.into_iter().partition(|part| {
        let mut ratios: Vec<f32> = part
            .iter()
            .map(|&v| flair.voxels[v as usize] / cortex[v as usize].max(f32::MIN_POSITIVE))
            .collect();
        percentile(&mut ratios, 50.0).is_some_and(|median| median as f32 >= LEAST_RATIO)
    });
    Parted { lesions, cortex }
}

impl Parted {
    /// The lesions, unless more bright cortex than lesions was found: how much of it was missed nobody knows then.
    ///
    /// # Errors
    /// `engine.unsupported_input` (`flair_cortex`).
    pub fn checked(self, flair: &Flair) -> Result<Vec<Vec<u32>>, Error> {
        let voxel_mm3 = flair.grid.ras_from_ijk.determinant().abs();
        let mm3 = |parts: &[Vec<u32>]| parts.iter().map(Vec::len).sum::<usize>() as f64 * voxel_mm3;
        let (lesions, cortex) = (mm3(&self.lesions), mm3(&self.cortex));
        if cortex > MOST_CORTEX_MM3 && cortex > lesions {
            let message =
                format!("Cannot find lesions: {cortex:.0} mm³ of bright cortex, {lesions:.0} mm³ of lesions");
            return Err(Error::unsupported("flair_cortex", message));
        }
        Ok(self.lesions)
    }
}

/// Mean of the chosen places around each voxel of the FLAIR; the mean of all where none is near.
fn nearby(places: &[Place], flair: &Flair, mm: f64, is_chosen: impl Fn(&Place) -> bool) -> Vec<f32> {
    let (mut sum, mut weight) = (vec![0f32; flair.grid.count()], vec![0f32; flair.grid.count()]);
    let (mut total, mut count) = (0.0, 0.0);
    for p in places.iter().filter(|p| is_chosen(p)) {
        let at = p.at as usize;
        sum[at] = flair.voxels[at];
        weight[at] = 1.0;
        total += f64::from(flair.voxels[at]);
        count += 1.0;
    }
    let everywhere = (total / f64::max(count, 1.0)) as f32;
    let sigma = flair.grid.ras_from_ijk.spacing_mm().map(|s| mm / s);
    gaussian(&mut sum, flair.grid.shape, sigma, 1);
    gaussian(&mut weight, flair.grid.shape, sigma, 1);
    let mean = |(s, w): (&f32, &f32)| if *w > LEAST_WEIGHT { s / w } else { everywhere };
    sum.iter().zip(&weight).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use volume::{Affine, Grid};

    /// A slab of cortex over white matter, brighter towards its end as a coil makes it, with two spots in the white
    /// matter: one as bright as the cortex nearby, one half as bright again.
    #[test]
    fn part_by_cortex_tells_a_fold_from_a_lesion_under_a_drift() {
        let shape = [80, 20, 20];
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let grid = Grid::new(shape, Affine::from_parts(axes, [0.0; 3])).unwrap();
        let drift = |at: usize| 1.0 + (at % 80) as f32 / 80.0;
        let spot = |at: usize, x: usize| {
            let p = [at % 80, at / 80 % 20, at / 1600];
            p[0].abs_diff(x) <= 2 && p[1].abs_diff(10) <= 2 && p[2].abs_diff(5) <= 2
        };
        let is_cortex = |at: usize| at / 1600 >= 14;
        let value = |at: usize| match at {
            _ if spot(at, 70) || is_cortex(at) => 1.2 * drift(at),
            _ if spot(at, 10) => 1.8 * drift(at),
            _ => drift(at),
        };
        let voxels: Vec<f32> = (0..grid.count()).map(value).collect();
        let places: Vec<Place> = (0..grid.count())
            .map(|at| Place {
                at: at as u32,
                t1: 1.0,
                surface_mm2: 400,
                ventricle_mm2: 400,
                label: 1,
                white: if is_cortex(at) { 0 } else { 255 },
                ventricle: 0,
                cortex: if is_cortex(at) { 255 } else { 0 },
                deep: 0,
                cerebellum: 0,
            })
            .collect();
        let part = |x: usize| (0..grid.count()).filter(|&at| spot(at, x)).map(|at| at as u32).collect();
        let (lesion, fold): (Vec<u32>, Vec<u32>) = (part(10), part(70));
        // the fold is the brighter of the two by less than the drift
        assert!(voxels[fold[0] as usize] > voxels[lesion[0] as usize]);
        let found = vec![lesion.clone(), fold.clone()];
        let flair = Flair { voxels: &voxels, grid: &grid };
        let parted = part_by_cortex(&places, &flair, found);
        assert_eq!((&parted.lesions, &parted.cortex), (&vec![lesion.clone()], &vec![fold]));
        assert_eq!(parted.checked(&flair).unwrap(), vec![lesion]);
    }

    #[test]
    fn checked_gives_no_number_where_most_is_cortex() {
        let axes = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
        let grid = Grid::new([10; 3], Affine::from_parts(axes, [0.0; 3])).unwrap();
        let refused = |lesions: u32, cortex: u32| {
            let parted =
                Parted { lesions: vec![(0..lesions).collect()], cortex: vec![(0..cortex).collect()] };
            parted.checked(&Flair { voxels: &[], grid: &grid }).err().map(|e| e.reason())
        };
        // voxels of 12 mm³
        assert_eq!(refused(83, 84), Some("flair_cortex"));
        assert_eq!(refused(85, 84), None);
        assert_eq!(refused(0, 83), None);
    }
}
