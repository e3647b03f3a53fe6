//! Deep structures of a head of any contrast, by our network alone: what a FLAIR series without a T1-weighted one shows of
//! them. The atlas is placed by an affine only, so that it holds no shapes; it says where the boxes are, which side a voxel
//! is on, and whether the network's answer lies where such structures lie.

use crate::network::fusion::{top, Fusion, Gates, NetworkPosteriors, OUTPUTS};
use crate::tissue::prior::Prior;
use crate::voxels::conform::Conformed;
use network::Network;
use volume::{Affine, Error};

/// Left label of each class of the network; 0 for what is no deep structure.
const LEFT: [u8; OUTPUTS] = [0, 0, 0, 15, 17, 7, 9, 11, 13, 19, 21, 23, 29, THIRD_VENTRICLE, 0, 0];
/// Has no sides.
const THIRD_VENTRICLE: u8 = 25;

/// Without a deformed atlas the agreement of a right answer is lower: .66 and .67 on two FLAIR. The entropy of answers that were
/// right is .06 to .12 (slices of up to 5 mm, heads of several contrasts), of an image upside down .17, of noise .31.
const ALONE: Gates = Gates { min_coverage: 0.98, max_entropy: 0.13, min_agreement: 0.5 };

/// What the network reads.
pub struct DeepReading {
    pub fusion: Fusion,
    /// Labels of the deep structures on the prior's window, 0 elsewhere; empty when the answer is refused.
    pub labels: Vec<u8>,
}

/// Asks the network, and takes its answer where the gates let it.
///
/// # Arguments
/// * `weights` - of a network for any contrast; a damaged file is a refusal (`weights`)
/// * `prior` - placed by `subject_from_atlas`
/// * `centre_mm` - centre of the deep structures in the atlas, see `half_box::centre_mm`
///
/// # Errors
/// As `NetworkPosteriors::predict`.
pub fn read_deep(
    weights: &[u8],
    conformed: &Conformed,
    prior: &Prior,
    subject_from_atlas: &Affine,
    centre_mm: [f64; 3],
) -> Result<DeepReading, Error> {
    let Ok(network) = Network::new(weights) else {
        return Ok(DeepReading { fusion: Fusion::refused("weights"), labels: Vec::new() });
    };
    let seen = NetworkPosteriors::predict(&network, conformed, subject_from_atlas, centre_mm)?;
    let fusion = seen.assess(prior, &network.version, &ALONE);
    let labels = if fusion.is_used { seen.labels(prior, label_of) } else { Vec::new() };
    Ok(DeepReading { fusion, labels })
}

/// Label of the likeliest class on its side.
fn label_of(side: u8, posteriors: &[f32]) -> u8 {
    match LEFT[top(posteriors)] {
        label @ (0 | THIRD_VENTRICLE) => label,
        left => left + side,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_of_names_the_side_but_for_the_third_ventricle() {
        let certain = |class: usize| {
            let mut posteriors = [0.01; OUTPUTS];
            posteriors[class] = 0.8;
            [0, 1].map(|side| label_of(side, &posteriors))
        };
        assert_eq!(certain(9), [19, 20]);
        assert_eq!(certain(13), [25, 25]);
        assert_eq!(certain(1), [0, 0]);
    }
}
