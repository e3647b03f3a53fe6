//! The template and the prior: six labels with weights per 2 mm voxel, and a wide 4 mm tail derived from them.

use crate::tissue::tissue_class::{
    BRAIN_STEM, CAUDATE, CEREBELLAR_CORTEX, CEREBELLAR_WHITE_MATTER, CORTEX, HIPPOCAMPUS, OUTER_FLUID,
    OUTSIDE, PALLIDUM, PUTAMEN, THALAMUS, VENTRICLE, WHITE_MATTER,
};
use crate::voxels::filter::gaussian;
use volume::{Error, Shape};

pub use crate::tissue::tissue_class::CLASSES;

pub const ATLAS_SHAPE: Shape = [91, 109, 91];
pub const TAIL_SHAPE: Shape = [46, 55, 46];
/// RAS mm of voxel (0, 0, 0); the axes are RAS, 2 mm.
pub const ORIGIN_MM: [f64; 3] = [-90.0, -126.0, -72.0];
/// Labels stored per voxel.
pub const LISTED: usize = 6;
/// Cerebrospinal fluid outside the brain but inside the dura; internal, never shown.
pub const OUTER_CSF: u8 = 105;
/// Label values of a result, background included.
pub const LABEL_COUNT: usize = 105;
/// Dense label channels, padded for vector instructions.
pub const SLOTS: usize = 108;

const LABELS: usize = 106;
const TEMPLATE_SCALE: f32 = 1.4 / 255.0;

/// Tissue class of a label; see the table in `server/core/engine/atlas/README.md`.
pub fn class_of(label: u8) -> usize {
    match label {
        37..=104 => CORTEX,
        5 | 6 => CEREBELLAR_CORTEX,
        1 | 2 | 28 | 32..=36 => WHITE_MATTER,
        3 | 4 => CEREBELLAR_WHITE_MATTER,
        29..=31 => BRAIN_STEM,
        7 | 8 => THALAMUS,
        9 | 10 | 23 | 24 => CAUDATE,
        11 | 12 => PUTAMEN,
        13 | 14 => PALLIDUM,
        19..=22 => HIPPOCAMPUS,
        15..=18 | 25 | 26 => VENTRICLE,
        27 | OUTER_CSF => OUTER_FLUID,
        _ => OUTSIDE,
    }
}

/// Labels in the order of their dense channels: by class, then ascending; of OUTER_FLUID the outer fluid first, so that
/// it wins where neither has support.
pub struct Slots {
    pub label_of: [u8; LABELS],
    pub slot_of: [u8; LABELS],
    /// First slot of each class and the end of the last.
    pub first: [usize; CLASSES + 1],
}

impl Slots {
    pub fn new() -> Self {
        let mut order: Vec<u8> = (0..LABELS as u8).collect();
        order.sort_by_key(|&l| (class_of(l), l != OUTER_CSF, l));
        let mut out = Self { label_of: [0; LABELS], slot_of: [0; LABELS], first: [0; CLASSES + 1] };
        for (slot, &label) in order.iter().enumerate() {
            out.label_of[slot] = label;
            out.slot_of[label as usize] = slot as u8;
        }
        for class in 0..=CLASSES {
            out.first[class] = order.iter().filter(|&&l| class_of(l) < class).count();
        }
        out
    }
}

impl Default for Slots {
    fn default() -> Self {
        Self::new()
    }
}

pub struct Atlas {
    pub slots: Slots,
    /// Relative to white matter, [91, 109, 91].
    pub template: Vec<f32>,
    /// Slots of the listed labels of each voxel.
    pub listed_slot: Vec<[u8; LISTED]>,
    /// Their weights; those of a voxel sum to 1.
    pub listed_weight: Vec<[f32; LISTED]>,
    /// Channels of each voxel of the 4 mm grid, whose origin is ORIGIN_MM + 1 mm.
    pub tail: Vec<[f32; SLOTS]>,
}

