//! Our network's posteriors beside the atlas and the intensities, structure by structure. The borders of deep nuclei move
//! with the scanner's contrast, and the atlas cannot see a shape where it has never been. There the network's posterior
//! takes most of the place of prior and intensity; the neighbours then decide as everywhere.

use crate::network::half_box::{HalfBox, SHAPE};
use crate::numbers::exp::{exp, ln};
use crate::tissue::assured::{CAUDATE as CAUDATE_LABEL, HORN, WHITE};
use crate::tissue::em::Fit;
use crate::tissue::prior::Prior;
use crate::tissue::tissue_class::{
    BRAIN_STEM, CAUDATE, CEREBELLAR_CORTEX, CEREBELLAR_WHITE_MATTER, CLASSES, CORTEX, HIPPOCAMPUS,
    OUTER_FLUID, OUTSIDE, PALLIDUM, PUTAMEN, THALAMUS, VENTRICLE, WHITE_MATTER,
};
use crate::voxels::conform::Conformed;
use network::Network;
use volume::{Affine, Error};

/// Candidates of one part.
const PART: usize = 1 << 14;
/// Classes of the network.
pub const OUTPUTS: usize = 16;

/// One class of the network.
#[derive(Clone, Copy)]
struct Output {
    /// Classes of the engine (`atlas::class_of`) that it stands for, in the parts that the atlas gives them; the first
    /// where the atlas has none.
    classes: &'static [usize],
    /// Left label when it is a structure of its own, else 0.
    left: u8,
    /// Part of the prior's place that it takes where it or the atlas sees the structure; 0: the engine alone.
    weight: f32,
}

const fn output(classes: &'static [usize], left: u8, weight: f32) -> Output {
    Output { classes, left, weight }
}

/// The network's classes in its order. Fused is what beat the engine in Dice on the two labelled heads (one person, two
/// scanners, n = 4 sides; weights of version 2), engine to fused:
/// putamen .828 to .888; pallidum .682 to .758; accumbens .775 to .804; ventral diencephalon .843 to .866;
/// hippocampus .857 to .870; amygdala .840 to .853. On a held-out map, of which the atlas was made, with and without
/// atrophy (n = 4 sides) the mean over the deep structures moves by less than .01 either way.
///
/// Not fused: caudate (no change), lateral ventricle, inferior horn and thalamus, where the network alone is no better.
const TABLE: [Output; OUTPUTS] = [
    output(&[OUTER_FLUID, OUTSIDE], 0, 0.0), // outside: fluid, skull, air
    output(&[WHITE_MATTER], 0, 0.0),         // white matter
    output(&[CORTEX], 0, 0.0),               // cortex
    output(&[VENTRICLE], 15, 0.0),           // lateral ventricle
    output(&[VENTRICLE], 17, 0.0),           // inferior horn
    output(&[THALAMUS], 7, 0.0),             // thalamus
    output(&[CAUDATE], 9, 0.0),              // caudate
    output(&[PUTAMEN], 11, 0.9),             // putamen
    output(&[PALLIDUM], 13, 0.9),            // pallidum
    output(&[HIPPOCAMPUS], 19, 0.9),         // hippocampus
    output(&[HIPPOCAMPUS], 21, 0.9),         // amygdala
    output(&[CAUDATE], 23, 0.9),             // accumbens
    output(&[BRAIN_STEM], 29, 0.9),          // ventral diencephalon
    output(&[VENTRICLE], 0, 0.0),            // third ventricle
    output(&[BRAIN_STEM, CEREBELLAR_CORTEX, CEREBELLAR_WHITE_MATTER], 0, 0.0), // brain stem and cerebellum
    output(&[OUTER_FLUID], 0, 0.0),          // spare
];

/// Left labels of the structures that the second opinion leaves as they are: the fused ones, and the caudate, whose rim and
/// sheet our own network settles (`assured`). On a labelled brain in a painted skull MeshNet-50 took the caudate from .884 to .871
/// of Dice and from 1.07 to 1.15 of its volume.
pub fn settled_labels() -> impl Iterator<Item = u8> {
    let fused = TABLE.into_iter().filter(|output| output.weight > 0.0).map(|output| output.left);
    fused.chain(std::iter::once(CAUDATE_LABEL))
}

/// Classes among which the engine's own posterior decides: the network takes the rim of hippocampus and amygdala for fluid or
/// fluid for them, while intensity tells both. Left to the network, the inferior horn's Dice falls from .762 to .716.
const BESIDE_FLUID: [usize; 3] = [HIPPOCAMPUS, VENTRICLE, OUTER_FLUID];

