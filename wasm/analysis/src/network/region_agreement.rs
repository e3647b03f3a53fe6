//! How far the sources of a label map agree, region by region: where they do not, the region may be wrong although the
//! rest of the head is right.

use crate::atlas::LABEL_COUNT;
use crate::network::fusion::top;
use crate::tissue::prior::Prior;
use crate::tissue::tissue_class::CLASSES;

/// Voxels of one label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overlap {
    /// In our label map, in the other one, and in both at the same place.
    pub ours: u32,
    pub theirs: u32,
    pub both: u32,
}

/// Overlaps by label; empty where a source was not asked.
#[derive(Debug, Clone, Default)]
pub struct RegionAgreement {
    /// Final labels with those of the deformed atlas alone.
    pub atlas: Vec<Overlap>,
    /// Final labels with those of our own network, which knows deep structures and ventricles.
    pub network: Vec<Overlap>,
    /// The engine's labels with those of the second opinion, before both are merged.
    pub opinion: Vec<Overlap>,
}

/// Counts two label maps of the same voxels.
pub fn overlaps(ours: &[u8], theirs: &[u8]) -> Vec<Overlap> {
    let mut counts = vec![Overlap::default(); 256];
    for (&a, &b) in ours.iter().zip(theirs) {
        counts[usize::from(a)].ours += 1;
        counts[usize::from(b)].theirs += 1;
        counts[usize::from(a)].both += u32::from(a == b);
    }
    counts.truncate(LABEL_COUNT);
    counts
}

/// The most probable label of each voxel of the window by the prior alone; 0 off the candidates.
pub fn atlas_labels(prior: &Prior) -> Vec<u8> {
    let mut out = vec![0; prior.window.count()];
    let rows = prior.class.chunks_exact(CLASSES).zip(prior.best.chunks_exact(CLASSES));
    prior.voxels.iter().zip(rows).for_each(|(&at, (class, best))| out[at as usize] = best[top(class)]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_count_each_label_of_both_maps() {
        let counts = overlaps(&[0, 19, 19, 20, 105], &[19, 19, 0, 20, 104]);
        assert_eq!(counts.len(), LABEL_COUNT);
        assert_eq!(counts[19], Overlap { ours: 2, theirs: 2, both: 1 });
        assert_eq!(counts[20], Overlap { ours: 1, theirs: 1, both: 1 });
        assert_eq!(counts[104], Overlap { ours: 0, theirs: 1, both: 0 });
        assert_eq!(counts[7], Overlap::default());
    }
}
