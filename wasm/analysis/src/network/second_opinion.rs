//! A network's parcels and deep structures merged into our label map. Tissue and hemisphere stay ours: the network
//! does not know sides, and its errors are errors of place. Measured on heads with a reference: +0.02 to +0.035 mean
//! overlap over 103 regions when both agree on the cortex, large errors when the network fails; therefore the gates.

use crate::atlas::OUTER_CSF;
use volume::Shape;

/// The network's classes by number: the name in its list and our left label (or the only one); 0 for what has none.
pub const CLASSES: [(&str, u8); 50] = [
    ("BG", 0),
    ("Cerebral-White-Matter", 1),
    ("Ventricle", 15),
    ("Cerebellum-White-Matter", 3),
    ("Cerebellum", 5),
    ("Thalamus-Proper*", 7),
    ("Caudate", 9),
    ("Putamen", 11),
    ("Pallidum", 13),
    ("Brain-Stem", 31),
    ("Hippocampus", 19),
    ("Amygdala", 21),
    ("CSF", 27),
    ("Accumbens-area", 23),
    ("VentralDC", 29),
    ("CC_Posterior / CC_Mid_Posterior / CC_Central / CC_Mid_Anterior / CC_Anterior", 34),
    ("ctx-bankssts", 75),
    ("ctx-caudalanteriorcingulate", 97),
    ("ctx-caudalmiddlefrontal", 41),
    ("ctx-cuneus", 91),
    ("ctx-entorhinal", 81),
    ("ctx-fusiform", 77),
    ("ctx-inferiorparietal", 61),
    ("ctx-inferiortemporal", 73),
    ("ctx-isthmuscingulate", 101),
    ("ctx-lateraloccipital", 87),
    ("ctx-lateralorbitofrontal", 49),
    ("ctx-lingual", 89),
    ("ctx-medialorbitofrontal", 51),
    ("ctx-middletemporal", 71),
    ("ctx-parahippocampal", 85),
    ("ctx-paracentral", 55),
    ("ctx-parsopercularis", 43),
    ("ctx-parsorbitalis", 47),
    ("ctx-parstriangularis", 45),
    ("ctx-pericalcarine", 93),
    ("ctx-postcentral", 65),
    ("ctx-posteriorcingulate", 99),
    ("ctx-precentral", 53),
    ("ctx-precuneus", 67),
    ("ctx-rostralanteriorcingulate", 95),
    ("ctx-rostralmiddlefrontal", 39),
    ("ctx-superiorfrontal", 37),
    ("ctx-superiorparietal", 59),
    ("ctx-superiortemporal", 69),
    ("ctx-supramarginal", 63),
    ("ctx-frontalpole", 57),
    ("ctx-temporalpole", 83),
    ("ctx-transversetemporal", 79),
    ("ctx-insula", 103),
];

const WHITE: u8 = 1;
const VENTRICLE: u8 = 2;
const FLUID: u8 = 12;
const FIRST_PARCEL: u8 = 16;
/// Thalamus, caudate, putamen, pallidum, hippocampus, amygdala, accumbens and ventral diencephalon.
const DEEP: [u8; 8] = [5, 6, 7, 8, 10, 11, 13, 14];

/// Overlap of both cortices above which the network is believed.
pub const MIN_CORTEX_DICE: f64 = 0.8;
/// Brain tissue that a head may have, mm³.
const BRAIN_MM3: std::ops::RangeInclusive<usize> = 800_000..=1_900_000;
/// The network's volume over ours, for the cortex and for the white matter; where it failed, one grew at the other's cost.
const LARGE_RATIO: std::ops::RangeInclusive<f64> = 0.6..=1.6;
/// The same for each deep structure. Protocols differ: whole heads gave 0.38 (accumbens) to 1.18.
const DEEP_RATIO: std::ops::RangeInclusive<f64> = 0.33..=3.0;

/// How the two label maps compare, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// Dice of the network's cortex and ours; 0 when neither has any.
    pub cortex_dice: f64,
    /// Brain tissue according to the network, mm³.
    pub brain_mm3: usize,
    pub used: bool,
    /// `agreed`, or what failed first: `brain volume`, `region missing`, `cortex`, `structure volume`.
    pub reason: &'static str,
}

fn is_cortex(label: u8) -> bool {
    (37..=104).contains(&label)
}

fn is_parcel(class: u8) -> bool {
    class >= FIRST_PARCEL && usize::from(class) < CLASSES.len()
}

/// Tissue that may become a deep structure: no cortex, no fluid, nothing outside the brain.
fn may_become_deep(label: u8) -> bool {
    label > 0 && label < OUTER_CSF && !is_cortex(label) && !matches!(label, 15..=18 | 25..=28)
}

/// The deep structure of a label, as a class of the network.
fn deep_of(label: u8) -> Option<u8> {
    let left = label.checked_sub(1 - label % 2)?;
    DEEP.into_iter().find(|&class| CLASSES[usize::from(class)].1 == left)
}

/// 0 left, 1 right; `None` for labels of the midline and of no side.
fn side_of(label: u8) -> Option<u8> {
    (matches!(label, 1..=24 | 29 | 30) || is_cortex(label)).then_some(1 - label % 2)
}