/// Least posterior: the network is never certain.
const FLOOR: f32 = 1e-3;
/// Least prior beside the network.
const ATLAS_FLOOR: f32 = 1e-6;
/// Support of network or atlas from which on a structure has its whole weight.
const FULL_SUPPORT: f32 = 0.2;
/// Share of the prior's place below which a voxel stays as it is.
const MIN_SHARE: f32 = 1e-3;
/// Posteriors from which on the network is sure of a structure and of white matter, and below which there is no caudate.
/// Chosen with simulated losses of five heads and the two labelled heads in sight: their Dice rises or stays.
const SURE: f32 = 0.8;
const SURE_WHITE: f32 = 0.9;
const NO_CAUDATE: f32 = 0.005;
/// Pairs of structures that share a class of the engine.
const PAIRS: [(usize, usize); 3] = [(3, 4), (6, 11), (9, 10)];
/// Posterior of a pair above which the network says which of both it is.
const MIN_PAIR: f32 = 0.1;

/// What the network's answer must keep to be used.
pub struct Gates {
    /// Part of the atlas's deep structures that must lie in the boxes.
    pub min_coverage: f64,
    /// Largest mean entropy over the deep structures, as a part of the entropy of knowing nothing.
    pub max_entropy: f64,
    /// Least Dice of the deep grey matter of network and atlas.
    pub min_agreement: f64,
}

/// Beside the T1-weighted series' own atlas, which is deformed to the head.
pub const FUSED: Gates = Gates { min_coverage: 0.98, max_entropy: 0.25, min_agreement: 0.7 };

/// What came of asking the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Fusion {
    /// Version of the weights; empty when they could not be read.
    pub version: String,
    pub is_used: bool,
    /// `agreed`, or what failed first: `weights`, `coverage`, `entropy`, `disagreement`.
    pub reason: &'static str,
    /// Part of the atlas's deep structures inside the boxes.
    pub coverage: f64,
    /// Mean entropy over the network's deep structures, 0..1.
    pub entropy: f64,
    /// Dice of the deep grey matter of network and atlas.
    pub agreement: f64,
}

impl Fusion {
    /// Without the network.
    pub fn refused(reason: &'static str) -> Self {
        Self { version: String::new(), is_used: false, reason, coverage: 0.0, entropy: 0.0, agreement: 0.0 }
    }
}

/// Asks the network and, where the gates let it, puts its posteriors beside the prior's; otherwise leaves the prior as
/// it is. Returns what came of it, what the network is sure of (nothing when it is not used), and the label that it gives
/// each voxel of the window, whether it is used or not.
///
/// # Arguments
/// * `centre_mm` - centre of the deep structures in the atlas, see `half_box::centre_mm`
///
/// # Errors
/// As `NetworkPosteriors::ask`.
pub fn fuse(
    network: &Network,
    conformed: &Conformed,
    prior: &mut Prior,
    fitted: &Fit,
    subject_from_atlas: &Affine,
    centre_mm: [f64; 3],
) -> Result<(Fusion, Vec<u8>, Vec<u8>), Error> {
    let seen = NetworkPosteriors::predict(network, conformed, subject_from_atlas, centre_mm)?;
    let fusion = seen.assess(prior, &network.version, &FUSED);
    let likeliest = seen.labels(prior, likeliest_label);
    if !fusion.is_used {
        return Ok((fusion, Vec::new(), likeliest));
    }
    seen.apply(prior, fitted);
    Ok((fusion, seen.assured(prior), likeliest))
}

/// The network's posteriors of both sides, and where they lie.
pub struct NetworkPosteriors {
    pub boxes: [HalfBox; 2],
    /// `[z][y][x][class]` of each box.
    pub values: [Vec<f32>; 2],
    pub atlas_from_ijk: Affine,
}

/// What a part of the candidates adds to the gates' figures.
#[derive(Default, Clone, Copy)]
struct Tally {
    /// Deep grey matter of the atlas, and what of it lies in the boxes.
    atlas: usize,
    covered: usize,
    /// Deep grey matter of the network, and what of it is the atlas's too.
    network: usize,
    both: usize,
    /// Deep structures of the network, ventricles included, and their entropy.
    structures: usize,
    entropy: f64,
}

impl NetworkPosteriors {
    /// Runs the network on both boxes.
    ///
    /// # Errors
    /// `internal` (misuse) when the network has other classes; `volume.affine_singular`. Allocates about 200 MB.
    pub fn predict(
        network: &Network,
        conformed: &Conformed,
        subject_from_atlas: &Affine,
        centre_mm: [f64; 3],
    ) -> Result<Self, Error> {
        if network.classes != OUTPUTS {
            return Err(Error::misuse(format!("Cannot fuse: the network has {} classes", network.classes)));
        }
        let ijk_from_atlas = conformed.grid.ras_from_ijk.invert()?.compose(subject_from_atlas);
        let centre = ijk_from_atlas.apply(centre_mm).map(|v| v.round() as i64);
        let boxes = [false, true].map(|is_right| HalfBox { centre, is_right });
        let [left, right] = boxes.map(|half| network.run(&half.cut(&conformed.voxels), SHAPE));
        Ok(Self { boxes, values: [left?, right?], atlas_from_ijk: ijk_from_atlas.invert()? })
    }

