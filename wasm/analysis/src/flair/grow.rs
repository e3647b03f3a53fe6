//! The borders of lesions that were found: of a large load, most missed voxels touch a lesion.

use super::evidence::Evidence;
use super::rules::Rules;
use super::split::components;
use super::stack::Place;
use super::Flair;
use crate::numbers::percentile::percentile;
use crate::voxels::morphology::for_each_neighbour;

/// Part of the usual brightness of the lesions that were found below which a border voxel is none of theirs.
const LEAST_PART: f32 = 0.3;

/// Lesions grown into touching voxels that are brighter than normal white matter, and than cortex where they are
/// labelled cortex, and into what is labelled fluid but is none. Nothing grows when all lesions together are no larger than `rules.least_load_mm3`: of a small load
/// false positives would grow as well. One voxel along each axis, and on in steps of a voxel while the border has moved
/// no farther than `rules.border_mm` along that axis. Lesions that meet become one; the list is that of `components`.
pub fn grown(
    places: &[Place],
    evidence: &Evidence,
    rules: &Rules,
    flair: &Flair,
    parts: Vec<Vec<u32>>,
) -> Vec<Vec<u32>> {
    let found: usize = parts.iter().map(Vec::len).sum();
    if found as f64 * flair.grid.ras_from_ijk.determinant().abs() <= rules.least_load_mm3 {
        return parts;
    }
    let shape = flair.grid.shape;
    let mut marks = vec![0u8; flair.grid.count()];
    parts.iter().flatten().for_each(|&v| marks[v as usize] = 1);
    // where lesions are far brighter than noise, a voxel that they fill by a small part is brighter too
    let mut core: Vec<f32> = (0..places.len())
        .filter(|&n| marks[places[n].at as usize] == 1)
        .map(|n| evidence.smooth[n])
        .collect();
    let least = percentile(&mut core, 50.0).map_or(rules.border, |z| rules.border.max(LEAST_PART * z as f32));
    let mut is_open = vec![false; flair.grid.count()];
    for (n, p) in places.iter().enumerate() {
        let is_cortex = (37..=104).contains(&p.label);
        is_open[p.at as usize] = evidence.solid[n]
            && evidence.smooth[n] > least
            && (!is_cortex || evidence.above_cortex[n] > rules.seed_grey);
    }
    for &(at, z) in &evidence.not_fluid {
        is_open[at as usize] |= z > least;
    }
    let steps =
        flair.grid.ras_from_ijk.spacing_mm().map(|mm| (rules.border_mm / mm) as usize).map(|n| n.max(1));
    let mut edge: Vec<u32> = parts.into_iter().flatten().collect();
    for step in 1..=steps.into_iter().fold(0, usize::max) {
        let mut next = Vec::new();
        for &v in &edge {
            for_each_neighbour(shape, v as usize, |n| {
                let axis = axis_of((v as usize).abs_diff(n), shape[0]);
                if step <= steps[axis] && is_open[n] && marks[n] == 0 {
                    marks[n] = 1;
                    next.push(n as u32);
                }
            });
        }
        edge = next;
    }
    components(&marks, shape)
}

/// Axis along which two neighbours lie whose indices differ by `difference`.
fn axis_of(difference: usize, nx: usize) -> usize {
    match difference {
        1 => 0,
        d if d == nx => 1,
        _ => 2,
    }
}

#[cfg(test)]
#[path = "grow_tests.rs"]
mod tests;
