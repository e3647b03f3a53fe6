use super::*;
use crate::atlas::class_of;
use crate::numbers::random::Random;
use crate::tissue::em::tests::random_prior;
use crate::tissue::mixture::{Mixture, LANES};
use crate::tissue::prior::Window;

/// Posteriors that sum to 1, most of them near 0.
fn random_posteriors(random: &mut Random) -> Vec<f32> {
    let row: Vec<f64> = (0..OUTPUTS).map(|_| random.unit().powi(8) + 1e-6).collect();
    let total: f64 = row.iter().sum();
    row.iter().map(|v| (v / total) as f32).collect()
}

/// The definition by names, in f64.
fn naive(
    class: &[f32],
    best: &[u8],
    seen: &[f32],
    side: u8,
    likelihood: &[f32; CLASSES],
) -> (Vec<f64>, Vec<u8>) {
    let p = |k: usize| f64::from(class[k]);
    let q = |k: usize| f64::from(seen[k]);
    let at_atlas = |k: usize, label: u8| if best[k] == label + side { p(k) } else { 0.0 };
    let w = TABLE.map(|output| f64::from(output.weight));
    let named =
        [(4, 11, 17), (6, 7, 9), (7, 8, 11), (8, 9, 13), (9, 10, 19), (10, 10, 21), (11, 7, 23), (12, 5, 29)];
    let network: f64 = named.iter().map(|&(n, _, _)| w[n] * q(n)).sum();
    let atlas: f64 = named.iter().map(|&(n, k, label)| w[n] * at_atlas(k, label)).sum();
    let share = (network.max(atlas) / 0.2).min(w.iter().copied().fold(0.0, f64::max));
    if share < 1e-3 {
        return (class.iter().map(|&v| f64::from(v)).collect(), best.to_vec());
    }
    let split = |a: f64, whole: f64| a / whole;
    let (outside, stem) = (p(0) + p(12) + 1e-3, p(5) + p(2) + p(4) + 1e-3);
    let mut network = [
        q(0) * split(p(0), outside),
        q(2),
        q(14) * split(p(2), stem),
        q(1),
        q(14) * split(p(4), stem),
        q(12) + q(14) * split(p(5) + 1e-3, stem),
        q(5),
        q(6) + q(11),
        q(7),
        q(8),
        q(9) + q(10),
        q(3) + q(4) + q(13),
        q(0) * split(p(12) + 1e-3, outside) + q(15),
    ];
    let engine = |k: usize| p(k).max(1e-6) * f64::from(likelihood[k]);
    let pooled = network[10] + network[11] + network[12];
    for k in [10, 11, 12] {
        network[k] = pooled * engine(k) / (engine(10) + engine(11) + engine(12));
    }
    let joint: Vec<f64> = (0..CLASSES)
        .map(|k| {
            let beside = network[k].max(1e-3) / f64::from(likelihood[k]);
            p(k).max(1e-6).powf(1.0 - share) * beside.powf(share)
        })
        .collect();
    let total: f64 = joint.iter().sum();
    let mut labels = best.to_vec();
    for (k, [(first, a), (second, b)]) in
        [(11, [(3, 15), (4, 17)]), (7, [(6, 9), (11, 23)]), (10, [(9, 19), (10, 21)])]
    {
        if q(first) + q(second) > 0.1 && w[first] + w[second] > 0.0 {
            labels[k] = side + if q(first) >= q(second) { a } else { b };
        }
    }
    (joint.iter().map(|v| v / total).collect(), labels)
}

#[test]
fn fuse_voxel_agrees_with_the_definition() {
    let mut random = Random::new(71);
    let prior = random_prior(72, 4000);
    for row in prior.class.chunks_exact(CLASSES) {
        let side = random.below(2) as u8;
        let choices = [[9, 23], [19, 21], [15, 17]].map(|pair| pair[random.below(2)] + random.below(2) as u8);
        let mut best = [0, 40, 5, 1, 3, 31, 7, choices[0], 11, 13, choices[1], choices[2], 105];
        let posteriors = random_posteriors(&mut random);
        let likelihood = [0; CLASSES].map(|_| random.range(1e-5, 4.0) as f32);
        let (want, labels) = naive(row, &best, &posteriors, side, &likelihood);
        let mut class = row.to_vec();
        fuse_voxel(&mut class, &mut best, &posteriors, side, &likelihood);
        assert!(class.iter().zip(&want).all(|(&g, w)| (f64::from(g) - w).abs() < 1e-5));
        assert_eq!(best.to_vec(), labels);
        (0..CLASSES).for_each(|k| assert_eq!(class_of(best[k]), k));
    }
}