    /// Side of a voxel and its posteriors; `None` outside the boxes.
    fn at(&self, ijk: [usize; 3]) -> Option<(u8, &[f32])> {
        let side = u8::from(self.atlas_from_ijk.apply(ijk.map(|v| v as f64))[0] > 0.0);
        let at = self.boxes[usize::from(side)].index(ijk)?;
        Some((side, &self.values[usize::from(side)][at * OUTPUTS..][..OUTPUTS]))
    }

    /// The gates' figures and what they say.
    pub fn assess(&self, prior: &Prior, version: &str, gates: &Gates) -> Fusion {
        let parts = parallel::map(prior.voxels.len().div_ceil(PART), |part| {
            let mut tally = Tally::default();
            for v in part * PART..prior.voxels.len().min((part + 1) * PART) {
                self.count(prior, v, &mut tally);
            }
            tally
        });
        let sum = |value: fn(&Tally) -> usize| parts.iter().map(value).sum::<usize>() as f64;
        let ratio = |a: f64, b: f64| a / b.max(1.0);
        let coverage = ratio(sum(|t| t.covered), sum(|t| t.atlas));
        let entropy = parts.iter().map(|t| t.entropy).sum::<f64>() / sum(|t| t.structures).max(1.0);
        let agreement = ratio(2.0 * sum(|t| t.both), sum(|t| t.atlas) + sum(|t| t.network));
        let reason = if coverage < gates.min_coverage {
            "coverage"
        } else if entropy > gates.max_entropy {
            "entropy"
        } else if agreement < gates.min_agreement {
            "disagreement"
        } else {
            "agreed"
        };
        Fusion { version: version.into(), is_used: reason == "agreed", reason, coverage, entropy, agreement }
    }

    fn count(&self, prior: &Prior, v: usize, tally: &mut Tally) {
        let class = top(&prior.class[v * CLASSES..(v + 1) * CLASSES]);
        let is_deep = DEEP_GREY.contains(&class);
        let seen = self.at(prior.window.ijk(prior.voxels[v] as usize));
        tally.atlas += usize::from(is_deep);
        let Some((_, posteriors)) = seen else { return };
        tally.covered += usize::from(is_deep);
        let output = &TABLE[top(posteriors)];
        let is_seen = DEEP_GREY.contains(&output.classes[0]);
        tally.network += usize::from(is_seen);
        tally.both += usize::from(is_deep && is_seen);
        if output.left > 0 {
            let entropy: f32 = posteriors.iter().map(|&p| -p * ln(p.max(1e-30))).sum();
            tally.entropy += f64::from(entropy) / (OUTPUTS as f64).ln();
            tally.structures += 1;
        }
    }

    /// For each voxel of the window the label of its side that the network is sure of, see `assured_label`; 0 elsewhere.
    pub fn assured(&self, prior: &Prior) -> Vec<u8> {
        self.labels(prior, |side, posteriors| match assured_label(posteriors) {
            0 => 0,
            left => left + side,
        })
    }

    /// A label for each voxel of the window that the prior has and the boxes hold, from its side (0 left, 1 right) and
    /// posteriors; 0 elsewhere.
    pub fn labels(&self, prior: &Prior, label: impl Fn(u8, &[f32]) -> u8 + Sync) -> Vec<u8> {
        let Prior { window, voxels, .. } = prior;
        let parts = parallel::map(voxels.len().div_ceil(PART), |part| {
            let candidates = &voxels[part * PART..voxels.len().min((part + 1) * PART)];
            let seen =
                |&at: &u32| self.at(window.ijk(at as usize)).map_or(0, |(side, values)| label(side, values));
            candidates.iter().map(seen).collect::<Vec<u8>>()
        });
        let mut out = vec![0; window.count()];
        voxels.iter().zip(parts.into_iter().flatten()).for_each(|(&at, label)| out[at as usize] = label);
        out
    }

