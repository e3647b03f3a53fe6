use super::*;
use crate::numbers::random::Random;
use std::collections::BTreeSet;
use volume::{Affine, Grid};

const SHAPE: Shape = [13, 12, 7];
const SPACING: [f64; 3] = [1.0, 1.5, 3.0];
const COUNT: usize = 13 * 12 * 7;

fn grid(spacing: [f64; 3], shape: Shape) -> Grid {
    let [x, y, z] = spacing;
    Grid::new(shape, Affine::from_parts([[-x, 0.0, 0.0], [0.0, 0.0, z], [0.0, y, 0.0]], [0.0; 3])).unwrap()
}

fn place(at: usize, label: u8, ventricle_mm2: u16) -> Place {
    Place {
        at: at as u32,
        t1: 1.0,
        surface_mm2: 400,
        ventricle_mm2,
        label,
        white: 255,
        ventricle: 0,
        cortex: 0,
        deep: 0,
        cerebellum: 0,
    }
}

/// Blobs of evidence in noise; a few voxels are no brain.
fn random_case(seed: u64) -> (Vec<Place>, Evidence) {
    let mut random = Random::new(seed);
    let blobs: Vec<[f64; 4]> = (0..5)
        .map(|_| [random.range(0., 13.), random.range(0., 18.), random.range(0., 21.), random.range(4., 30.)])
        .collect();
    let mut places = Vec::new();
    let mut evidence = Evidence {
        z: vec![],
        above_cortex: vec![],
        smooth: vec![],
        ground: vec![],
        solid: vec![],
        not_fluid: vec![],
    };
    for at in 0..COUNT {
        if random.unit() > 0.95 {
            continue;
        }
        let mm = [at % 13, at / 13 % 12, at / (13 * 12)];
        let mm = [0, 1, 2].map(|a| mm[a] as f64 * SPACING[a]);
        let height: f64 = blobs
            .iter()
            .map(|b| b[3] * (-(0..3).map(|a| (mm[a] - b[a]).powi(2)).sum::<f64>() / 12.0).exp())
            .sum();
        let label = if random.unit() < 0.35 { 50 } else { 1 };
        let ventricle_mm2 = if random.unit() < 0.2 { 9 } else { 100 };
        // towards one end the template has ventricle and deep grey matter
        let (ventricle, deep) = ((8 * (at % 13)) as u8, (4 * (at % 13)) as u8);
        places.push(Place { ventricle, deep, ..place(at, label, ventricle_mm2) });
        evidence.z.push((height + random.range(-2.0, 2.0)) as f32);
        evidence.smooth.push((height + random.range(-0.5, 0.5)) as f32);
        evidence.above_cortex.push((0.35 * height + random.range(-1.0, 1.0)) as f32);
        evidence
            .ground
            .push([Ground::White, Ground::White, Ground::Possible, Ground::Barred][random.below(4)]);
        evidence.solid.push(random.unit() < 0.9);
    }
    (places, evidence)
}

/// Face-connected parts of a set, by spreading from each of its voxels.
fn parts_of(set: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
    let mut left = set.clone();
    let mut out = Vec::new();
    while let Some(&first) = left.iter().next() {
        let mut part = BTreeSet::from([first]);
        loop {
            let more: Vec<usize> =
                left.iter().copied().filter(|&v| part.iter().any(|&w| distance(v, w) == 1)).collect();
            let before = part.len();
            part.extend(more);
            if part.len() == before {
                break;
            }
        }
        part.iter().for_each(|v| {
            left.remove(v);
        });
        out.push(part);
    }
    out
}

/// Steps between two voxels along the axes.
fn distance(v: usize, w: usize) -> i64 {
    let ijk = |v: usize| [v % 13, v / 13 % 12, v / 156].map(|c| c as i64);
    (0..3).map(|a| (ijk(v)[a] - ijk(w)[a]).abs()).sum()
}

