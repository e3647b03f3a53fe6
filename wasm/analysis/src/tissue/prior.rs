//! The atlas prior on the subject's grid: which voxels can be inside the dura, their class priors and, inside each
//! class, the best label. Channels per label exist for one voxel at a time only.

use crate::atlas::{Atlas, ATLAS_SHAPE, ORIGIN_MM, SLOTS, TAIL_SHAPE};
use crate::registration::velocity::Displacement;
use crate::registration::view::View;
use crate::tissue::tissue_class::{CLASSES, OUTER_FLUID, OUTSIDE};
use crate::voxels::morphology::dilate;
use crate::voxels::sample::{trilinear_zero, Cell};
use std::ops::Range;
use volume::{Affine, Error, Grid, Shape};

/// Voxels whose prior of lying outside is at least this are never candidates.
const OUTSIDE_CERTAIN: f32 = 0.97;
/// Candidates of one part.
const PART: usize = 1 << 12;
/// Weight of the wide tail, which gives every label support about 8 mm further.
const TAIL_WEIGHT: f32 = 0.03;

/// A box of the conformed grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    pub low: [usize; 3],
    pub shape: Shape,
}

impl Window {
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Position on the whole grid of an index of the window.
    pub fn ijk(&self, at: usize) -> [usize; 3] {
        let [nx, ny, _] = self.shape;
        [self.low[0] + at % nx, self.low[1] + at / nx % ny, self.low[2] + at / (nx * ny)]
    }
}

/// Candidate voxels in ascending order with CLASSES values each.
#[derive(Clone)]
pub struct Prior {
    pub window: Window,
    /// Index in the window.
    pub voxels: Vec<u32>,
    /// Prior of each class, sums to 1.
    pub class: Vec<f32>,
    /// Most probable label inside each class.
    pub best: Vec<u8>,
}

impl Prior {
    /// Candidates in slices `low` to `high - 1` of the whole grid.
    pub fn between_slices(&self, low: usize, high: usize) -> Range<usize> {
        let slice = self.window.shape[0] * self.window.shape[1];
        let first = |k: usize| {
            let start = k.saturating_sub(self.window.low[2]) * slice;
            self.voxels.partition_point(|&at| (at as usize) < start)
        };
        first(low)..first(high)
    }

    /// Voxels more likely inside the dura than outside: the intracranial volume in mm³ on a 1 mm grid.
    pub fn inside_dura(&self) -> usize {
        self.class.chunks_exact(CLASSES).filter(|c| c[OUTSIDE] < 0.5).count()
    }

    /// 1 at the voxels that `inside_dura` counts, 0 elsewhere.
    ///
    /// # Shape
    /// That of the window.
    pub fn intracranial(&self) -> Vec<u8> {
        let mut mask = vec![0; self.window.count()];
        for (&at, c) in self.voxels.iter().zip(self.class.chunks_exact(CLASSES)) {
            mask[at as usize] = u8::from(c[OUTSIDE] < 0.5);
        }
        mask
    }

    /// Part of the brain, 0 to 1, that the prior expects outside a source's field of view on one side.
    ///
    /// # Arguments
    /// * `grid` - the conformed grid
    /// * `side` - as `View::is_beyond`
    ///
    /// # Errors
    /// `volume.affine_singular`.
    pub fn brain_outside_view(&self, source: &Grid, grid: &Grid, side: &str) -> Result<f64, Error> {
        let view = View::new(source)?;
        let (mut all, mut out) = (0.0, 0.0);
        for (&at, c) in self.voxels.iter().zip(self.class.chunks_exact(CLASSES)) {
            let brain = f64::from(1.0 - c[OUTSIDE] - c[OUTER_FLUID]);
            let mm = grid.ras_from_ijk.apply(self.window.ijk(at as usize).map(|v| v as f64));
            all += brain;
            if view.is_beyond(mm, side) {
                out += brain;
            }
        }
        Ok(if all > 0.0 { out / all } else { 1.0 })
    }
}

/// From a conformed index to the atlas.
struct Path<'a> {
    atlas_from_ijk: Affine,
    warp: Option<&'a Displacement>,
}

