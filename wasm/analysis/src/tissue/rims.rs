//! Rims that look grey: where a structure has shrunk, a film of fluid lies around it, and a voxel that is part fluid and
//! part white matter has the intensity of grey matter. The atlas expects the structure there, so both are taken for it.
//! Fluid is found by intensity, and what hangs on to the structure's body by less than a voxel is given back.

use crate::atlas::{CLASSES, OUTER_CSF};
use crate::tissue::boundary::{is_ventricle, touching};
use crate::tissue::mixture::Mixture;
use crate::tissue::prior::Prior;
use crate::voxels::morphology::{dilate, erode, for_each_neighbour, largest_component};
use volume::Shape;

/// Part of the way from fluid to hippocampus below which a voxel of hippocampus or amygdala is fluid.
const FLUID_FRACTION: f32 = 0.6;
/// Part of the way from fluid to white matter where a rim of both is divided.
const RIM_FRACTION: f32 = 0.5;
/// Face steps from the eroded body within which a voxel belongs to it: one undoes the erosion.
const REACH: usize = 2;

/// Caudate, hippocampus and amygdala, which lie between fluid and white matter, with the fluid of a rim that touches none.
const STRUCTURES: [(u8, u8); 6] =
    [(9, 15), (10, 16), (19, OUTER_CSF), (20, OUTER_CSF), (21, OUTER_CSF), (22, OUTER_CSF)];

/// Prior of hippocampus and amygdala from which they are expected, where fluid is less likely and that of the ventricle
/// likelier than that of the cisterns: what a hippocampus leaves on its other sides is no horn.
const EXPECTED: f32 = 0.4;
/// Fluid in one piece there that is a wide inferior horn, mm³; healthy heads have specks of up to 40.
const HORN_PIECE: usize = 150;

/// Class means of a fit, white matter about 1.
#[derive(Debug, Clone, Copy)]
pub struct Levels {
    pub hippocampus: f32,
    pub fluid: f32,
    pub white: f32,
}

impl Levels {
    pub fn of(mixture: &Mixture) -> Self {
        let [hippocampus, fluid, white] = [10, 11, 3].map(|k| mixture.class_mean(k) as f32);
        Self { hippocampus, fluid, white }
    }
}

/// Gives the rims of caudate, hippocampus and amygdala to fluid or white matter.
///
/// 1. Hippocampus and amygdala darker than fluid + 0.6 (hippocampus - fluid) become outer fluid. 2. Of each structure
///    stays what lies within two face steps, inside the structure, of the largest piece of its erosion; the rest becomes
///    white matter of its side, unless our own network is sure of it, or fluid when darker than half of the way from fluid to
///    white. 3. Fluid where the atlas
///    expects hippocampus or amygdala on the horn's side becomes inferior horn when a face-connected piece of it has 150
///    voxels.
///
/// # Shape
/// `labels`, `corrected`, `expected` (of `expected_side`) and `seen` (of `NetworkPosteriors::assured`): `shape`; without the
/// network `seen` is empty.
pub fn release_rims(
    labels: &mut [u8],
    shape: Shape,
    corrected: &[f32],
    levels: &Levels,
    expected: &[u8],
    seen: &[u8],
) {
    let Levels { hippocampus, fluid, white } = *levels;
    let dark = fluid + FLUID_FRACTION * (hippocampus - fluid);
    for (label, &y) in labels.iter_mut().zip(corrected) {
        if (19..=22).contains(label) && y < dark {
            *label = OUTER_CSF;
        }
    }
    let half = fluid + RIM_FRACTION * (white - fluid);
    for (label, default) in STRUCTURES {
        let (wet, dry): (Vec<usize>, Vec<usize>) =
            rim_of(labels, shape, label).into_iter().partition(|&v| corrected[v] < half);
        let fluids: Vec<Option<u8>> =
            wet.iter().map(|&v| touching(labels, shape, v, |n| is_fluid(labels[n]))).collect();
        wet.iter().zip(fluids).for_each(|(&v, found)| labels[v] = found.unwrap_or(default));
        let given_back = dry.into_iter().filter(|&v| seen.get(v) != Some(&label));
        given_back.for_each(|v| labels[v] = 2 - label % 2);
    }
    widen_horns(labels, shape, expected);
}

/// For each voxel of the window: 1 (left) or 2 (right) where the atlas expects hippocampus or amygdala, and a horn rather
/// than a cistern if none is there; else 0. To be asked before the prior is overwritten.
pub fn expected_side(prior: &Prior) -> Vec<u8> {
    let mut out = vec![0; prior.window.count()];
    for (v, &at) in prior.voxels.iter().enumerate() {
        let p = &prior.class[v * CLASSES..(v + 1) * CLASSES];
        if p[10] > EXPECTED && p[10] > p[11] && p[11] > p[12] {
            out[at as usize] = 2 - prior.best[v * CLASSES + 10] % 2;
        }
    }
    out
}

fn widen_horns(labels: &mut [u8], shape: Shape, expected: &[u8]) {
    let mut free: Vec<u8> =
        (0..labels.len()).map(|v| if is_fluid(labels[v]) { expected[v] } else { 0 }).collect();
    for seed in 0..labels.len() {
        let side = std::mem::take(&mut free[seed]);
        if side == 0 {
            continue;
        }
        let (mut piece, mut next) = (vec![seed], 0);
        while next < piece.len() {
            for_each_neighbour(shape, piece[next], |n| {
                if free[n] == side {
                    free[n] = 0;
                    piece.push(n);
                }
            });
            next += 1;
        }
        if piece.len() >= HORN_PIECE {
            piece.into_iter().for_each(|v| labels[v] = 16 + side);
        }
    }
}

fn is_fluid(label: u8) -> bool {
    is_ventricle(label) || label == 27 || label == OUTER_CSF
}

/// Voxels of a structure that do not belong to its body.
fn rim_of(labels: &[u8], shape: Shape, label: u8) -> Vec<usize> {
    let (low, size) = box_of(labels, shape, label);
    let place = |at: usize| {
        let [i, j, k] = [at % size[0], at / size[0] % size[1], at / (size[0] * size[1])];
        low[0] + i + shape[0] * (low[1] + j + shape[1] * (low[2] + k))
    };
    let mask: Vec<bool> = (0..size.iter().product()).map(|at| labels[place(at)] == label).collect();
    let mut body = largest_component(&erode(&mask, size), size);
    for _ in 0..REACH {
        body = dilate(&body, size, 1).iter().zip(&mask).map(|(&near, &inside)| near && inside).collect();
    }
    (0..mask.len()).filter(|&at| mask[at] && !body[at]).map(place).collect()
}

/// Smallest box that holds the label, as its low corner and its shape; of no voxels without it.
fn box_of(labels: &[u8], shape: Shape, label: u8) -> ([usize; 3], Shape) {
    let (mut low, mut high) = (shape, [0; 3]);
    for at in (0..labels.len()).filter(|&at| labels[at] == label) {
        let p = [at % shape[0], at / shape[0] % shape[1], at / (shape[0] * shape[1])];
        for a in 0..3 {
            low[a] = low[a].min(p[a]);
            high[a] = high[a].max(p[a] + 1);
        }
    }
    (low, [0, 1, 2].map(|a| high[a].saturating_sub(low[a])))
}

#[cfg(test)]
#[path = "rims_tests.rs"]
mod tests;