/// The rules one voxel at a time.
fn naive(places: &[Place], e: &Evidence, rules: &Rules) -> Vec<BTreeSet<usize>> {
    let at = |n: usize| places[n].at as usize;
    let candidates: Vec<usize> =
        (0..places.len()).filter(|&n| e.ground[n] != Ground::Barred && e.smooth[n] > rules.grow).collect();
    let ijk = |v: usize| [v % 13, v / 13 % 12, v / 156].map(|c| c as f64);
    let is_around =
        |v: usize, w: usize| (0..3).all(|a| (ijk(v)[a] - ijk(w)[a]).abs() * SPACING[a] <= rules.reach_mm);
    let inside: Vec<usize> = candidates
        .iter()
        .copied()
        .filter(|&n| {
            let around = candidates.iter().filter(|&&m| is_around(at(n), at(m)));
            let peak = around.fold(f32::MIN, |peak, &m| peak.max(e.smooth[m]));
            e.smooth[n] > rules.peak_part * peak
        })
        .collect();
    let number_of = |v: usize| (0..places.len()).find(|&n| at(n) == v).unwrap();
    let mut kept = BTreeSet::new();
    for part in parts_of(&inside.iter().map(|&n| at(n)).collect()) {
        let members: Vec<usize> = part.iter().map(|&v| number_of(v)).collect();
        let sure = |n: usize| e.above_cortex[n] > rules.unmistakable;
        let has_seed = members.iter().any(|&n| {
            e.z[n] > rules.seed
                && e.above_cortex[n] > rules.seed_grey
                && (e.ground[n] == Ground::White || sure(n))
        });
        let folds =
            members.iter().filter(|&&n| places[n].label == 50 && places[n].ventricle_mm2 >= 16).count();
        let is_fold = 2 * folds > members.len() && !members.iter().any(|&n| sure(n));
        let inner = |n: &usize| f64::from(places[*n].ventricle) + f64::from(places[*n].deep);
        let mean = members.iter().map(inner).sum::<f64>() / members.len() as f64;
        let is_outside = mean <= f64::from(rules.inner) * 255.0;
        if has_seed && !is_fold && is_outside && members.len() as f64 * 4.5 >= rules.least_mm3 {
            kept.extend(part);
        }
    }
    // Closing: a voxel not at the grid's border all of whose neighbours, and which itself, touch or are kept.
    let is_wide = |v: usize| kept.iter().any(|&w| distance(v, w) <= 1);
    let closed = |v: usize| {
        let star: Vec<usize> = (0..COUNT).filter(|&w| distance(v, w) <= 1).collect();
        star.len() == 7 && star.iter().all(|&w| is_wide(w))
    };
    let all = (0..places.len())
        .filter(|&n| kept.contains(&at(n)) || (e.solid[n] && closed(at(n))))
        .map(at)
        .collect();
    parts_of(&all)
}

#[test]
fn hysteresis_agrees_with_the_rules_one_voxel_at_a_time() {
    let (grid, voxels) = (grid(SPACING, SHAPE), vec![0f32; COUNT]);
    let rules = Rules { least_mm3: 10.0, reach_mm: 3.2, ..Rules::default() };
    let mut found = 0;
    for seed in 0..40 {
        let (places, evidence) = random_case(seed);
        let got = hysteresis(&places, &evidence, &rules, &Flair { voxels: &voxels, grid: &grid });
        let want = naive(&places, &evidence, &rules);
        let got: Vec<BTreeSet<usize>> =
            got.iter().map(|part| part.iter().map(|&v| v as usize).collect()).collect();
        found += want.len();
        assert_eq!(got, want, "seed {seed}");
    }
    assert!(found > 40, "{found} lesions are too few to compare");
}

/// Volume of the lesions of blurred balls of radius 5 mm around a voxel.
fn volume_of_ball(height: f32, above_cortex: f32, label: u8) -> usize {
    volume_where(height, above_cortex, label, 0)
}

/// The same where the template has this prior of ventricle, and of deep grey matter.
fn volume_where(height: f32, above_cortex: f32, label: u8, inner: u8) -> usize {
    let shape = [31, 31, 31];
    let count = 31 * 31 * 31;
    let mut smooth: Vec<f32> = (0..count)
        .map(|v| {
            let p = [v % 31, v / 31 % 31, v / 961].map(|c| c as f64 - 15.0);
            f32::from(u8::from(p.iter().map(|c| c * c).sum::<f64>() < 25.0)) * height
        })
        .collect();
    crate::voxels::filter::gaussian(&mut smooth, shape, [1.2; 3], 1);
    let places: Vec<Place> =
        (0..count).map(|at| Place { ventricle: inner, deep: inner, ..place(at, label, 400) }).collect();
    let evidence = Evidence {
        above_cortex: smooth.iter().map(|v| above_cortex * v / height).collect(),
        z: smooth.clone(),
        smooth,
        ground: vec![Ground::White; count],
        solid: vec![true; count],
        not_fluid: vec![],
    };
    let (grid, voxels) = (grid([1.0; 3], shape), vec![0f32; count]);
    hysteresis(&places, &evidence, &Rules::default(), &Flair { voxels: &voxels, grid: &grid })
        .iter()
        .map(Vec::len)
        .sum()
}

#[test]
fn hysteresis_gives_a_lesion_one_size_whatever_its_brightness() {
    let truth = 4.0 / 3.0 * std::f64::consts::PI * 125.0;
    for height in [8.0, 16.0, 32.0, 64.0] {
        let found = volume_of_ball(height, 0.5 * height, 1) as f64;
        assert!((found / truth - 1.0).abs() < 0.15, "height {height}: {found} of {truth} mm³");
    }
}

#[test]
fn hysteresis_leaves_folds_and_what_is_no_brighter_than_cortex() {
    assert!(volume_of_ball(20.0, 3.5, 1) > 400);
    assert_eq!(volume_of_ball(20.0, 0.9, 1), 0);
    assert_eq!(volume_of_ball(20.0, 3.5, 50), 0);
    assert!(volume_of_ball(20.0, 6.0, 50) > 400);
}

#[test]
fn hysteresis_leaves_what_lies_where_the_template_has_ventricle_and_deep_grey_matter() {
    assert!(volume_where(20.0, 3.5, 1, 42) > 400);
    assert_eq!(volume_where(20.0, 3.5, 1, 47), 0);
}