impl Atlas {
    /// Builds the atlas from the three NPY files (v1.0, u1, C order, [.., z, y, x]).
    ///
    /// # Errors
    /// `internal` when a file is not such an array.
    pub fn from_npy(template: &[u8], labels: &[u8], weights: &[u8]) -> Result<Self, Error> {
        let count = ATLAS_SHAPE.iter().product::<usize>();
        let template = npy_bytes(template, count)?;
        let labels = npy_bytes(labels, count * LISTED)?;
        let weights = npy_bytes(weights, count * LISTED)?;
        if labels.iter().any(|&l| l as usize >= LABELS) {
            return Err(Error::misuse("Cannot read atlas: label above 105"));
        }
        let slots = Slots::new();
        let mut listed_slot = vec![[0; LISTED]; count];
        let mut listed_weight = vec![[0f32; LISTED]; count];
        for v in 0..count {
            let sum: u32 = (0..LISTED).map(|n| u32::from(weights[n * count + v])).sum();
            for n in 0..LISTED {
                listed_slot[v][n] = slots.slot_of[labels[n * count + v] as usize];
                listed_weight[v][n] = f32::from(weights[n * count + v]) / (sum.max(1) as f32);
            }
        }
        let tail = tail_of(&listed_slot, &listed_weight);
        let template = template.iter().map(|&v| f32::from(v) * TEMPLATE_SCALE).collect();
        Ok(Self { slots, template, listed_slot, listed_weight, tail })
    }

    /// Prior of being outside the dura at a 2 mm voxel.
    pub fn outside(&self, voxel: usize) -> f32 {
        let listed = self.listed_slot[voxel].iter().zip(&self.listed_weight[voxel]);
        listed.filter(|(&slot, _)| slot == 0).map(|(_, &w)| w).sum()
    }

    /// RAS mm of a 2 mm index.
    pub fn mm(ijk: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|a| ORIGIN_MM[a] + 2.0 * ijk[a])
    }

    /// Mean position of a mask's voxels, mm.
    pub fn centre_mm(mask: &[bool]) -> [f64; 3] {
        let [nx, ny, _] = ATLAS_SHAPE;
        let (mut sum, mut n) = ([0.0; 3], 0.0);
        for (at, _) in mask.iter().enumerate().filter(|(_, &m)| m) {
            let ijk = [at % nx, at / nx % ny, at / (nx * ny)];
            (0..3).for_each(|a| sum[a] += ijk[a] as f64);
            n += 1.0;
        }
        Self::mm(sum.map(|v| v / f64::max(n, 1.0)))
    }
}

/// Payload of an NPY v1.0 file of bytes.
fn npy_bytes(file: &[u8], count: usize) -> Result<&[u8], Error> {
    let bad = || Error::misuse("Cannot read atlas: not an NPY v1.0 file of bytes of the expected size");
    if file.len() < 10 || &file[..8] != b"\x93NUMPY\x01\x00" {
        return Err(bad());
    }
    let header = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
    let text = file.get(10..header).ok_or_else(bad)?;
    let has = |part: &[u8]| text.windows(part.len()).any(|w| w == part);
    if file.len() != header + count || !has(b"'|u1'") || !has(b"'fortran_order': False") {
        return Err(bad());
    }
    Ok(&file[header..])
}

/// Mean of 2x2x2 voxels (the last layer of each odd axis repeated), blurred by one 4 mm voxel.
fn tail_of(slot: &[[u8; LISTED]], weight: &[[f32; LISTED]]) -> Vec<[f32; SLOTS]> {
    let [nx, ny, nz] = ATLAS_SHAPE;
    let mut tail = vec![[0f32; SLOTS]; TAIL_SHAPE.iter().product()];
    for k in 0..2 * TAIL_SHAPE[2] {
        for j in 0..2 * TAIL_SHAPE[1] {
            for i in 0..2 * TAIL_SHAPE[0] {
                let from = i.min(nx - 1) + nx * (j.min(ny - 1) + ny * k.min(nz - 1));
                let to = &mut tail[i / 2 + TAIL_SHAPE[0] * (j / 2 + TAIL_SHAPE[1] * (k / 2))];
                for n in 0..LISTED {
                    to[slot[from][n] as usize] += weight[from][n] / 8.0;
                }
            }
        }
    }
    gaussian(tail.as_flattened_mut(), TAIL_SHAPE, [1.0; 3], SLOTS);
    tail
}

#[cfg(test)]
pub mod tests {
    use super::*;

    #[test]
    fn slots_are_a_permutation_sorted_by_class() {
        let slots = Slots::new();
        for label in 0..LABELS {
            assert_eq!(slots.label_of[slots.slot_of[label] as usize] as usize, label);
        }
        for class in 0..CLASSES {
            for slot in slots.first[class]..slots.first[class + 1] {
                assert_eq!(class_of(slots.label_of[slot]), class);
            }
        }
        assert_eq!(slots.label_of[slots.first[OUTER_FLUID]], OUTER_CSF);
        assert_eq!(slots.slot_of[0], 0);
    }

    #[test]
    fn from_npy_refuses_files_of_another_kind() {
        assert_eq!(Atlas::from_npy(b"no", b"no", b"no").err().unwrap().code(), "internal");
    }
}
