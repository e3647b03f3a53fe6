use super::*;
use crate::numbers::random::Random;
use volume::{Affine, Grid};

const SHAPE: Shape = [60, 56, 30];
const SPACING: [f64; 3] = [1.5, 1.5, 3.0];

fn grid() -> Grid {
    let [x, y, z] = SPACING;
    Grid::new(SHAPE, Affine::from_parts([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]], [0.0; 3])).unwrap()
}

fn ijk(at: usize) -> [usize; 3] {
    [at % SHAPE[0], at / SHAPE[0] % SHAPE[1], at / (SHAPE[0] * SHAPE[1])]
}

/// Sheets of cortex in white matter, 1.2 times as bright; both certain.
fn place(at: usize) -> Place {
    let is_cortex = ijk(at)[0] % 6 < 2;
    Place {
        at: at as u32,
        t1: 1.0,
        surface_mm2: 400,
        ventricle_mm2: 400,
        label: if is_cortex { 40 } else { 1 },
        white: if is_cortex { 0 } else { 255 },
        ventricle: 0,
        cortex: if is_cortex { 255 } else { 0 },
        deep: 0,
        cerebellum: 0,
    }
}

#[test]
fn smooth_agrees_with_sums_over_all_blocks() {
    let grid = grid();
    let blocks = Blocks::new(&Flair { voxels: &[], grid: &grid });
    assert_eq!((blocks.step, blocks.shape), ([3, 3, 1], [20, 19, 30]));
    let mut random = Random::new(61);
    // none so near to a border that its mirror image counts
    let values: Vec<(u32, f32)> = (0..grid.count())
        .filter(|&at| ijk(at).iter().zip([24, 24, 12]).all(|(&c, low)| c >= low && c < low + 8))
        .filter(|_| random.unit() < 0.3)
        .map(|at| (at as u32, Random::new(at as u64).range(-0.4, 0.4) as f32))
        .collect();
    let sigma_mm = 6.0;
    let got = blocks.smooth(values.iter().copied(), sigma_mm);
    let mm = |block: [usize; 3]| [0, 1, 2].map(|a| block[a] as f64 * blocks.mm[a]);
    let away = |a: [f64; 3], b: [f64; 3]| (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>();
    let unit = blocks.mm.iter().product::<f64>() / (std::f64::consts::TAU.sqrt() * sigma_mm).powi(3);
    for block in [[8, 8, 12], [10, 9, 16], [9, 10, 19], [7, 8, 15]] {
        let (mut sum, mut weight) = (0.0, f64::from(FLAT));
        for &(at, value) in &values {
            let voxel = ijk(at as usize);
            let to = mm([0, 1, 2].map(|a| voxel[a] / blocks.step[a]));
            let w = unit * (-0.5 * away(mm(block), to) / (sigma_mm * sigma_mm)).exp();
            sum += w * f64::from(value);
            weight += w;
        }
        let at = block[0] + blocks.shape[0] * (block[1] + blocks.shape[1] * block[2]);
        assert!((f64::from(got[at]) - sum / weight).abs() < 2e-3, "{} {}", got[at], sum / weight);
    }
}

#[test]
fn flattened_takes_the_drift_and_leaves_lesion_and_cortex() {
    let grid = grid();
    let places: Vec<Place> = (0..grid.count()).map(place).collect();
    let mut random = Random::new(62);
    let is_lesion = |at: usize| {
        let p = ijk(at);
        p[0].abs_diff(40) < 5 && p[1].abs_diff(28) < 5 && p[2].abs_diff(20) < 2 && place(at).label == 1
    };
    let drift =
        |at: usize| exp(0.25 * (ijk(at)[2] as f32 / 15.0 - 1.0) - 0.1 * (ijk(at)[1] as f32 / 28.0 - 1.0));
    let tissue = |at: usize| match () {
        () if is_lesion(at) => 1.7,
        () if place(at).label == 1 => 1.0,
        () => 1.2,
    };
    let voxels: Vec<f32> = (0..grid.count())
        .map(|at| 300.0 * tissue(at) * drift(at) * (1.0 + 0.04 * (random.unit() as f32 - 0.5)))
        .collect();
    let flat = flattened(&Flair { voxels: &voxels, grid: &grid }, &places, &[], 24.0);
    let mean = |wanted: &dyn Fn(usize) -> bool| {
        let chosen: Vec<f32> = (0..grid.count()).filter(|&at| wanted(at)).map(|at| flat[at]).collect();
        f64::from(chosen.iter().sum::<f32>()) / chosen.len() as f64
    };
    let is_white = |at: usize| place(at).label == 1 && !is_lesion(at);
    let white = mean(&is_white);
    for slice in [2, 9, 16, 23, 27] {
        let here = mean(&|at| is_white(at) && ijk(at)[2] == slice) / white;
        // the drift itself: .8 and 1.23
        assert!((here - 1.0).abs() < 0.05, "slice {slice}: {here}");
    }
    let near = mean(&|at| is_white(at) && ijk(at)[2].abs_diff(20) < 2 && ijk(at)[0].abs_diff(40) < 12);
    assert!((mean(&is_lesion) / near - 1.7).abs() < 0.05);
    assert!((mean(&|at| place(at).label == 40) / white - 1.2).abs() < 0.01);
}

#[test]
fn flattened_leaves_a_series_without_known_tissue() {
    let grid = grid();
    let voxels: Vec<f32> = (0..grid.count()).map(|at| 1.0 + (at % 7) as f32).collect();
    let unknown = |at: usize| Place { label: 31, ..place(at) };
    let places: Vec<Place> = (0..grid.count()).filter(|at| at % 2 == 0).map(unknown).collect();
    let flat = flattened(&Flair { voxels: &voxels, grid: &grid }, &places, &[], 24.0);
    assert!((0..grid.count()).all(|at| flat[at] == if at % 2 == 0 { voxels[at] } else { 0.0 }));
}
