use super::*;
use crate::numbers::random::Random;
use crate::tissue::em::tests::random_prior;

const SHAPE: Shape = [24, 22, 20];
const COUNT: usize = 24 * 22 * 20;
const LEVELS: Levels = Levels { hippocampus: 0.75, fluid: 0.3, white: 1.0 };

/// Distance to the centre of the grid.
fn radius(v: usize) -> f64 {
    let p = [v % 24, v / 24 % 22, v / 528].map(|c| c as f64);
    ((p[0] - 11.0).powi(2) + (p[1] - 10.0).powi(2) + (p[2] - 9.0).powi(2)).sqrt()
}

/// A ball of tissue in white matter, after atrophy: a film of fluid and partial volume around it up to `reach`, all of
/// it called by the label of the ball.
fn shrunken(label: u8, body: f64, reach: f64) -> (Vec<u8>, Vec<f32>) {
    let labels = (0..COUNT).map(|v| if radius(v) < reach { label } else { 2 - label % 2 }).collect();
    let corrected = (0..COUNT)
        .map(|v| match radius(v) {
            r if r < body => 0.75,
            r if r < body + 1.5 => 0.4,
            r if r < reach => 0.78,
            _ => 1.0,
        })
        .collect();
    (labels, corrected)
}

#[test]
fn release_rims_leaves_the_body_of_a_shrunken_hippocampus_and_widens_the_horn() {
    for (label, horn, white) in [(19, 17, 1), (20, 18, 2)] {
        let (mut labels, corrected) = shrunken(label, 4.0, 7.0);
        let expected = labels.iter().map(|&l| if l == label { 2 - label % 2 } else { 0 }).collect::<Vec<_>>();
        release_rims(&mut labels, SHAPE, &corrected, &LEVELS, &expected, &[]);
        for v in 0..COUNT {
            let want = match radius(v) {
                r if r < 4.0 => label,
                r if r < 5.5 => horn,
                _ => white,
            };
            assert_eq!(labels[v], want, "at {:.2}", radius(v));
        }
    }
}

#[test]
fn release_rims_keeps_a_healthy_structure_whole() {
    for label in [9, 10, 19, 22] {
        let (mut labels, _) = shrunken(label, 6.0, 6.0);
        let before = labels.clone();
        let corrected: Vec<f32> = labels.iter().map(|&l| if l == label { 0.75 } else { 1.0 }).collect();
        release_rims(&mut labels, SHAPE, &corrected, &LEVELS, &vec![0; COUNT], &[]);
        assert_eq!(labels, before);
    }
}

#[test]
fn fluid_in_specks_is_no_horn() {
    let (mut labels, mut corrected) = shrunken(19, 6.0, 6.0);
    let speck = (0..COUNT).filter(|&v| radius(v) < 2.0).collect::<Vec<_>>();
    speck.iter().for_each(|&v| corrected[v] = 0.35);
    (0..COUNT).filter(|&v| !speck.contains(&v)).for_each(|v| corrected[v] = corrected[v].max(0.75));
    release_rims(&mut labels, SHAPE, &corrected, &LEVELS, &vec![1; COUNT], &[]);
    assert!(speck.iter().all(|&v| labels[v] == OUTER_CSF));
}

#[test]
fn rim_of_agrees_with_its_definition() {
    let mut random = Random::new(71);
    let smooth: Vec<f64> = (0..COUNT).map(|v| 8.0 - radius(v)).collect();
    for _ in 0..4 {
        let labels: Vec<u8> =
            smooth.iter().map(|d| if *d > random.range(0.0, 7.0) { 9 } else { 1 }).collect();
        let mask: Vec<bool> = labels.iter().map(|&l| l == 9).collect();
        let mut body = largest_component(&erode(&mask, SHAPE), SHAPE);
        for _ in 0..2 {
            let before = body.clone();
            for v in 0..COUNT {
                for_each_neighbour(SHAPE, v, |n| body[v] |= mask[v] && before[n]);
            }
        }
        let want: Vec<usize> = (0..COUNT).filter(|&v| mask[v] && !body[v]).collect();
        assert!(!want.is_empty());
        assert_eq!(rim_of(&labels, SHAPE, 9), want);
    }
    assert!(rim_of(&[1; COUNT], SHAPE, 9).is_empty());
}

#[test]
fn expected_side_names_the_side_where_hippocampus_is_likelier_than_the_horn_and_that_than_cisterns() {
    let prior = random_prior(72, 3000);
    let got = expected_side(&prior);
    for (v, &at) in prior.voxels.iter().enumerate() {
        let p = &prior.class[v * CLASSES..(v + 1) * CLASSES];
        let likely = p[10] > 0.4 && p[10] > p[11] && p[11] > p[12];
        let side = if prior.best[v * CLASSES + 10] % 2 == 1 { 1 } else { 2 };
        assert_eq!(got[at as usize], if likely { side } else { 0 });
    }
}

#[test]
fn release_rims_keeps_what_the_network_is_sure_of() {
    // a thin tail hangs on to the body
    let is_tail = |v: usize| v / 24 % 22 == 10 && v / 528 == 9 && v % 24 > 11 && v % 24 < 22;
    let (mut labels, _) = shrunken(19, 5.0, 5.0);
    (0..COUNT).filter(|&v| is_tail(v)).for_each(|v| labels[v] = 19);
    let corrected: Vec<f32> = labels.iter().map(|&l| if l == 19 { 0.75 } else { 1.0 }).collect();
    let expected = vec![0; COUNT];
    for (seen, kept) in [(Vec::new(), 1), (vec![19; COUNT], 19), (vec![20; COUNT], 1)] {
        let mut got = labels.clone();
        release_rims(&mut got, SHAPE, &corrected, &LEVELS, &expected, &seen);
        let end = (0..COUNT).rfind(|&v| is_tail(v)).unwrap();
        assert_eq!(got[end], kept);
    }
}
