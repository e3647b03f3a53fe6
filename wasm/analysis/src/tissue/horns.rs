//! The inferior horn as our own network sees it: where it ends at the atrium, and fluid around a shrunken hippocampus that
//! the atlas, which knew no such head, leaves outside the ventricle.

use crate::atlas::OUTER_CSF;
use crate::voxels::morphology::for_each_neighbour;
use volume::Shape;

/// Left labels of the lateral ventricle and of the inferior horn.
pub const LATERAL: u8 = 15;
pub const HORN: u8 = 17;
/// Outer fluid in one piece that the network takes for horn and that is no speck, mm³: specks of two labelled heads have up to
/// 6, rims of simulated losses 8 and more.
const PIECE: usize = 8;

/// Gives horn that the network takes for lateral ventricle to that, and outer fluid that it takes for horn to the horn,
/// where a face-connected piece of it has 8 voxels.
///
/// # Shape
/// `labels` and `seen` (of `NetworkPosteriors::ventricles`): `shape`. An empty `seen` changes nothing.
pub fn settle_horns(labels: &mut [u8], shape: Shape, seen: &[u8]) {
    for (label, &seen) in labels.iter_mut().zip(seen) {
        if (HORN..=HORN + 1).contains(label) && seen + HORN == *label + LATERAL {
            *label = seen;
        }
    }
    let mut rest: Vec<bool> =
        labels.iter().zip(seen).map(|(&label, &seen)| label == OUTER_CSF && seen >= HORN).collect();
    for start in 0..rest.len() {
        if !std::mem::take(&mut rest[start]) {
            continue;
        }
        let (mut piece, mut next) = (vec![start], 0);
        while next < piece.len() {
            for_each_neighbour(shape, piece[next], |n| {
                if rest[n] && seen[n] == seen[start] {
                    rest[n] = false;
                    piece.push(n);
                }
            });
            next += 1;
        }
        if piece.len() >= PIECE {
            piece.into_iter().for_each(|v| labels[v] = seen[v]);
        }
    }
}

#[cfg(test)]
#[path = "horns_tests.rs"]
mod tests;