#[test]
fn fuse_voxel_leaves_voxels_of_other_structures_alone() {
    let mut class = vec![0.0; CLASSES];
    (class[6], class[3]) = (0.7, 0.3);
    let mut best = [0, 40, 5, 1, 3, 31, 7, 9, 11, 13, 19, 15, 105];
    let mut posteriors = [0.0; OUTPUTS];
    (posteriors[5], posteriors[4]) = (0.4, 0.6);
    let before = (class.clone(), best);
    fuse_voxel(&mut class, &mut best, &posteriors, 0, &[1.0; CLASSES]);
    assert_eq!((class, best), before);
}

#[test]
fn every_output_names_labels_of_its_classes() {
    for output in TABLE {
        assert!(output.left == 0 || output.classes == [class_of(output.left)]);
        assert!(output.left != 0 || output.weight == 0.0);
    }
}

/// A prior of thalamus (and white matter around) in a block at the boxes' centre, and a network that sees `output` with
/// this posterior where the prior has thalamus.
fn agreeing(output: usize, posterior: f32, shift: usize) -> (Prior, NetworkPosteriors) {
    let window = Window { low: [100, 100, 100], shape: [60, 40, 40] };
    let voxels: Vec<u32> = (0..window.count() as u32).collect();
    let mut class = vec![0f32; voxels.len() * CLASSES];
    let is_block = |ijk: [usize; 3]| {
        (0..3).all(|a| (110..130).contains(&ijk[a])) || (0..3).all(|a| (130..140).contains(&ijk[a]))
    };
    let centre = [130 + 60 * shift as i64, 120, 120];
    let boxes = [false, true].map(|is_right| HalfBox { centre, is_right });
    let count: usize = SHAPE.iter().product();
    let mut values = [vec![0f32; count * OUTPUTS], vec![0f32; count * OUTPUTS]];
    // the atlas's x runs to the right, the grid's to the left; the mid-plane is at 130
    let axes = [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let atlas_from_ijk = Affine::from_parts(axes, [130.0, 0.0, 0.0]);
    for at in 0..voxels.len() {
        let ijk = window.ijk(at);
        class[at * CLASSES + if is_block(ijk) { 6 } else { 3 }] = 1.0;
        for (half, values) in boxes.iter().zip(&mut values) {
            let Some(v) = half.index(ijk) else { continue };
            let row = &mut values[v * OUTPUTS..][..OUTPUTS];
            row[1] = if is_block(ijk) { 1.0 - posterior } else { 1.0 };
            row[output] = if is_block(ijk) { posterior } else { 0.0 };
        }
    }
    let best = [0, 40, 5, 1, 3, 31, 7, 9, 11, 13, 19, 15, 105].repeat(voxels.len());
    (Prior { window, voxels, class, best }, NetworkPosteriors { boxes, values, atlas_from_ijk })
}

#[test]
fn judge_names_what_refuses_the_network() {
    let reason = |(prior, seen): (Prior, NetworkPosteriors)| seen.assess(&prior, "1", &FUSED).reason;
    assert_eq!(reason(agreeing(5, 0.95, 0)), "agreed");
    assert_eq!(reason(agreeing(5, 0.95, 1)), "coverage");
    assert_eq!(reason(agreeing(4, 0.95, 0)), "disagreement");
    let (prior, mut seen) = agreeing(5, 0.95, 0);
    for row in seen.values.iter_mut().flat_map(|values| values.chunks_exact_mut(OUTPUTS)) {
        if row[5] > 0.0 {
            row.fill(0.04);
            row[5] = 0.4;
        }
    }
    assert_eq!(reason((prior, seen)), "entropy");
    let (prior, seen) = agreeing(5, 0.95, 0);
    let fusion = seen.assess(&prior, "7", &FUSED);
    assert!(fusion.is_used && fusion.version == "7" && fusion.coverage == 1.0 && fusion.agreement == 1.0);
}

/// Intensities that say nothing: every tissue is as likely.
fn flat_fit(count: usize) -> Fit {
    let mixture = Mixture { mean: [0.5; LANES], variance: [0.01; LANES], weight: [1.0; LANES] };
    let corrected = vec![0.5; count];
    Fit { corrected, used: mixture.clone(), mixture, converged: true, winning_posterior: 1.0 }
}

#[test]
fn apply_reads_each_side_from_its_own_box() {
    let (mut prior, mut seen) = agreeing(7, 0.95, 0);
    seen.values[0].fill(0.0);
    seen.values[0].chunks_exact_mut(OUTPUTS).for_each(|row| row[1] = 1.0);
    let before = prior.class.clone();
    seen.apply(&mut prior, &flat_fit(before.len() / CLASSES));
    for (at, (row, old)) in prior.class.chunks_exact(CLASSES).zip(before.chunks_exact(CLASSES)).enumerate() {
        let is_right_block = old[6] == 1.0 && prior.window.ijk(at)[0] < 130;
        assert_eq!(row != old, is_right_block, "{:?}", prior.window.ijk(at));
        if is_right_block {
            assert!(row[8] > row[3]);
        }
    }
}

#[test]
fn fuse_voxel_leaves_hippocampus_and_fluid_to_the_engine() {
    let (mut class, mut posteriors) = (vec![0.0; CLASSES], vec![0.0; OUTPUTS]);
    (class[HIPPOCAMPUS], class[VENTRICLE]) = (0.6, 0.4);
    (posteriors[9], posteriors[4]) = (0.1, 0.9);
    let mut best = [0, 40, 5, 1, 3, 31, 7, 9, 11, 13, 19, 17, 105];
    let mut likelihood = [0.01; CLASSES];
    likelihood[HIPPOCAMPUS] = 2.0;
    fuse_voxel(&mut class, &mut best, &posteriors, 0, &likelihood);
    let joint = |k: usize| class[k] * likelihood[k];
    assert!(joint(HIPPOCAMPUS) > 100.0 * joint(VENTRICLE));
    // fluid by its intensity stays fluid, whatever the network sees
    (class[HIPPOCAMPUS], class[VENTRICLE]) = (0.6, 0.4);
    (posteriors[9], posteriors[4]) = (0.9, 0.1);
    (likelihood[HIPPOCAMPUS], likelihood[VENTRICLE]) = (0.01, 2.0);
    fuse_voxel(&mut class, &mut best, &posteriors, 0, &likelihood);
    assert!(class[VENTRICLE] * likelihood[VENTRICLE] > 10.0 * class[HIPPOCAMPUS] * likelihood[HIPPOCAMPUS]);
}

#[test]
fn assured_label_says_what_the_network_is_sure_of() {
    let label = |pairs: &[(usize, f32)]| {
        let mut posteriors = [0.0; OUTPUTS];
        pairs.iter().for_each(|&(output, p)| posteriors[output] = p);
        assured_label(&posteriors)
    };
    assert_eq!(label(&[(9, 0.85), (3, 0.1), (4, 0.05)]), 19);
    assert_eq!(label(&[(6, 0.85), (1, 0.15)]), 9);
    assert_eq!(label(&[(1, 0.95), (3, 0.05)]), 1);
    assert_eq!(label(&[(1, 0.95), (6, 0.05)]), 0);
    assert_eq!(label(&[(3, 0.9), (4, 0.1)]), 0);
    assert_eq!(label(&[(4, 0.6), (3, 0.4)]), 17);
    assert_eq!(label(&[(4, 0.4), (3, 0.3), (9, 0.3)]), 0);
    assert_eq!(label(&[(7, 0.99)]), 0);
}

#[test]
fn likeliest_label_is_the_structure_of_its_side() {
    let mut posteriors = [0.0; OUTPUTS];
    (posteriors[9], posteriors[4]) = (0.4, 0.35);
    assert_eq!([0, 1].map(|side| likeliest_label(side, &posteriors)), [19, 20]);
    posteriors[1] = 0.5; // white matter is none of its structures
    assert_eq!(likeliest_label(1, &posteriors), 0);
}
