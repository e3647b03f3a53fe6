//! What our own network is sure of, where intensity and atlas err on heads that the atlas never saw: the sheet along a wide
//! ventricle that looks like caudate, and the fluid around a shrunken hippocampus. Where horn and lateral ventricle meet is
//! not asked: on two simulated heads that nothing was chosen with, the network's border cost .03 of the horn's Dice.

use crate::atlas::OUTER_CSF;
use crate::voxels::morphology::for_each_neighbour;
use volume::Shape;

/// Left labels.
pub const WHITE: u8 = 1;
pub const CAUDATE: u8 = 9;
pub const HORN: u8 = 17;
/// Outer fluid in one piece that the network takes for horn and that is no speck, mm³: specks of two labelled heads have up to
/// 6, rims of simulated losses 8 and more.
const PIECE: usize = 8;

/// Takes over what the network is sure of, once the rims are released.
///
/// 1. Caudate that it takes for white matter becomes that. 2. Outer fluid that it takes for horn becomes horn where a
///    face-connected piece of it has 8 voxels.
///
/// # Shape
/// `labels` and `seen` (of `NetworkPosteriors::assured`): `shape`. An empty `seen` changes nothing.
pub fn settle(labels: &mut [u8], shape: Shape, seen: &[u8]) {
    for (label, &seen) in labels.iter_mut().zip(seen) {
        if (WHITE..=WHITE + 1).contains(&seen) && *label == seen - WHITE + CAUDATE {
            *label = seen;
        }
    }
    let mut rest: Vec<bool> = labels
        .iter()
        .zip(seen)
        .map(|(&label, seen)| label == OUTER_CSF && (HORN..=HORN + 1).contains(seen))
        .collect();
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
#[path = "assured_tests.rs"]
mod tests;
