//! A head of ellipsoids for the tests: fluid, cortex, white matter and lateral ventricles, scanner mm = model mm.

use super::tissue::TissuePriors;
use super::{Flair, T1Side};
use crate::atlas::{Atlas, ATLAS_SHAPE, LISTED};
use crate::numbers::random::Random;
use crate::tissue::prior::Window;
use crate::voxels::conform::SIDE;
use crate::voxels::filter::gaussian;
use volume::{Affine, Grid};

/// Middle of the head, mm: that of the atlas.
pub const MIDDLE: [f64; 3] = [0.0, -18.0, 14.0];
const OUTER_CSF: u8 = 105;

/// Label at a point: 105 fluid, 37 and 38 cortex, 1 and 2 white matter, 15 and 16 ventricles, 0 air.
pub fn label_at(p: [f64; 3]) -> u8 {
    let q = [0, 1, 2].map(|a| p[a] - MIDDLE[a]);
    let radius = |c: [f64; 3], axes: [f64; 3]| (0..3).map(|a| ((q[a] - c[a]) / axes[a]).powi(2)).sum::<f64>();
    let right = u8::from(q[0] > 0.0);
    // Lumps fix the head's turn; the front is narrower than the back.
    let lumps = 1.0 + 0.03 * (q[0] / 9.0).sin() * (q[1] / 11.0).cos() + 0.03 * (q[2] / 8.0).sin();
    let whole = radius([0.0; 3], [62.0 - 0.08 * q[1], 80.0, 58.0]).sqrt();
    if radius([-13.0, 4.0, 4.0], [6.0, 26.0, 9.0]) < 1.0 || radius([13.0, 0.0, 4.0], [7.0, 24.0, 10.0]) < 1.0
    {
        15 + right
    } else if whole < 0.86 * lumps {
        1 + right
    } else if whole < 0.93 * lumps {
        37 + right
    } else if whole < 1.02 {
        OUTER_CSF
    } else {
        0
    }
}

/// Brightness of a label: fluid, cortex, white matter.
pub type Contrast = [f32; 3];
pub const T1: Contrast = [0.3, 0.7, 1.0];
pub const FLAIR: Contrast = [0.25, 1.25, 1.0];
/// Fluid brightest.
pub const T2: Contrast = [2.4, 1.4, 1.0];
const LESION: f32 = 2.1;

fn brightness(label: u8, [fluid, cortex, white]: Contrast) -> f32 {
    match label {
        0 => 0.0,
        1 | 2 => white,
        37 | 38 => cortex,
        _ => fluid,
    }
}

/// What a T1-weighted analysis without error would leave.
pub struct Head {
    pub conformed: Vec<u8>,
    pub grid: Grid,
    pub window: Window,
    pub labels: Vec<u8>,
    pub corrected: Vec<f32>,
    pub priors: TissuePriors,
}

impl Head {
    /// The prior is the truth blurred by 1.5 mm.
    pub fn at_rest() -> Self {
        let axes = [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]];
        let grid = Grid::new([SIDE; 3], Affine::from_parts(axes, [128.0, -146.0, 142.0])).unwrap();
        let window = Window { low: [56, 60, 40], shape: [144, 136, 176] };
        let mm = |at: usize| grid.ras_from_ijk.apply(window.ijk(at).map(|v| v as f64));
        let labels: Vec<u8> = (0..window.count()).map(|at| label_at(mm(at))).collect();
        let corrected: Vec<f32> = labels.iter().map(|&l| brightness(l, T1)).collect();
        let mut conformed = vec![0; SIDE * SIDE * SIDE];
        for (at, &v) in corrected.iter().enumerate() {
            let [i, j, k] = window.ijk(at);
            conformed[grid.index(i, j, k)] = (v * 150.0) as u8;
        }
        let prior = |is: fn(u8) -> bool| {
            let mut share: Vec<f32> = labels.iter().map(|&l| f32::from(u8::from(is(l)))).collect();
            gaussian(&mut share, window.shape, [1.5; 3], 1);
            share.iter().map(|v| (v * 255.0) as u8).collect()
        };
        let mut priors = TissuePriors::empty(window.count());
        priors.white = prior(|l| l == 1 || l == 2);
        priors.cortex = prior(|l| l == 37 || l == 38);
        priors.ventricle = prior(|l| l == 15 || l == 16);
        Self { conformed, grid, window, labels, corrected, priors }
    }

    pub fn side(&self) -> T1Side<'_> {
        T1Side {
            conformed: &self.conformed,
            grid: &self.grid,
            window: self.window,
            labels: &self.labels,
            corrected: &self.corrected,
            grey: T1[1],
            white: T1[2],
            priors: &self.priors,
        }
    }
}

