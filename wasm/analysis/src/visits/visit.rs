//! What the visits of one patient are compared by: points of the brain, and the motion between two of them.

use crate::atlas::{Atlas, ATLAS_SHAPE};
use crate::numbers::percentile::percentile_of_histogram;
use crate::tissue::prior::Prior;
use crate::visits::halfway::{affine_about, motion_near, register_halfway, scaled, Motion};
use crate::voxels::conform::SIDE;
use volume::{Affine, Error, Grid};

/// Points of the brain that steer a registration, at most.
const MAX_POINTS: usize = 60_000;
/// Prior above which an atlas voxel is certainly white matter.
const CERTAIN: f32 = 0.9;

/// One visit as it was found: the 2 mm image that registrations use, and where the atlas lies in it.
pub struct LocatedVisit {
    pub source: Grid,
    pub image: Vec<f32>,
    pub grid: Grid,
    pub subject_from_atlas: Affine,
    /// Correlation with the template.
    pub ncc: f64,
}

/// Atlas points inside the dura, evenly thinned.
pub fn brain_points(atlas: &Atlas) -> Vec<[f64; 3]> {
    let [nx, ny, _] = ATLAS_SHAPE;
    let inside: Vec<[f64; 3]> = (0..ATLAS_SHAPE.iter().product())
        .filter(|&v| atlas.outside(v) < 0.5)
        .map(|v| Atlas::mm([v % nx, v / nx % ny, v / (nx * ny)].map(|c| c as f64)))
        .collect();
    let thin = inside.len().div_ceil(MAX_POINTS).max(1);
    inside.into_iter().step_by(thin).collect()
}

/// Atlas points that are certainly cerebral white matter.
pub fn white_points(atlas: &Atlas) -> Vec<[f64; 3]> {
    let [nx, ny, _] = ATLAS_SHAPE;
    let white: Vec<bool> = atlas.slots.label_of.iter().map(|&label| label == 1 || label == 2).collect();
    (0..ATLAS_SHAPE.iter().product())
        .filter(|&v| {
            let listed = atlas.listed_slot[v].iter().zip(&atlas.listed_weight[v]);
            listed.filter(|(&slot, _)| white[slot as usize]).map(|(_, &w)| w).sum::<f32>() > CERTAIN
        })
        .map(|v| Atlas::mm([v % nx, v / nx % ny, v / (nx * ny)].map(|c| c as f64)))
        .collect()
}

/// Mean of points, of which there is at least one.
pub fn mean_point(points: &[[f64; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|a| points.iter().map(|p| p[a]).sum::<f64>() / points.len().max(1) as f64)
}

/// Rigid map between two visits from where the atlas lies in each. Exchanging the visits inverts it.
pub fn rigid_between(
    first: &LocatedVisit,
    second: &LocatedVisit,
    brain: &[[f64; 3]],
) -> Result<Affine, Error> {
    let second_from_first = second.subject_from_atlas.compose(&first.subject_from_atlas.invert()?);
    let brain_centre = mean_point(brain);
    let places = [first, second].map(|visit| visit.subject_from_atlas.apply(brain_centre));
    let centre = mean_point(&places);
    let mut start: Motion = motion_near(&second_from_first, centre);
    (0..3).for_each(|a| start[3 + a] = places[1][a] - places[0][a]);
    // Where both visits expect a point of the brain, halfway between: neither chooses the points.
    let half = [-0.5, 0.5].map(|sign| affine_about(&scaled(&start, sign), centre));
    let to_halfway = [
        half[0].invert()?.compose(&first.subject_from_atlas),
        half[1].invert()?.compose(&second.subject_from_atlas),
    ];
    let points: Vec<[f64; 3]> = brain
        .iter()
        .map(|&m| half[0].apply(mean_point(&[to_halfway[0].apply(m), to_halfway[1].apply(m)])))
        .collect();
    let images = [(&first.image[..], &first.grid), (&second.image[..], &second.grid)];
    register_halfway(images[0], images[1], &points, &start, centre)?.second_from_first()
}

/// Writes levelled intensities, white matter about 1, into a visit's bytes: `white` for 1. What is no candidate of the prior is
/// brought to the same scale on average.
pub fn write_levelled(bytes: &mut [u8], levelled: &[f32], prior: &Prior, white: f32) {
    let (mut sum, mut total) = (0.0, 0.0);
    for (&at, &y) in prior.voxels.iter().zip(levelled) {
        sum += f64::from(y);
        total += f64::from(bytes[on_grid(prior, at)]);
    }
    let scale = f64::from(white) * sum / f64::max(total, 1.0);
    let table: Vec<u8> = (0..256).map(|byte| (scale * f64::from(byte) + 0.5).min(255.0) as u8).collect();
    bytes.iter_mut().for_each(|byte| *byte = table[usize::from(*byte)]);
    for (&at, &y) in prior.voxels.iter().zip(levelled) {
        bytes[on_grid(prior, at)] = (white * y + 0.5).min(255.0) as u8;
    }
}

/// Voxel of the conformed grid of one in the prior's window.
fn on_grid(prior: &Prior, at: u32) -> usize {
    let [i, j, k] = prior.window.ijk(at as usize);
    i + SIDE * (j + SIDE * k)
}

/// Median byte at the mapped points.
///
/// # Errors
/// `engine.unsupported_input` (`contrast`) when it is 0.
pub fn median_at(
    bytes: &[u8],
    grid: &Grid,
    ijk_from_atlas: &Affine,
    points: &[[f64; 3]],
) -> Result<f32, Error> {
    let mut counts = [0u64; 256];
    for &point in points {
        let p = ijk_from_atlas.apply(point).map(f64::round);
        if (0..3).all(|a| p[a] >= 0.0 && p[a] < grid.shape[a] as f64) {
            let [i, j, k] = p.map(|v| v as usize);
            counts[bytes[grid.index(i, j, k)] as usize] += 1;
        }
    }
    match percentile_of_histogram(&counts, 50.0) {
        Some(median) if median > 0.0 => Ok(median as f32),
        _ => Err(Error::unsupported("contrast", "Cannot average visits: white matter is black or absent")),
    }
}

#[cfg(test)]
#[path = "visit_tests.rs"]
pub mod tests;