impl Path<'_> {
    fn mm(&self, ijk: [usize; 3]) -> [f64; 3] {
        let affine = self.atlas_from_ijk.apply(ijk.map(|v| v as f64));
        self.warp.map_or(affine, |warp| warp.displaced(affine))
    }
}

/// Prior of every label at one atlas point, by slot; not scaled: the tail and the lists sum to nearly 1.
pub fn label_prior(atlas: &Atlas, mm: [f64; 3], dense: &mut [f32; SLOTS]) {
    let fine = Cell::clamped(ATLAS_SHAPE, [0, 1, 2].map(|a| (mm[a] - ORIGIN_MM[a]) / 2.0));
    let wide = Cell::clamped(TAIL_SHAPE, [0, 1, 2].map(|a| (mm[a] - ORIGIN_MM[a] - 1.0) / 4.0));
    let wide = wide.corners();
    let rows = wide.map(|(at, _)| &atlas.tail[at]);
    let weights = wide.map(|(_, w)| w * TAIL_WEIGHT);
    // Four slots at a time, so that the sum over the corners stays in a register.
    for first in (0..SLOTS).step_by(4) {
        let mut sum = [0f32; 4];
        for (row, weight) in rows.iter().zip(weights) {
            for lane in 0..4 {
                sum[lane] += weight * row[first + lane];
            }
        }
        dense[first..first + 4].copy_from_slice(&sum);
    }
    for (at, weight) in fine.corners() {
        let weight = weight * (1.0 - TAIL_WEIGHT);
        for (&slot, &v) in atlas.listed_slot[at].iter().zip(&atlas.listed_weight[at]) {
            dense[slot as usize] += weight * v;
        }
    }
}

/// Sum and place of the first largest value.
fn sum_and_top(values: &[f32]) -> (f32, usize) {
    let (mut sums, mut tops) = ([0f32; 4], [-1f32; 4]);
    let chunks = values.chunks_exact(4);
    let rest = chunks.remainder();
    for chunk in chunks {
        for lane in 0..4 {
            sums[lane] += chunk[lane];
            tops[lane] = if chunk[lane] > tops[lane] { chunk[lane] } else { tops[lane] };
        }
    }
    let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    let mut top = tops.iter().copied().fold(-1f32, f32::max);
    for &v in rest {
        sum += v;
        top = top.max(v);
    }
    (sum, values.iter().position(|&v| v == top).unwrap_or(0))
}

/// Samples the prior through the affine (and the warp) for every candidate of the conformed grid.
///
/// # Errors
/// `volume.affine_singular`; `engine.unsupported_input` (`field of view`) when the atlas misses the grid.
pub fn sample_prior(
    atlas: &Atlas,
    grid: &Grid,
    subject_from_atlas: &Affine,
    warp: Option<&Displacement>,
) -> Result<Prior, Error> {
    let count = ATLAS_SHAPE.iter().product();
    let near: Vec<bool> = (0..count).map(|v| atlas.outside(v) < OUTSIDE_CERTAIN).collect();
    let near = dilate(&near, ATLAS_SHAPE, 1);
    let ijk_from_atlas = grid.ras_from_ijk.invert()?.compose(subject_from_atlas);
    let margin = 2.0 + warp.map_or(0.0, Displacement::largest_mm) * 1.5;
    let window = window_of(&near, &ijk_from_atlas, grid.shape, margin)?;
    let path = Path { atlas_from_ijk: ijk_from_atlas.invert()?, warp };
    let near: Vec<f32> = near.iter().map(|&v| f32::from(u8::from(v))).collect();
    let slice = window.shape[0] * window.shape[1];
    let slices = parallel::map(window.shape[2], |k| {
        let inside = |at: &usize| {
            let mm = path.mm(window.ijk(*at));
            trilinear_zero(&near, ATLAS_SHAPE, [0, 1, 2].map(|a| (mm[a] - ORIGIN_MM[a]) / 2.0)) > 0.5
        };
        (k * slice..(k + 1) * slice).filter(inside).map(|at| at as u32).collect::<Vec<_>>()
    });
    let voxels = slices.concat();
    drop(slices);
    let mut class = vec![0f32; voxels.len() * CLASSES];
    let mut best = vec![0u8; voxels.len() * CLASSES];
    let rows = PART * CLASSES;
    parallel::for_each_chunk2((&mut class, rows), (&mut best, rows), |part, class, best| {
        let mut dense = [0f32; SLOTS];
        let rows = class.chunks_exact_mut(CLASSES).zip(best.chunks_exact_mut(CLASSES));
        for (&at, (sums, labels)) in voxels[part * PART..].iter().zip(rows) {
            label_prior(atlas, path.mm(window.ijk(at as usize)), &mut dense);
            for k in 0..CLASSES {
                let first = atlas.slots.first[k];
                let (sum, top) = sum_and_top(&dense[first..atlas.slots.first[k + 1]]);
                sums[k] = sum;
                labels[k] = atlas.slots.label_of[first + top];
            }
            let scale = 1.0 / sums.iter().sum::<f32>();
            sums.iter_mut().for_each(|v| *v *= scale);
        }
    });
    Ok(Prior { window, voxels, class, best })
}