/// Side of the nearest label with a side along the line of `at`, the first axis; of two, the one with the lower index.
fn nearest_side(labels: &[u8], nx: usize, at: usize) -> Option<u8> {
    let (start, i) = (at - at % nx, at % nx);
    (0..nx).find_map(|step| {
        let side = |i: usize| side_of(labels[start + i]);
        i.checked_sub(step).and_then(side).or_else(|| Some(i + step).filter(|&i| i < nx).and_then(side))
    })
}

/// Merges the network's classes into `labels` when both agree; otherwise leaves them as they are.
///
/// 1. Our cortex takes the network's parcel where the network says cortex. 2. Tissue other than cortex takes the deep
///    structure that the network sees there, on the side of our label (of the nearest one for midline labels). 3. Our
///    deep structures become white matter where the network says white matter.
///
/// Structures in `kept` (left labels), which our own network has settled, stay as they are and take nothing.
///
/// # Shape
/// Both arrays are `shape`, i fastest, 1 mm; the first axis runs from side to side. Classes beyond the list count as
/// background.
///
/// # Source
/// The gate and the rules were measured for this engine; see docs/adr/analysis/0003-second-opinion.md.
pub fn merge(labels: &mut [u8], network: &[u8], shape: Shape, kept: &[u8]) -> Agreement {
    let agreement = compare(labels, network);
    if agreement.used {
        apply(labels, network, shape[0], kept);
    }
    agreement
}

/// Labels of the network's parcels and deep structures, each on the side of our label there or of the nearest one; 0
/// elsewhere.
///
/// # Shape
/// As `merge`.
pub fn sided(labels: &[u8], network: &[u8], shape: Shape) -> Vec<u8> {
    let label = |(at, (&ours, &class)): (usize, (&u8, &u8))| {
        if !is_parcel(class) && !DEEP.contains(&class) {
            return 0;
        }
        let side = side_of(ours).or_else(|| nearest_side(labels, shape[0], at));
        side.map_or(0, |side| CLASSES[usize::from(class)].1 + side)
    };
    labels.iter().zip(network).enumerate().map(label).collect()
}

/// The three rules; every voxel reads the labels as they were.
fn apply(labels: &mut [u8], network: &[u8], nx: usize, kept: &[u8]) {
    let changes: Vec<(usize, u8)> = labels
        .iter()
        .zip(network)
        .enumerate()
        .filter_map(|(at, (&ours, &class))| {
            let left = CLASSES.get(usize::from(class))?.1;
            if kept.contains(&left) || kept.contains(&ours.saturating_sub(1 - ours % 2)) {
                return None;
            }
            let left =
                if is_cortex(ours) && is_parcel(class) || DEEP.contains(&class) && may_become_deep(ours) {
                    left
                } else if class == WHITE && deep_of(ours).is_some() {
                    1
                } else {
                    return None;
                };
            let side = side_of(ours).or_else(|| nearest_side(labels, nx, at))?;
            (left + side != ours).then_some((at, left + side))
        })
        .collect();
    changes.into_iter().for_each(|(at, label)| labels[at] = label);
}

/// Counts both label maps and applies the gates, in the order of `Agreement::reason`.
fn compare(labels: &[u8], network: &[u8]) -> Agreement {
    let (mut ours, mut theirs) = ([0usize; 256], [0usize; 256]);
    let mut both = 0;
    for (&label, &class) in labels.iter().zip(network) {
        ours[usize::from(label)] += 1;
        theirs[usize::from(class)] += 1;
        both += usize::from(is_cortex(label) && is_parcel(class));
    }
    let classes = 1..CLASSES.len() as u8;
    let sum_of = |rule: &dyn Fn(u8) -> bool| -> usize {
        classes.clone().filter(|&class| rule(class)).map(|class| theirs[usize::from(class)]).sum()
    };
    let brain_mm3 = sum_of(&|class| class != VENTRICLE && class != FLUID);
    let cortices = [ours[37..=104].iter().sum::<usize>(), sum_of(&is_parcel)];
    let cortex_dice = 2.0 * both as f64 / (cortices[0] + cortices[1]).max(1) as f64;
    let ratio = |theirs: usize, ours: usize| theirs as f64 / ours.max(1) as f64;
    let is_large_near = LARGE_RATIO.contains(&ratio(cortices[1], cortices[0]))
        && LARGE_RATIO.contains(&ratio(theirs[usize::from(WHITE)], ours[1] + ours[2]));
    let is_deep_near = DEEP.iter().all(|&class| {
        let left = usize::from(CLASSES[usize::from(class)].1);
        DEEP_RATIO.contains(&ratio(theirs[usize::from(class)], ours[left] + ours[left + 1]))
    });
    let reason = if !BRAIN_MM3.contains(&brain_mm3) {
        "brain volume"
    } else if classes.clone().any(|class| class != FLUID && theirs[usize::from(class)] == 0) {
        "region missing"
    } else if cortex_dice <= MIN_CORTEX_DICE {
        "cortex"
    } else if !is_large_near || !is_deep_near {
        "structure volume"
    } else {
        "agreed"
    };
    Agreement { cortex_dice, brain_mm3, used: reason == "agreed", reason }
}

#[cfg(test)]
#[path = "second_opinion_tests.rs"]
mod tests;
