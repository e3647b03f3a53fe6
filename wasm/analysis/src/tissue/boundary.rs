//! Partial volume at the cortex and at the rim of the lateral ventricles: single rules, applied once.

use crate::atlas::OUTER_CSF;
use crate::voxels::morphology::{dilate, for_each_neighbour};
use volume::Shape;

/// Part of the way from grey to white where the boundary lies.
const WHITE_FRACTION: f32 = 0.5;
/// Cortex darker than this part of its mean is fluid.
const FLUID_FRACTION: f32 = 0.8;
/// Part of the way from fluid to white above which the ventricle's rim is tissue.
const RIM_FRACTION: f32 = 0.45;

fn is_cortex(label: u8) -> bool {
    (37..=104).contains(&label)
}

fn is_white(label: u8) -> bool {
    label == 1 || label == 2
}

pub(crate) fn is_ventricle(label: u8) -> bool {
    matches!(label, 15..=18 | 25 | 26)
}

fn is_tissue(label: u8) -> bool {
    label > 0 && label < OUTER_CSF && !is_ventricle(label)
}

/// Label of the first face neighbour that satisfies `rule`. A voxel that touches the set has its nearest member there,
/// so this is the nearest label without a distance transform.
pub(crate) fn touching(labels: &[u8], shape: Shape, at: usize, rule: impl Fn(usize) -> bool) -> Option<u8> {
    let mut found = None;
    for_each_neighbour(shape, at, |n| {
        if found.is_none() && rule(n) {
            found = Some(labels[n]);
        }
    });
    found
}

/// Moves voxels between cortex, white matter and outer fluid by intensity.
///
/// 1. Cortex within two voxels of cerebral white matter and brighter than grey + 0.5 (white - grey) becomes white matter
///    of its side. 2. White matter that touches cortex, darker than that and brighter than 0.6 grey, takes the label it
///    touches. 3. Cortex darker than 0.8 grey becomes outer fluid.
pub fn refine_cortex(labels: &mut [u8], shape: Shape, corrected: &[f32], grey: f32, white: f32) {
    let limit = grey + WHITE_FRACTION * (white - grey);
    let cortex: Vec<bool> = labels.iter().map(|&l| is_cortex(l)).collect();
    let matter: Vec<bool> = labels.iter().map(|&l| is_white(l)).collect();
    let near_white = dilate(&matter, shape, 2);
    let touches_cortex = dilate(&cortex, shape, 1);
    let darker: Vec<usize> = (0..labels.len())
        .filter(|&v| matter[v] && touches_cortex[v] && corrected[v] < limit && corrected[v] > 0.6 * grey)
        .collect();
    for v in 0..labels.len() {
        if cortex[v] && near_white[v] && corrected[v] > limit {
            labels[v] = if labels[v] % 2 == 1 { 1 } else { 2 };
        }
    }
    let taken: Vec<Option<u8>> = darker.iter().map(|&v| touching(labels, shape, v, |n| cortex[n])).collect();
    for (&v, label) in darker.iter().zip(taken) {
        labels[v] = label.unwrap_or(labels[v]);
    }
    for (label, &y) in labels.iter_mut().zip(corrected) {
        if is_cortex(*label) && y < FLUID_FRACTION * grey {
            *label = OUTER_CSF;
        }
    }
}

/// Gives lateral-ventricle voxels that touch tissue and are brighter than fluid + 0.45 (white - fluid) to that tissue.
/// Only the rim: choroid plexus inside stays ventricle.
pub fn refine_ventricle(labels: &mut [u8], shape: Shape, corrected: &[f32], fluid: f32, white: f32) {
    let limit = fluid + RIM_FRACTION * (white - fluid);
    let changes: Vec<(usize, u8)> = (0..labels.len())
        .filter(|&v| (labels[v] == 15 || labels[v] == 16) && corrected[v] > limit)
        .filter_map(|v| touching(labels, shape, v, |n| is_tissue(labels[n])).map(|label| (v, label)))
        .collect();
    changes.into_iter().for_each(|(v, label)| labels[v] = label);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;

    const SHAPE: Shape = [9, 8, 7];

    fn random_labels(seed: u64, kinds: &[u8]) -> (Vec<u8>, Vec<f32>) {
        let mut random = Random::new(seed);
        let labels = (0..504).map(|_| kinds[random.below(kinds.len())]).collect();
        (labels, (0..504).map(|_| random.unit() as f32).collect())
    }

    fn place(v: usize) -> [i64; 3] {
        [(v % 9) as i64, (v / 9 % 8) as i64, (v / 72) as i64]
    }

    fn steps(a: usize, b: usize) -> i64 {
        let (p, q) = (place(a), place(b));
        (0..3).map(|c| (p[c] - q[c]).abs()).sum()
    }

    /// By definition, with distances to every voxel.
    fn naive_cortex(labels: &[u8], y: &[f32], grey: f32, white: f32) -> Vec<u8> {
        let limit = grey + 0.5 * (white - grey);
        let within = |v: usize, d: i64, rule: &dyn Fn(u8) -> bool| {
            (0..504).any(|n| steps(v, n) <= d && rule(labels[n]))
        };
        let first: Vec<u8> = (0..504)
            .map(|v| {
                let white_side = is_cortex(labels[v]) && y[v] > limit && within(v, 2, &is_white);
                if white_side {
                    2 - labels[v] % 2
                } else {
                    labels[v]
                }
            })
            .collect();
        (0..504)
            .map(|v| {
                let mut label = first[v];
                if is_white(labels[v]) && y[v] < limit && y[v] > 0.6 * grey && within(v, 1, &is_cortex) {
                    let order = [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]];
                    let at = order.iter().find_map(|d| {
                        (0..504).find(|&n| {
                            (0..3).all(|c| place(n)[c] == place(v)[c] + d[c]) && is_cortex(labels[n])
                        })
                    });
                    label = first[at.unwrap()];
                }
                if is_cortex(label) && y[v] < 0.8 * grey {
                    105
                } else {
                    label
                }
            })
            .collect()
    }

    #[test]
    fn refine_cortex_agrees_with_the_definition() {
        for seed in 0..8 {
            let (labels, y) = random_labels(seed, &[0, 0, 1, 2, 41, 42, 80, 15, 105]);
            let mut got = labels.clone();
            refine_cortex(&mut got, SHAPE, &y, 0.5, 0.9);
            assert_eq!(got, naive_cortex(&labels, &y, 0.5, 0.9));
        }
    }

    #[test]
    fn refine_ventricle_moves_only_bright_voxels_that_touch_tissue() {
        for seed in 0..8 {
            let (labels, y) = random_labels(seed, &[0, 15, 15, 16, 17, 25, 105, 1, 9, 19]);
            let mut got = labels.clone();
            refine_ventricle(&mut got, SHAPE, &y, 0.2, 0.9);
            for v in 0..504 {
                let lateral = labels[v] == 15 || labels[v] == 16;
                let neighbours: Vec<u8> = (0..504)
                    .filter(|&n| steps(v, n) == 1 && is_tissue(labels[n]))
                    .map(|n| labels[n])
                    .collect();
                if lateral && y[v] > 0.2 + 0.45 * 0.7 && !neighbours.is_empty() {
                    assert!(neighbours.contains(&got[v]));
                } else {
                    assert_eq!(got[v], labels[v]);
                }
            }
        }
    }
}
