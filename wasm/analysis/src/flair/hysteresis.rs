//! From the evidence to lesions: seeds, borders at part of the peak, connected parts.

use super::evidence::{Evidence, Ground};
use super::rules::Rules;
use super::split::components;
use super::stack::Place;
use super::Flair;
use crate::voxels::morphology::{dilate, erode};
use volume::Shape;

/// Part of a lesion that may be labelled cortex: lesions darken T1 to grey, but a fold is not a lesion.
const MOST_CORTICAL: f64 = 0.5;
/// Marks of a voxel inside a border, and of one that a lesion may start from.
const INSIDE: u8 = 1;
const SEED: u8 = 2;

/// Connected voxels above `grow` and above part of the peak around, with a seed, at least the smallest lesion's volume and
/// mostly outside ventricles and deep grey matter; gaps of one voxel are closed where T1 shows no fluid. Indices in the FLAIR, a list a lesion.
pub fn hysteresis(places: &[Place], evidence: &Evidence, rules: &Rules, flair: &Flair) -> Vec<Vec<u32>> {
    let (voxel_mm3, shape) = (flair.grid.ras_from_ijk.determinant().abs(), flair.grid.shape);
    let marks = marked(places, evidence, rules, flair);
    let mut may_fold = vec![false; marks.len()];
    let mut is_unmistakable = vec![false; marks.len()];
    let mut inner = vec![0u16; marks.len()];
    let sure = (rules.sure_mm * rules.sure_mm) as u16;
    for (n, p) in places.iter().enumerate() {
        // No fold of the cortex lies beside a lateral ventricle.
        may_fold[p.at as usize] = (37..=104).contains(&p.label) && p.ventricle_mm2 >= sure;
        is_unmistakable[p.at as usize] = evidence.above_cortex[n] > rules.unmistakable;
        inner[p.at as usize] = u16::from(p.ventricle) + u16::from(p.deep);
    }
    let mut parts = components(&marks, shape);
    parts.retain(|part| {
        let cortical = part.iter().filter(|&&v| may_fold[v as usize]).count();
        let inner: u64 = part.iter().map(|&v| u64::from(inner[v as usize])).sum();
        part.len() as f64 * voxel_mm3 >= rules.least_mm3
            && inner as f64 <= f64::from(rules.inner) * 255.0 * part.len() as f64
            && part.iter().any(|&v| marks[v as usize] == SEED)
            && (cortical as f64 <= MOST_CORTICAL * part.len() as f64
                || part.iter().any(|&v| is_unmistakable[v as usize]))
    });
    let mut kept = vec![false; marks.len()];
    parts.iter().flatten().for_each(|&v| kept[v as usize] = true);
    let closed = erode(&dilate(&kept, shape, 1), shape);
    let mut marks = vec![0u8; marks.len()];
    for (n, p) in places.iter().enumerate() {
        let at = p.at as usize;
        marks[at] = u8::from(kept[at] || (closed[at] && evidence.solid[n]));
    }
    components(&marks, shape)
}

/// Every voxel of the FLAIR: 0, inside a border, or a seed there.
fn marked(places: &[Place], evidence: &Evidence, rules: &Rules, flair: &Flair) -> Vec<u8> {
    let shape = flair.grid.shape;
    let mut heights = vec![0f32; flair.grid.count()];
    let is_candidate = |n: usize| evidence.ground[n] != Ground::Barred && evidence.smooth[n] > rules.grow;
    for (n, p) in places.iter().enumerate().filter(|&(n, _)| is_candidate(n)) {
        heights[p.at as usize] = evidence.smooth[n];
    }
    let spacing = flair.grid.ras_from_ijk.spacing_mm();
    let peaks = highest_within(heights, shape, spacing.map(|mm| (rules.reach_mm / mm) as usize));
    let mut marks = vec![0u8; flair.grid.count()];
    for (n, p) in places.iter().enumerate().filter(|&(n, _)| is_candidate(n)) {
        if evidence.smooth[n] > rules.peak_part * peaks[p.at as usize] {
            let above = evidence.above_cortex[n];
            let may_start = evidence.ground[n] == Ground::White || above > rules.unmistakable;
            let is_seed = evidence.z[n] > rules.seed && above > rules.seed_grey && may_start;
            marks[p.at as usize] = if is_seed { SEED } else { INSIDE };
        }
    }
    marks
}

/// The highest value in the box of `reach` voxels to either side of each voxel; values are not negative.
pub fn highest_within(values: Vec<f32>, shape: Shape, reach: [usize; 3]) -> Vec<f32> {
    let [nx, ny, nz] = shape;
    let raise = |out: &mut [f32], other: &[f32]| {
        out.iter_mut().zip(other).for_each(|(a, &b)| *a = if b > *a { b } else { *a });
    };
    let around = |at: usize, reach: usize, n: usize| at.saturating_sub(reach)..n.min(at + reach + 1);
    let mut out = vec![0f32; values.len()];
    parallel::for_each_chunk(&mut out, (nx * ny).max(1), |k, slice| {
        let mut wide = vec![0f32; nx * ny];
        let from = &values[k * nx * ny..][..nx * ny];
        for (row, wide) in from.chunks_exact(nx).zip(wide.chunks_exact_mut(nx)) {
            for shift in 0..=reach[0].min(nx - 1) {
                raise(&mut wide[shift..], &row[..nx - shift]);
                raise(&mut wide[..nx - shift], &row[shift..]);
            }
        }
        for (j, row) in slice.chunks_exact_mut(nx).enumerate() {
            around(j, reach[1], ny).for_each(|from| raise(row, &wide[from * nx..][..nx]));
        }
    });
    let flat = out;
    let mut out = values;
    parallel::for_each_chunk(&mut out, (nx * ny).max(1), |k, slice| {
        slice.fill(0.0);
        around(k, reach[2], nz).for_each(|from| raise(slice, &flat[from * nx * ny..][..nx * ny]));
    });
    out
}

#[cfg(test)]
#[path = "hysteresis_tests.rs"]
mod tests;