    /// Puts the posteriors beside prior and intensities, see `fuse_voxel`.
    pub fn apply(&self, prior: &mut Prior, fitted: &Fit) {
        let evaluator = fitted.used.evaluator();
        let Prior { window, voxels, class, best } = prior;
        let rows = PART * CLASSES;
        parallel::for_each_chunk2((class, rows), (best, rows), |part, class, best| {
            let rows = class.chunks_exact_mut(CLASSES).zip(best.chunks_exact_mut(CLASSES));
            let candidates = voxels[part * PART..].iter().zip(&fitted.corrected[part * PART..]);
            for ((&at, &y), (class, best)) in candidates.zip(rows) {
                if let Some((side, posteriors)) = self.at(window.ijk(at as usize)) {
                    fuse_voxel(class, best, posteriors, side, &evaluator.likelihoods(y));
                }
            }
        });
    }
}

/// Label of the structure that the network gives a voxel; 0 where it is none of its own.
fn likeliest_label(side: u8, posteriors: &[f32]) -> u8 {
    match TABLE[top(posteriors)].left {
        0 => 0,
        left => left + side,
    }
}

/// Left label of what the network is sure of, else 0: caudate, hippocampus or amygdala (`SURE`); white matter that is no
/// caudate (`SURE_WHITE`, `NO_CAUDATE`); the inferior horn where it is the likelier half.
fn assured_label(posteriors: &[f32]) -> u8 {
    let [white, horn, caudate] = [1, 4, 6].map(|output| posteriors[output]);
    for output in [6, 9, 10] {
        if posteriors[output] > SURE {
            return TABLE[output].left;
        }
    }
    if white > SURE_WHITE && caudate < NO_CAUDATE {
        WHITE
    } else if horn > 0.5 {
        HORN
    } else {
        0
    }
}

/// Classes of the engine that hold deep grey matter.
const DEEP_GREY: std::ops::RangeInclusive<usize> = THALAMUS..=HIPPOCAMPUS;

/// Place of the first largest value.
pub fn top(values: &[f32]) -> usize {
    let mut top = 0;
    for (at, &v) in values.iter().enumerate() {
        if v > values[top] {
            top = at;
        }
    }
    top
}

/// One voxel's row of the prior and the best label of each class.
///
/// The row becomes (prior · likelihood)^(1 - w) · posterior^w / likelihood: the likelihood that the neighbours' stage
/// multiplies it with then counts 1 - w, because the network has seen the same intensity. w is the structures' weight
/// where network or atlas see them, less where both hardly do. How much of the voxel is hippocampus or fluid is the
/// network's to say, and which of them the engine's (`BESIDE_FLUID`).
fn fuse_voxel(class: &mut [f32], best: &mut [u8], posteriors: &[f32], side: u8, likelihood: &[f32; CLASSES]) {
    let (mut of_network, mut of_atlas, mut heaviest) = (0f32, 0f32, 0f32);
    for (output, &p) in TABLE.iter().zip(posteriors).filter(|(output, _)| output.weight > 0.0) {
        let k = output.classes[0];
        of_network += output.weight * p;
        of_atlas += if best[k] == output.left + side { output.weight * class[k] } else { 0.0 };
        heaviest = heaviest.max(output.weight);
    }
    let share = (of_network.max(of_atlas) / FULL_SUPPORT).min(heaviest);
    if share < MIN_SHARE {
        return;
    }
    let mut seen = [0f32; CLASSES];
    for (output, &p) in TABLE.iter().zip(posteriors) {
        let part = |at: usize| class[output.classes[at]] + if at == 0 { FLOOR } else { 0.0 };
        let sum: f32 = (0..output.classes.len()).map(part).sum();
        output.classes.iter().enumerate().for_each(|(at, &k)| seen[k] += p * part(at) / sum);
    }
    let own = BESIDE_FLUID.map(|k| class[k].max(ATLAS_FLOOR) * likelihood[k]);
    let part = BESIDE_FLUID.iter().map(|&k| seen[k]).sum::<f32>() / own.iter().sum::<f32>();
    BESIDE_FLUID.iter().zip(own).for_each(|(&k, own)| seen[k] = own * part);
    for k in 0..CLASSES {
        let network = ln(seen[k].max(FLOOR)) - ln(likelihood[k]);
        class[k] = exp((1.0 - share) * ln(class[k].max(ATLAS_FLOOR)) + share * network);
    }
    let scale = 1.0 / class.iter().sum::<f32>();
    class.iter_mut().for_each(|v| *v *= scale);
    // inside a class of two structures, the likelier label where one of them is fused
    for (first, second) in PAIRS {
        let k = TABLE[first].classes[0];
        let is_fused = TABLE[first].weight > 0.0 || TABLE[second].weight > 0.0;
        if is_fused && posteriors[first] + posteriors[second] > MIN_PAIR {
            let chosen = if posteriors[first] >= posteriors[second] { first } else { second };
            best[k] = TABLE[chosen].left + side;
        }
    }
}

#[cfg(test)]
#[path = "fusion_tests.rs"]
mod tests;