/// Box of the grid that holds the mapped mask with a margin in voxels.
fn window_of(near: &[bool], ijk_from_atlas: &Affine, shape: Shape, margin: f64) -> Result<Window, Error> {
    let [nx, ny, _] = ATLAS_SHAPE;
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (at, _) in near.iter().enumerate().filter(|(_, &n)| n) {
        let ijk = [at % nx, at / nx % ny, at / (nx * ny)].map(|v| v as f64);
        let p = ijk_from_atlas.apply(Atlas::mm(ijk));
        for a in 0..3 {
            low[a] = low[a].min(p[a]);
            high[a] = high[a].max(p[a]);
        }
    }
    let limit = |v: f64, a: usize| v.clamp(0.0, shape[a] as f64) as usize;
    let low = [0, 1, 2].map(|a| limit((low[a] - margin).floor(), a));
    let high = [0, 1, 2].map(|a| limit((high[a] + margin).ceil() + 1.0, a));
    if (0..3).any(|a| high[a] <= low[a]) {
        return Err(Error::unsupported("field of view", "Cannot place the atlas: it misses the volume"));
    }
    Ok(Window { low, shape: [0, 1, 2].map(|a| high[a] - low[a]) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::{class_of, Slots, LISTED};
    use crate::numbers::random::Random;

    /// An atlas of noise: six random labels per voxel near a ball, label 0 elsewhere.
    pub fn noise_atlas(seed: u64) -> Atlas {
        let mut random = Random::new(seed);
        let count: usize = ATLAS_SHAPE.iter().product();
        let (mut labels, mut weights) = (vec![0u8; count * LISTED], vec![0u8; count * LISTED]);
        for v in 0..count {
            let p = [v % 91, v / 91 % 109, v / (91 * 109)].map(|c| c as f64);
            let ball = (p[0] - 45.0).powi(2) + (p[1] - 55.0).powi(2) + (p[2] - 40.0).powi(2) < 400.0;
            for n in 0..LISTED {
                let label = if ball { random.below(106) } else { 0 };
                labels[n * count + v] = label as u8;
                weights[n * count + v] = 1 + random.below(80) as u8;
            }
        }
        let npy = |data: &[u8]| {
            let mut header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }".to_vec();
            header.resize(118, b' ');
            let mut file = b"\x93NUMPY\x01\x00".to_vec();
            file.extend((header.len() as u16).to_le_bytes());
            file.extend(header);
            file.extend(data);
            file
        };
        Atlas::from_npy(&npy(&vec![100; count]), &npy(&labels), &npy(&weights)).unwrap()
    }

    /// The definition with one dense value per label: trilinear of the 2 mm lists and of the tail.
    fn naive(atlas: &Atlas, mm: [f64; 3], label: u8) -> f64 {
        let slot = atlas.slots.slot_of[label as usize] as usize;
        let hat = |d: f64| (1.0 - d.abs()).max(0.0);
        let mix = |shape: Shape, at: [f64; 3], value: &dyn Fn(usize) -> f64| {
            let q = [0, 1, 2].map(|a| at[a].clamp(0.0, (shape[a] - 1) as f64));
            let mut sum = 0.0;
            for v in 0..shape.iter().product() {
                let ijk = [v % shape[0], v / shape[0] % shape[1], v / (shape[0] * shape[1])];
                let w = (0..3).map(|a| hat(q[a] - ijk[a] as f64)).product::<f64>();
                if w > 0.0 {
                    sum += w * value(v);
                }
            }
            sum
        };
        let listed = |v: usize| {
            (0..LISTED)
                .filter(|&n| atlas.listed_slot[v][n] as usize == slot)
                .map(|n| f64::from(atlas.listed_weight[v][n]))
                .sum()
        };
        let fine = mix(ATLAS_SHAPE, [0, 1, 2].map(|a| (mm[a] - ORIGIN_MM[a]) / 2.0), &listed);
        let wide = mix(TAIL_SHAPE, [0, 1, 2].map(|a| (mm[a] - ORIGIN_MM[a] - 1.0) / 4.0), &|v| {
            f64::from(atlas.tail[v][slot])
        });
        0.97 * fine + 0.03 * wide
    }

    #[test]
    fn label_prior_agrees_with_dense_channels() {
        let atlas = noise_atlas(41);
        let mut random = Random::new(42);
        let mut dense = [0f32; SLOTS];
        for _ in 0..3 {
            let mm = [random.range(-20.0, 20.0), random.range(-40.0, 10.0), random.range(-20.0, 30.0)];
            label_prior(&atlas, mm, &mut dense);
            for label in [0u8, 1, 19, 27, 60, 104, 105] {
                let got = f64::from(dense[atlas.slots.slot_of[label as usize] as usize]);
                assert!((got - naive(&atlas, mm, label)).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn sum_and_top_agrees_with_a_plain_loop() {
        let mut random = Random::new(45);
        for n in [1, 2, 3, 4, 5, 8, 68] {
            let values: Vec<f32> = (0..n).map(|_| random.below(9) as f32 / 8.0).collect();
            let (sum, top) = sum_and_top(&values);
            assert_eq!(sum, values.iter().sum::<f32>());
            assert!(values
                .iter()
                .enumerate()
                .all(|(at, &v)| v < values[top] || (v == values[top] && at >= top)));
        }
    }

    #[test]
    fn sample_prior_sums_to_one_and_names_labels_of_the_class() {
        let atlas = noise_atlas(43);
        let axes = [[-1.6, 0.1, 0.], [0., 0., 1.7], [0., -1.6, 0.1]];
        let grid = Grid::new([60, 60, 60], Affine::from_parts(axes, [45.0, -70.0, 60.0])).unwrap();
        let prior = sample_prior(&atlas, &grid, &Affine::IDENTITY, None).unwrap();
        assert!(prior.voxels.len() > 5000);
        for (class, best) in prior.class.chunks_exact(CLASSES).zip(prior.best.chunks_exact(CLASSES)) {
            assert!((class.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            (0..CLASSES).for_each(|k| assert_eq!(class_of(best[k]), k));
        }
        let inside = prior.intracranial();
        assert_eq!(inside.len(), prior.window.count());
        assert_eq!(inside.iter().filter(|&&v| v == 1).count(), prior.inside_dura());
    }

    #[test]
    fn sample_prior_with_a_still_warp_equals_none() {
        let atlas = noise_atlas(44);
        let grid = Grid::new(
            [30, 30, 30],
            Affine::from_parts([[3., 0., 0.], [0., 3., 0.], [0., 0., 3.]], [-45., -60., -40.]),
        )
        .unwrap();
        let still = Displacement { vectors: vec![[0.0; 4]; TAIL_SHAPE.iter().product()] };
        let a = sample_prior(&atlas, &grid, &Affine::IDENTITY, None).unwrap();
        let b = sample_prior(&atlas, &grid, &Affine::IDENTITY, Some(&still)).unwrap();
        assert!(a.voxels.len() == b.voxels.len() && a.class == b.class && a.best == b.best);
        assert_eq!(Slots::new().label_of[0], 0);
    }
}
