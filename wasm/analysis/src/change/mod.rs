//! What changed between two FLAIR series of one patient: lesions that are new, enlarging, shrinking or gone. Both series are
//! brought to the space halfway between them, brought to one contrast and subtracted; neither is favoured, and exchanging
//! them exchanges new with gone and enlarging with shrinking.
//!
//! Order: `place` (registration, halfway space), `difference` (contrast, noise, z), `find` (lesions, on the voxels of each
//! series).
//!
//! # Source
//! Reuter and Fischl 2011, doi:10.1016/j.neuroimage.2011.02.076 (halfway space); Ganiler et al. 2014,
//! doi:10.1007/s00234-014-1343-1 (new lesions by subtraction). Differs: the noise that a difference is measured by is read
//! from the pair itself, by how steep the image is there.

pub mod difference;
pub mod find;
pub mod place;
pub mod rules;
pub mod source_marks;
#[cfg(test)]
mod tests;

use crate::atlas::Atlas;
use crate::flair::Flair;
use difference::Difference;
use find::ChangedLesion;
use place::Placed;
use rules::ChangeRules;
use volume::{Affine, Error};

/// The lesions that changed between two series.
pub struct FlairChange {
    /// The surest first.
    pub list: Vec<ChangedLesion>,
    /// For each series, on its own grid: 0, or 1 + the place in `list` of the lesion that changed there.
    pub marks: [Vec<u8>; 2],
    /// Scanner mm of the first series to those of the second.
    pub second_from_first: Affine,
    /// Correlation of both in the halfway space.
    pub ncc: f64,
    /// Noise of the difference where the image is flat, in units of normal white matter.
    pub noise: f32,
}

/// Compares two series of one patient with the rules of `ChangeRules::default`, the first the older one.
///
/// # Errors
/// As `place::place`; `engine.unsupported_input` (`contrast`) when a series shows no normal white matter.
pub fn compare(series: [Flair; 2], atlas: &Atlas) -> Result<FlairChange, Error> {
    compare_with(series, atlas, &ChangeRules::default())
}

/// The same with other constants.
///
/// # Errors
/// As `compare`.
pub fn compare_with(series: [Flair; 2], atlas: &Atlas, rules: &ChangeRules) -> Result<FlairChange, Error> {
    let placed = place::place([&series[0], &series[1]], atlas)?;
    let difference = Difference::of(&placed, rules)?;
    let found = find::find(&placed, &difference, rules);
    let Placed { grid, visit_from_middle, second_from_first, ncc, .. } = placed;
    let on = |visit: usize| {
        source_marks::on_source(
            &found.marks,
            &grid,
            &visit_from_middle[visit],
            series[visit].grid,
            found.list.len(),
        )
    };
    Ok(FlairChange {
        marks: [on(0)?, on(1)?],
        list: found.list,
        second_from_first,
        ncc,
        noise: difference.noise,
    })
}
