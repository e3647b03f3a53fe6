use super::*;
use crate::numbers::random::Random;

const SHAPE: Shape = [14, 9, 8];

fn random_map(random: &mut Random, below: usize) -> Vec<u8> {
    (0..SHAPE.iter().product()).map(|_| random.below(below) as u8).collect()
}

/// The rules by name, one voxel at a time.
fn naive(labels: &[u8], network: &[u8]) -> Vec<u8> {
    let right = |label: u8| label.is_multiple_of(2);
    let sided =
        |label: u8| (1..25).contains(&label) || label == 29 || label == 30 || label > 36 && label < 105;
    let deep = ["Thalamus-Proper*", "Caudate", "Putamen", "Pallidum", "Hippocampus", "Amygdala"];
    let deep = [&deep[..], &["Accumbens-area", "VentralDC"]].concat();
    let our_deep = [7, 8, 9, 10, 11, 12, 13, 14, 19, 20, 21, 22, 23, 24, 29, 30];
    let mut out = labels.to_vec();
    for at in 0..labels.len() {
        let ours = labels[at];
        let (name, left) = *CLASSES.get(network[at] as usize).unwrap_or(&("BG", 0));
        let mut side = None;
        let mut best = usize::MAX;
        for other in 0..SHAPE[0] {
            let v = at - at % SHAPE[0] + other;
            let distance = other.abs_diff(at % SHAPE[0]);
            if sided(labels[v]) && distance < best {
                (side, best) = (Some(right(labels[v])), distance);
            }
        }
        let Some(side) = side else { continue };
        let fluid = [15, 16, 17, 18, 25, 26, 27];
        let cortex = (37..105).contains(&ours);
        let tissue = ours > 0 && ours < 105 && !cortex && !fluid.contains(&ours) && ours != 28;
        if cortex && name.starts_with("ctx-") || tissue && deep.contains(&name) {
            out[at] = left + u8::from(side);
        } else if our_deep.contains(&ours) && name == "Cerebral-White-Matter" {
            out[at] = 1 + u8::from(side);
        }
    }
    out
}

#[test]
fn apply_agrees_with_the_rules_by_name() {
    let mut random = Random::new(91);
    for limits in [(106, 50), (40, 16), (106, 256), (37, 15)] {
        let mut labels = random_map(&mut random, limits.0);
        // Lines without a side, and lines with few.
        for line in labels.chunks_mut(SHAPE[0]).step_by(3) {
            let few = random.below(3);
            line.iter_mut().skip(few).for_each(|label| *label = 31 + *label % 6);
        }
        let network = random_map(&mut random, limits.1);
        let want = naive(&labels, &network);
        assert_ne!(want, labels);
        apply(&mut labels, &network, SHAPE[0], &[]);
        assert_eq!(labels, want);
    }
}

#[test]
fn classes_name_every_label_once_on_the_left() {
    let mut seen = [false; 105];
    for (class, (name, label)) in CLASSES.into_iter().enumerate() {
        assert_eq!(label == 0, class == 0, "{name}");
        assert!(!std::mem::replace(&mut seen[label as usize], true), "{name}");
        assert_eq!(name.starts_with("ctx-"), is_parcel(class as u8) && is_cortex(label), "{name}");
        assert!(!is_cortex(label) || label % 2 == 1, "{name} is on the right");
    }
    assert!((37..=104).step_by(2).all(|label| seen[label]), "a parcel has no class");
}

/// A line of voxels on which both maps name the same regions: 700 mL cortex, 400 mL white matter, 4 mL each of the rest.
fn agreeing() -> (Vec<u8>, Vec<u8>) {
    let (mut labels, mut network) = (Vec::new(), Vec::new());
    for (class, &(_, label)) in CLASSES.iter().enumerate().skip(1) {
        let count = match class as u8 {
            WHITE => 400_000,
            class if is_parcel(class) => 20_000,
            _ => 4_000,
        };
        labels.extend(std::iter::repeat_n(label, count));
        network.extend(std::iter::repeat_n(class as u8, count));
    }
    (labels, network)
}

