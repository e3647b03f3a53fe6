//! Lesions in the label map of the T1-weighted analysis.

/// Label of lesions in the white matter.
pub const LESION: u8 = 28;
/// Prior of white matter, of 255, above which a lesion that darkened to grey is white matter after all.
const WHITE: u8 = 127;

/// Writes lesions into the labels of the window: lesion voxels labelled cortex, caudate or putamen where the prior of
/// cerebral white matter exceeds one half were read as grey because lesions darken T1; they return to the white matter
/// of their side. All lesion voxels in cerebral white matter then become label 28. Lesion voxels elsewhere keep
/// theirs. Returns how many voxels (mm³) of the left and the right white matter label 28 now holds: the volume of a
/// side's white matter with its lesions is its label plus that.
pub fn relabel(labels: &mut [u8], lesions: &[u8], white_prior: &[u8]) -> [usize; 2] {
    let mut moved = [0; 2];
    for ((label, _), _) in
        labels.iter_mut().zip(lesions).zip(white_prior).filter(|((&mut label, &mark), &prior)| {
            let is_grey = matches!(label, 9..=12 | 37..=104);
            mark != 0 && (matches!(label, 1 | 2) || (is_grey && prior > WHITE))
        })
    {
        moved[usize::from(*label % 2 == 0)] += 1;
        *label = LESION;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relabel_takes_white_matter_and_what_the_lesion_darkened() {
        //               white, putamen R, cortex L sure grey, ventricle, no lesion, cortex L in white, thalamus
        let mut labels = [1, 12, 37, 15, 2, 39, 7];
        let lesions = [1, 2, 1, 1, 0, 2, 1];
        let prior = [0, 200, 127, 255, 255, 128, 255];
        assert_eq!(relabel(&mut labels, &lesions, &prior), [2, 1]);
        assert_eq!(labels, [28, 28, 37, 15, 2, 28, 7]);
    }
}
