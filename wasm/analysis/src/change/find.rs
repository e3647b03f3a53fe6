//! From the difference to lesions.

use super::difference::Difference;
use super::place::Placed;
use super::rules::ChangeRules;
use crate::flair::hysteresis::highest_within;
use crate::flair::split::components;
use crate::flair::tissue::TissuePriors;
use crate::voxels::morphology::for_each_neighbour;

/// Lesions of one comparison, at most: a pair with more has not been registered.
pub const MOST: usize = 254;

/// What happened to a lesion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    New = 1,
    Enlarging = 2,
    Shrinking = 3,
    Gone = 4,
}

/// One lesion that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedLesion {
    pub kind: Kind,
    /// Brighter than normal white matter beyond doubt.
    pub is_sure: bool,
    /// Of the voxels that changed, mm³.
    pub changed_mm3: f64,
    /// Of the whole lesion in each series, mm³.
    pub before_mm3: f64,
    pub after_mm3: f64,
    /// The highest |z| of its voxels.
    pub z: f32,
    /// The changed voxel nearest to their centre of mass, scanner mm of each series.
    pub centre_mm: [[f64; 3]; 2],
}

/// What `find` found, on the halfway grid.
pub struct Found {
    /// 0, or 1 + the place in `list`.
    pub marks: Vec<u8>,
    pub list: Vec<ChangedLesion>,
}

/// Where a lesion may be.
fn may_hold(priors: &TissuePriors, at: usize, rules: &ChangeRules) -> bool {
    let of = |map: &[u8]| f32::from(map[at]) / 255.0;
    // beside the ventricles the template may be a few millimetres off; fluid itself is dark
    let (white, ventricle) = (of(&priors.white), of(&priors.ventricle));
    white + ventricle >= rules.white
        && of(&priors.cortex) <= rules.cortex
        && of(&priors.deep) <= rules.deep
        && of(&priors.cerebellum) <= rules.cerebellum
}

/// Connected voxels whose difference stands out, with the lesion that they belong to in each series.
pub fn find(placed: &Placed, difference: &Difference, rules: &ChangeRules) -> Found {
    let (shape, count) = (placed.grid.shape, placed.grid.count());
    let held: Vec<bool> = (0..count).map(|at| may_hold(&placed.priors, at, rules)).collect();
    let lesions = [0, 1].map(|v| {
        let above = &difference.above[v];
        let marks: Vec<u8> = (0..count).map(|at| u8::from(held[at] && above[at] > rules.sure)).collect();
        Parts::of(&marks, shape)
    });
    let mut found: Vec<(ChangedLesion, Vec<u32>)> = Vec::new();
    for (brighter, sign) in [(1, 1.0f32), (0, -1.0)] {
        let above = &difference.above[brighter];
        let other: Vec<f32> = difference.above[1 - brighter].iter().map(|v| v.max(0.0)).collect();
        let nearby = highest_within(other, shape, [rules.near_mm; 3]);
        let marks: Vec<u8> = (0..count)
            .map(|at| u8::from(held[at] && sign * difference.z[at] > rules.grow && above[at] > rules.above))
            .collect();
        for part in components(&marks, shape) {
            let z = |v: u32| sign * difference.z[v as usize];
            let top = part.iter().map(|&v| z(v)).fold(0.0, f32::max);
            let is_clear = |v: u32| z(v) > rules.seed && above[v as usize] > nearby[v as usize] + rules.clear;
            let is_found = top > rules.seed_unclear || part.iter().any(|&v| is_clear(v));
            if !is_found || (part.len() as f64) < rules.least_mm3 {
                continue;
            }
            let volumes = [0, 1].map(|v| lesions[v].touched(&part, shape) as f64);
            let was_there =
                volumes[1 - brighter] >= rules.known_mm3.max(rules.known_part * volumes[brighter]);
            let kind = match (brighter, was_there) {
                (1, false) => Kind::New,
                (1, true) => Kind::Enlarging,
                (_, true) => Kind::Shrinking,
                (_, false) => Kind::Gone,
            };
            let highest = part.iter().map(|&v| above[v as usize]).fold(0.0, f32::max);
            let changed_mm3 = part.len() as f64;
            // a lesion that is too faint for its own border has that of its change
            let mut whole = volumes;
            whole[brighter] = whole[brighter].max(changed_mm3);
            if !was_there {
                whole[1 - brighter] = 0.0;
            }
            let lesion = ChangedLesion {
                kind,
                is_sure: highest > rules.sure,
                changed_mm3,
                before_mm3: whole[0],
                after_mm3: whole[1],
                z: top,
                centre_mm: centre(&part, placed),
            };
            found.push((lesion, part));
        }
    }
    found.sort_by(|(a, _), (b, _)| b.is_sure.cmp(&a.is_sure).then(b.z.total_cmp(&a.z)));
    found.truncate(MOST);
    let mut marks = vec![0u8; count];
    for (n, (_, part)) in found.iter().enumerate() {
        part.iter().for_each(|&v| marks[v as usize] = n as u8 + 1);
    }
    Found { marks, list: found.into_iter().map(|(lesion, _)| lesion).collect() }
}

/// Connected parts of a mask, looked up by voxel.
struct Parts {
    /// 0, or 1 + the number of the part.
    part_of: Vec<u32>,
    sizes: Vec<usize>,
}

impl Parts {
    fn of(marks: &[u8], shape: volume::Shape) -> Self {
        let parts = components(marks, shape);
        let mut part_of = vec![0; marks.len()];
        for (n, part) in parts.iter().enumerate() {
            part.iter().for_each(|&v| part_of[v as usize] = n as u32 + 1);
        }
        Self { part_of, sizes: parts.iter().map(Vec::len).collect() }
    }

    /// Voxels of all parts that some of the voxels lie in or beside.
    fn touched(&self, voxels: &[u32], shape: volume::Shape) -> usize {
        let mut numbers: Vec<u32> = Vec::new();
        for &v in voxels {
            numbers.push(self.part_of[v as usize]);
            for_each_neighbour(shape, v as usize, |n| numbers.push(self.part_of[n]));
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers.iter().filter(|&&n| n > 0).map(|&n| self.sizes[n as usize - 1]).sum()
    }
}

/// The voxel nearest to the centre of mass, in both scanners.
fn centre(part: &[u32], placed: &Placed) -> [[f64; 3]; 2] {
    let [nx, ny, _] = placed.grid.shape;
    let ijk = |v: u32| [v as usize % nx, v as usize / nx % ny, v as usize / (nx * ny)].map(|c| c as f64);
    let n = part.len().max(1) as f64;
    let middle = [0, 1, 2].map(|a| part.iter().map(|&v| ijk(v)[a]).sum::<f64>() / n);
    let away = |v: u32| (0..3).map(|a| (ijk(v)[a] - middle[a]).powi(2)).sum::<f64>();
    let nearest = part.iter().copied().min_by(|&a, &b| away(a).total_cmp(&away(b)));
    let mm = placed.grid.ras_from_ijk.apply(nearest.map_or(middle, ijk));
    [0, 1].map(|v| placed.visit_from_middle[v].apply(mm))
}
