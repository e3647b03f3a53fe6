//! The boxes around the deep structures of each side that the network was trained on, on the conformed grid. The right
//! one is mirrored onto the left, so that the network cannot tell the sides apart.

use crate::atlas::{Atlas, ATLAS_SHAPE};
use crate::voxels::conform::SIDE;
use volume::Shape;

/// Voxels of a box: from 8 mm past the mid-plane to the side, downwards, forwards.
pub const SHAPE: Shape = [56, 72, 96];
/// First voxel of a box from the centre of the deep structures.
const ORIGIN: [i64; 3] = [-8, -36, -50];
/// Labels whose bounding box has the centre: thalamus to ventral diencephalon, without the lateral ventricles.
const CENTRED: std::ops::RangeInclusive<u8> = 7..=30;

fn is_centred(label: u8) -> bool {
    CENTRED.contains(&label) && !matches!(label, 15..=18 | 25..=28)
}

/// Centre of the bounding box of the atlas's deep structures, RAS mm of the atlas.
pub fn centre_mm(atlas: &Atlas) -> [f64; 3] {
    let [nx, ny, _] = ATLAS_SHAPE;
    let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
    for (at, (slots, weights)) in atlas.listed_slot.iter().zip(&atlas.listed_weight).enumerate() {
        let deep =
            slots.iter().zip(weights).filter(|(&s, _)| is_centred(atlas.slots.label_of[usize::from(s)]));
        if deep.map(|(_, &w)| w).sum::<f32>() > 0.5 {
            let ijk = [at % nx, at / nx % ny, at / (nx * ny)];
            low = [0, 1, 2].map(|a| low[a].min(ijk[a]));
            high = [0, 1, 2].map(|a| high[a].max(ijk[a]));
        }
    }
    Atlas::mm([0, 1, 2].map(|a| (low[a] as f64 + high[a] as f64) / 2.0))
}

/// One side's box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HalfBox {
    /// Conformed index (left, inferior, anterior) of the centre of the deep structures of both sides.
    pub centre: [i64; 3],
    pub is_right: bool,
}

impl HalfBox {
    /// Conformed index of a voxel of the box; may lie outside the grid.
    fn ijk(&self, at: usize) -> [i64; 3] {
        let [nx, ny, _] = SHAPE;
        let p = [at % nx, at / nx % ny, at / (nx * ny)];
        let from = [0, 1, 2].map(|a| p[a] as i64 + ORIGIN[a]);
        let lateral = if self.is_right { -from[0] } else { from[0] };
        [self.centre[0] + lateral, self.centre[1] + from[1], self.centre[2] + from[2]]
    }

    /// Voxel of the box at a conformed index.
    pub fn index(&self, ijk: [usize; 3]) -> Option<usize> {
        let from = [0, 1, 2].map(|a| ijk[a] as i64 - self.centre[a]);
        let lateral = if self.is_right { -from[0] } else { from[0] };
        let p = [lateral - ORIGIN[0], from[1] - ORIGIN[1], from[2] - ORIGIN[2]];
        let is_inside = (0..3).all(|a| (0..SHAPE[a] as i64).contains(&p[a]));
        is_inside.then(|| p[0] as usize + SHAPE[0] * (p[1] as usize + SHAPE[1] * p[2] as usize))
    }

    /// The box's intensities, i fastest; 0 outside the grid.
    pub fn cut(&self, conformed: &[u8]) -> Vec<f32> {
        let value = |at: usize| {
            let [i, j, k] = self.ijk(at).map(|v| usize::try_from(v).unwrap_or(SIDE));
            if i < SIDE && j < SIDE && k < SIDE {
                f32::from(conformed[i + SIDE * (j + SIDE * k)])
            } else {
                0.0
            }
        };
        (0..SHAPE.iter().product()).map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_undoes_ijk_on_both_sides() {
        for is_right in [false, true] {
            let half = HalfBox { centre: [128, 120, 130], is_right };
            for at in (0..SHAPE.iter().product()).step_by(101) {
                assert_eq!(half.index(half.ijk(at).map(|v| v as usize)), Some(at));
            }
            assert_eq!(half.index([if is_right { 137 } else { 119 }, 120, 130]), None);
            assert_eq!(half.index([if is_right { 128 - 48 } else { 128 + 48 }, 120, 130]), None);
        }
    }

    #[test]
    fn cut_of_a_mirrored_head_swaps_the_sides() {
        let head: Vec<u8> = (0..SIDE.pow(3)).map(|v| (v * 31 % 251) as u8).collect();
        let mirrored: Vec<u8> = head.chunks(SIDE).flat_map(|row| row.iter().rev().copied()).collect();
        let left = HalfBox { centre: [130, 20, 130], is_right: false };
        let right = HalfBox { centre: [SIDE as i64 - 1 - 130, 20, 130], is_right: true };
        assert_eq!(left.cut(&head), right.cut(&mirrored));
        // the upper slices of this box lie outside
        assert!(left.cut(&head)[..SHAPE[0] * 16].iter().all(|&v| v == 0.0));
    }
}