fn reason_for(labels: &[u8], network: &[u8]) -> &'static str {
    let mut merged = labels.to_vec();
    let agreement = merge(&mut merged, network, [labels.len(), 1, 1], &[]);
    assert_eq!(agreement.used, agreement.reason == "agreed");
    assert!(agreement.used || merged == labels, "a refused opinion must leave no trace");
    agreement.reason
}

#[test]
fn merge_refuses_a_network_that_failed() {
    let (labels, network) = agreeing();
    let change = |rule: &dyn Fn(usize, u8) -> u8| -> Vec<u8> {
        network.iter().enumerate().map(|(at, &class)| rule(at, class)).collect()
    };
    assert_eq!(reason_for(&labels, &network), "agreed");
    assert_eq!(reason_for(&labels, &vec![0; labels.len()]), "brain volume");
    let small = change(&|at, class| if at.is_multiple_of(2) { class } else { 0 });
    assert_eq!(reason_for(&labels, &small), "brain volume");
    let missing = change(&|_, class| if class == 47 { 0 } else { class });
    assert_eq!(reason_for(&labels, &missing), "region missing");
    let thin = change(&|at, class| if is_parcel(class) && at.is_multiple_of(3) { WHITE } else { class });
    assert_eq!(reason_for(&labels, &thin), "cortex");
    let swollen = change(&|at, class| if class == WHITE && at.is_multiple_of(20) { 11 } else { class });
    assert_eq!(reason_for(&labels, &swollen), "structure volume");
    let pale = change(&|at, class| if class == WHITE && at % 7 > 1 { 9 } else { class });
    assert_eq!(reason_for(&labels, &pale), "structure volume");
}

#[test]
fn merge_takes_parcels_and_deep_structures_from_a_network_that_agrees() {
    let (labels, mut network) = agreeing();
    let first = |label: u8| labels.iter().position(|&l| l == label).unwrap();
    let (white, cortex, caudate, ventricle) = (first(1), first(37), first(9), first(15));
    network[white] = 10;
    network[cortex] = 39;
    network[caudate] = WHITE;
    network[ventricle] = 6;
    let mut merged = labels.clone();
    let agreement = merge(&mut merged, &network, [labels.len(), 1, 1], &[]);
    assert!(agreement.used && agreement.cortex_dice > 0.99 && agreement.brain_mm3 > 1_000_000);
    assert_eq!([merged[white], merged[cortex], merged[caudate], merged[ventricle]], [19, 67, 1, 15]);
    assert_eq!(merged.iter().zip(&labels).filter(|(a, b)| a != b).count(), 3);
}

#[test]
fn merge_leaves_what_our_own_network_settled() {
    let (labels, mut network) = agreeing();
    let first = |label: u8| labels.iter().position(|&l| l == label).unwrap();
    let (white, hippocampus, caudate) = (first(1), first(19), first(9));
    network[white] = 10;
    network[hippocampus] = WHITE;
    network[hippocampus + 1] = 11;
    network[caudate] = WHITE;
    let mut merged = labels.clone();
    assert!(merge(&mut merged, &network, [labels.len(), 1, 1], &[19, 17]).used);
    assert_eq!(merged[white], 1);
    assert_eq!(merged[hippocampus..hippocampus + 2], [19, 19]);
    assert_eq!(merged[caudate], 1);
}

#[test]
fn sided_gives_the_networks_structures_the_side_of_our_labels() {
    // left white matter, nothing, right white matter; hippocampus, hippocampus, ventricle, an unknown class
    assert_eq!(sided(&[1, 0, 2, 2], &[10, 10, 2, 99], [4, 1, 1]), [19, 19, 0, 0]);
    assert_eq!(sided(&[0, 2], &[16, 16], [2, 1, 1]), [76, 76]);
}