/// A ball, mm.
pub type Ball = ([f64; 3], f64);

pub fn is_lesion(p: [f64; 3], lesions: &[Ball]) -> bool {
    let within = |(c, r): &Ball| (0..3).map(|a| (p[a] - c[a]).powi(2)).sum::<f64>() < r * r;
    matches!(label_at(p), 1 | 2) && lesions.iter().any(within)
}

/// A scan of 1 mm in plane and slices of `slice_mm` along z, of a head that stands at `head_from_scanner`.
pub struct Scan {
    pub voxels: Vec<f32>,
    pub grid: Grid,
    /// Voxels whose centre lies in a lesion.
    pub truth: Vec<bool>,
}

impl Scan {
    pub fn new(
        contrast: Contrast,
        slice_mm: f64,
        head_from_scanner: &Affine,
        lesions: &[Ball],
        seed: u64,
    ) -> Self {
        let shape = [150, 180, (150.0 / slice_mm) as usize];
        let axes = [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, slice_mm]];
        let grid = Grid::new(shape, Affine::from_parts(axes, [75.0, 72.0, -61.0])).unwrap();
        let map = head_from_scanner.compose(&grid.ras_from_ijk);
        let layers = slice_mm as usize;
        let mut random = Random::new(seed);
        let (mut voxels, mut truth) = (Vec::new(), Vec::new());
        for at in 0..grid.count() {
            let [i, j, k] = [at % shape[0], at / shape[0] % shape[1], at / (shape[0] * shape[1])];
            let point = |dz: f64| map.apply([i as f64, j as f64, k as f64 + dz]);
            let sum: f32 = (0..layers)
                .map(|n| point((n as f64 + 0.5) / layers as f64 - 0.5))
                .map(|p| if is_lesion(p, lesions) { LESION } else { brightness(label_at(p), contrast) })
                .sum();
            let noise = (0..4).map(|_| random.range(-0.1, 0.1)).sum::<f64>() as f32;
            voxels.push(400.0 * (sum / layers as f32 + noise).max(0.0));
            truth.push(is_lesion(point(0.0), lesions));
        }
        Self { voxels, grid, truth }
    }

    pub fn flair(&self) -> Flair<'_> {
        Flair { voxels: &self.voxels, grid: &self.grid }
    }

    pub fn voxel_mm3(&self) -> f64 {
        self.grid.ras_from_ijk.determinant().abs()
    }

    /// Dice of a mask with the truth.
    pub fn dice(&self, mask: &[u8]) -> f64 {
        let both = mask.iter().zip(&self.truth).filter(|(&m, &t)| m != 0 && t).count();
        let found = mask.iter().filter(|&&m| m != 0).count();
        2.0 * both as f64 / (found + self.truth.iter().filter(|&&t| t).count()) as f64
    }
}

/// An atlas of this head: template as on T1, eight points a voxel as its prior.
pub fn atlas() -> Atlas {
    let count: usize = ATLAS_SHAPE.iter().product();
    let (mut labels, mut weights) = (vec![0u8; count * LISTED], vec![0u8; count * LISTED]);
    let mut template = Vec::with_capacity(count);
    for v in 0..count {
        let middle = Atlas::mm([v % 91, v / 91 % 109, v / (91 * 109)].map(|c| c as f64));
        let mut sum = 0.0;
        for corner in 0..8 {
            let p = [0, 1, 2].map(|a| middle[a] + if corner >> a & 1 == 1 { 0.5 } else { -0.5 });
            let label = label_at(p);
            sum += brightness(label, T1) / 8.0;
            let same = |n: &usize| weights[n * count + v] == 0 || labels[n * count + v] == label;
            if let Some(n) = (0..LISTED).find(same) {
                labels[n * count + v] = label;
                weights[n * count + v] += 1;
            }
        }
        template.push((sum * 255.0 / 1.4) as u8);
    }
    let npy = |data: &[u8]| {
        let mut header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }".to_vec();
        header.resize(118, b' ');
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header);
        file.extend(data);
        file
    };
    Atlas::from_npy(&npy(&template), &npy(&labels), &npy(&weights)).unwrap()
}
