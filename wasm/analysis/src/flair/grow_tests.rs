use super::*;
use crate::flair::evidence::Ground;
use crate::numbers::random::Random;
use std::collections::BTreeSet;
use volume::{Affine, Grid};

const SHAPE: [usize; 3] = [11, 9, 7];
const COUNT: usize = 11 * 9 * 7;

fn grid(spacing: [f64; 3]) -> Grid {
    let [x, y, z] = spacing;
    Grid::new(SHAPE, Affine::from_parts([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]], [0.0; 3])).unwrap()
}

fn place(at: usize, label: u8) -> Place {
    Place {
        at: at as u32,
        t1: 1.0,
        surface_mm2: 400,
        ventricle_mm2: 400,
        label,
        white: 255,
        ventricle: 0,
        cortex: 0,
        deep: 0,
        cerebellum: 0,
    }
}

/// Lesions, places and evidence by chance.
fn random_case(seed: u64) -> (Vec<Place>, Evidence, Vec<Vec<u32>>) {
    let mut random = Random::new(seed);
    let mut e = Evidence {
        z: vec![],
        above_cortex: vec![],
        smooth: vec![],
        ground: vec![],
        solid: vec![],
        not_fluid: vec![],
    };
    let mut places = Vec::new();
    let mut marks = vec![0u8; COUNT];
    for at in 0..COUNT {
        if random.unit() > 0.95 {
            e.not_fluid.push((at as u32, random.range(1.5, 8.0) as f32));
            continue;
        }
        places.push(place(at, [1, 16, 50][random.below(3)]));
        marks[at] = u8::from(random.unit() < 0.03);
        e.z.push(0.0);
        e.smooth.push(random.range(1.5, 4.5) as f32);
        e.above_cortex.push(random.range(-1.0, 3.0) as f32);
        e.ground.push(Ground::Barred);
        e.solid.push(random.unit() < 0.9);
    }
    (places, e, components(&marks, SHAPE))
}

fn ijk(v: usize) -> [usize; 3] {
    [v % 11, v / 11 % 9, v / 99]
}

/// Round by round over all voxels.
fn naive(
    places: &[Place],
    e: &Evidence,
    rules: &Rules,
    spacing: [f64; 3],
    parts: &[Vec<u32>],
) -> BTreeSet<usize> {
    let mut kept: BTreeSet<usize> = parts.iter().flatten().map(|&v| v as usize).collect();
    if kept.len() as f64 * spacing.iter().product::<f64>() <= rules.least_load_mm3 {
        return kept;
    }
    for step in 1..100 {
        let before = kept.clone();
        let touches = |here: [usize; 3]| {
            (0..3).filter(|&a| step == 1 || f64::from(step) * spacing[a] <= rules.border_mm).any(|a| {
                before
                    .iter()
                    .map(|&w| ijk(w))
                    .any(|w| (0..3).all(|b| w[b].abs_diff(here[b]) == usize::from(a == b)))
            })
        };
        for (n, p) in places.iter().enumerate() {
            let brighter = e.smooth[n] > rules.border && e.solid[n];
            let fold = (37..=104).contains(&p.label) && e.above_cortex[n] <= rules.seed_grey;
            if brighter && !fold && touches(ijk(p.at as usize)) {
                kept.insert(p.at as usize);
            }
        }
        for &(at, _) in e.not_fluid.iter().filter(|(_, z)| *z > rules.border) {
            let here = ijk(at as usize);
            if touches(here) {
                kept.insert(at as usize);
            }
        }
    }
    kept
}

#[test]
fn grown_agrees_with_rounds_over_all_voxels() {
    for (seed, spacing) in [[1.0, 1.0, 1.0], [0.7, 0.7, 4.0], [1.0, 1.5, 3.0]].into_iter().enumerate() {
        let (places, evidence, parts) = random_case(seed as u64);
        let rules = Rules { least_load_mm3: 5.0, ..Rules::default() };
        let (grid, voxels) = (grid(spacing), vec![0f32; COUNT]);
        let got = grown(&places, &evidence, &rules, &Flair { voxels: &voxels, grid: &grid }, parts.clone());
        let flat: BTreeSet<usize> = got.iter().flatten().map(|&v| v as usize).collect();
        assert_eq!(flat, naive(&places, &evidence, &rules, spacing, &parts), "{spacing:?}");
        assert!(flat.len() > 2 * parts.iter().map(Vec::len).sum::<usize>(), "{}", flat.len());
    }
}

#[test]
fn grown_leaves_a_small_load_as_it_is() {
    let (places, evidence, parts) = random_case(7);
    let (grid, voxels) = (grid([1.0; 3]), vec![0f32; COUNT]);
    let got =
        grown(&places, &evidence, &Rules::default(), &Flair { voxels: &voxels, grid: &grid }, parts.clone());
    assert_eq!(got, parts);
}
