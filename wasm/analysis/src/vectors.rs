//! One seeded run of each stage on small inputs, as a list of numbers. The native build stores them in
//! `tests/golden/vectors.txt`; both builds must reproduce them.

use crate::numbers::exp::exp;
use crate::numbers::percentile::percentile;
use crate::numbers::random::Random;
use crate::registration::affine::{cost, Level};
use crate::registration::affine_parameters::{affine_of, Params};
use crate::registration::lncc::Lncc;
use crate::registration::velocity::Displacement;
use crate::registration::velocity_grid::{self, COUNT};
use crate::tissue::boundary::{refine_cortex, refine_ventricle};
use crate::tissue::em::{bias_field, update};
use crate::tissue::mixture::{Mixture, LANES};
use crate::tissue::mrf::{label, sweep};
use crate::tissue::prior::{Prior, Window};
use crate::tissue::tissue_class::CLASSES;
use crate::voxels::conform::scale_to_bytes;
use crate::voxels::edt::squared_distance;
use crate::voxels::filter::gaussian;
use crate::voxels::interpolate::resample;
use crate::voxels::morphology::{dilate, erode, largest_component};
use crate::voxels::resample::nearest;
use crate::{surface, thickness};
use volume::{Affine, Grid, Shape};

/// Names that `vector` knows.
pub const NAMES: [&str; 16] = [
    "exp",
    "percentile",
    "gaussian",
    "resample",
    "scale",
    "morphology",
    "cost",
    "update",
    "bias",
    "labels",
    "nearest",
    "lncc",
    "warp",
    "distance",
    "thickness",
    "surface",
];

/// Figures of the named stage; empty for an unknown name.
pub fn vector(name: &str, seed: u32) -> Vec<f64> {
    let mut random = Random::new(u64::from(seed));
    match name {
        "exp" => (0..64).map(|_| f64::from(exp(random.range(-90.0, 20.0) as f32))).collect(),
        "percentile" => {
            let values = noise(&mut random, 1001);
            [0.0, 2.0, 33.3, 50.0, 98.0, 100.0]
                .iter()
                .filter_map(|&r| percentile(&mut values.clone(), r))
                .collect()
        }
        "gaussian" => {
            let mut data = noise(&mut random, 9 * 8 * 7);
            gaussian(&mut data, [9, 8, 7], [1.2, 0.7, 2.0], 1);
            widen(&data)
        }
        "resample" => {
            let (from, to) = grids(&mut random);
            widen(&resample(&noise(&mut random, from.count()), &from, &to).unwrap_or_default())
        }
        "scale" => {
            let values: Vec<f32> = noise(&mut random, 4000).iter().map(|v| v * v * 900.0 - 20.0).collect();
            scale_to_bytes(&values).unwrap_or_default().iter().step_by(40).map(|&v| f64::from(v)).collect()
        }
        "morphology" => {
            let shape = [11, 9, 10];
            let mask: Vec<bool> = (0..990).map(|_| random.unit() < 0.3).collect();
            [dilate(&mask, shape, 2), erode(&dilate(&mask, shape, 1), shape), largest_component(&mask, shape)]
                .iter()
                .map(|m| checksum(m.iter().map(|&v| u8::from(v))))
                .collect()
        }
        "cost" => {
            let level = level(&mut random);
            let p: Params = [0; 12].map(|_| random.range(-0.15, 0.15));
            let (value, gradient) = cost(&level, &p);
            let mut out = vec![value];
            out.extend(gradient);
            out.extend(affine_of(&p).0);
            out
        }
        "update" => {
            let prior = prior(&mut random, 4000);
            let y = noise(&mut random, prior.voxels.len());
            let new = update(&y, &prior, &mixture(&mut random), 0.3);
            [new.mean, new.variance, new.weight].concat()
        }
        "bias" => {
            let prior = prior(&mut random, 20_000);
            let y: Vec<f32> = noise(&mut random, prior.voxels.len()).iter().map(|v| 0.5 + v * 0.6).collect();
            let m = mixture(&mut random);
            widen(&bias_field(&y, &y, &prior, &m, &m)).into_iter().step_by(200).collect()
        }
        "labels" => {
            let mut prior = prior(&mut random, 50_000);
            let y = noise(&mut random, prior.voxels.len());
            let q = sweep(&y, &mut prior, &mixture(&mut random));
            let mut labels = label(&q, &prior);
            let shape = prior.window.shape;
            let corrected = noise(&mut random, labels.len());
            let before = checksum(labels.iter().copied());
            refine_cortex(&mut labels, shape, &corrected, 0.5, 0.9);
            refine_ventricle(&mut labels, shape, &corrected, 0.2, 0.9);
            let mut out = vec![before, checksum(labels.iter().copied())];
            out.extend(widen(&q).into_iter().step_by(997));
            out
        }
        "nearest" => {
            let (from, to) = grids(&mut random);
            let src: Vec<u8> = (0..from.count()).map(|_| random.below(105) as u8).collect();
            nearest(&src, &from, &to).unwrap_or_default().iter().map(|&v| f64::from(v)).collect()
        }
        "lncc" => {
            let n = 13 * 11 * 9;
            let (image, template) = (noise(&mut random, n), noise(&mut random, n));
            let mut lncc = Lncc::new(template, noise(&mut random, n), [13, 11, 9], 2);
            let mut slope = vec![0f32; 143];
            let mut out = vec![lncc.correlate(&image)];
            lncc.gradient_slice(&image, 4, &mut slope);
            out.extend(widen(&slope));
            out
        }
        "warp" => {
            let velocity = [0; 3].map(|_| {
                let mut v: Vec<f32> = noise(&mut random, COUNT).iter().map(|v| 60.0 * (v - 0.5)).collect();
                gaussian(&mut v, velocity_grid::SHAPE, [2.0; 3], 1);
                v
            });
            let map = Displacement::exponential(&velocity, -1.0);
            let mut out = widen(&map.jacobian()).into_iter().step_by(499).collect::<Vec<_>>();
            out.extend(map.displaced([12.5, -30.2, 7.1]));
            out
        }
        "distance" => {
            let marks: Vec<u8> = (0..1200).map(|_| u8::from(random.unit() < 0.03)).collect();
            squared_distance(&marks, [12, 10, 10], |m| m == 1).iter().map(|&d| f64::from(d)).collect()
        }
        "thickness" => {
            let (labels, corrected, shape) = shell(&mut random);
            let input = thickness::Input {
                labels: &labels,
                unrefined: &labels,
                corrected: &corrected,
                shape,
                grey: 0.7,
                white: 1.0,
                fluid: 0.3,
            };
            let found = thickness::measure(&input);
            let mut out = found.side_mm.to_vec();
            out.extend(widen(&found.mm).into_iter().step_by(211));
            out
        }
        "surface" => {
            let (labels, corrected, shape) = shell(&mut random);
            match surface::extract(&labels, shape, &corrected, &Affine::IDENTITY, 600) {
                Ok(mesh) => {
                    let mut out = vec![mesh.faces.len() as f64, mesh.euler as f64];
                    out.extend(mesh.faces.iter().step_by(7).map(|&v| f64::from(v)));
                    out.extend(widen(&mesh.vertices).into_iter().step_by(3));
                    out.extend(widen(&mesh.values).into_iter().step_by(5));
                    out
                }
                Err(_) => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// A ball of left white matter in a shell of cortex, with noise: labels, intensities, shape.
fn shell(random: &mut Random) -> (Vec<u8>, Vec<f32>, Shape) {
    let shape: Shape = [30, 28, 26];
    let centre = [0; 3].map(|_| random.range(12.5, 13.5));
    let (mut labels, mut corrected) = (Vec::new(), Vec::new());
    for at in 0..30 * 28 * 26 {
        let p = [at % 30, at / 30 % 28, at / (30 * 28)];
        let r = (0..3).map(|a| (p[a] as f64 - centre[a]).powi(2)).sum::<f64>().sqrt();
        let (label, level) = match r {
            r if r < 7.0 => (1, 1.0),
            r if r < 9.6 => (39, 0.7),
            _ => (0, 0.2),
        };
        labels.push(label);
        corrected.push((level + random.range(-0.04, 0.04)) as f32);
    }
    (labels, corrected, shape)
}

fn widen(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| f64::from(v)).collect()
}

fn noise(random: &mut Random, n: usize) -> Vec<f32> {
    (0..n).map(|_| random.unit() as f32).collect()
}

/// Depends on every value and its place; exact in f64.
fn checksum(values: impl Iterator<Item = u8>) -> f64 {
    let sum = values.fold(0u64, |h, v| (h * 31 + u64::from(v) + 1) % 1_000_000_007);
    sum as f64
}

/// An oblique left-handed source and an aligned target.
fn grids(random: &mut Random) -> (Grid, Grid) {
    let axes = [[-1.1, 0.2, 0.1], [0.15, 1.2, -0.3], [0.1, 0.3, 1.4]];
    let shift = [0; 3].map(|_| random.range(-1.0, 1.0));
    let from =
        Grid { shape: [9, 8, 7], ras_from_ijk: Affine::from_parts(axes, [4.0 + shift[0], -5.0, -4.0]) };
    let unit = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
    let to = Grid {
        shape: [8, 8, 8],
        ras_from_ijk: Affine::from_parts(unit, [-4.0, shift[1] - 4.0, shift[2] - 4.0]),
    };
    (from, to)
}

fn level(random: &mut Random) -> Level {
    let shape: Shape = [14, 16, 15];
    let mut subject = noise(random, 14 * 16 * 15);
    gaussian(&mut subject, shape, [2.0; 3], 1);
    let points = (0..300).map(|_| [0; 3].map(|_| random.range(-6.0, 6.0))).collect();
    let (template, weight) = (noise(random, 300), noise(random, 300));
    let axes = [[-0.9, 0.1, 0.], [0., 0.2, 1.], [0.1, -1.1, 0.1]];
    Level {
        points,
        template,
        weight,
        subject: subject.into(),
        shape,
        ijk_from_ras: Affine::from_parts(axes, [7.0, 8.0, 7.2]),
    }
}

fn mixture(random: &mut Random) -> Mixture {
    let mut m = Mixture { mean: [0.0; LANES], variance: [1.0; LANES], weight: [1.0; LANES] };
    for l in 0..LANES - 1 {
        m.mean[l] = random.range(0.1, 1.1);
        m.variance[l] = random.range(0.004, 0.02);
    }
    m.weight[..3].copy_from_slice(&[0.2, 0.5, 0.3]);
    m
}

/// Random candidates with random classes and labels that fit them.
fn prior(random: &mut Random, n: usize) -> Prior {
    let window = Window { low: [60, 70, 50], shape: [40, 38, 36] };
    let mut voxels: Vec<u32> = (0..n).map(|_| random.below(window.count()) as u32).collect();
    voxels.sort_unstable();
    voxels.dedup();
    let (mut class, mut best) = (Vec::new(), Vec::new());
    for _ in &voxels {
        let row = [0; CLASSES].map(|_| random.unit().powi(6));
        let total: f64 = row.iter().sum();
        class.extend(row.map(|v| (v / total) as f32));
        best.extend([0, 40, 5, 1, 3, 31, 7, 9, 11, 13, 19, 15, 105]);
    }
    Prior { window, voxels, class, best }
}

/// Compares with the stored figures. `SULCUS_STORE_VECTORS=1 cargo test -p analysis vector_reproduces` writes them anew;
/// that changes results and belongs in a commit of its own.
#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/vectors.txt");
    const SEEDS: [u32; 2] = [7, 20_261_121];

    #[test]
    fn vector_reproduces_the_stored_figures() {
        let mut text = String::new();
        for name in NAMES {
            for seed in SEEDS {
                write!(text, "{name} {seed}").unwrap();
                let values = vector(name, seed);
                assert!(!values.is_empty(), "{name}");
                values.iter().for_each(|v| write!(text, " {v:?}").unwrap());
                text.push('\n');
            }
        }
        if std::env::var_os("SULCUS_STORE_VECTORS").is_some() {
            std::fs::write(FILE, &text).unwrap();
        }
        let stored = std::fs::read_to_string(FILE).unwrap();
        for (line, want) in text.lines().zip(stored.lines()) {
            let (mut got, mut expected) = (line.split(' '), want.split(' '));
            assert_eq!(got.next(), expected.next());
            for (a, b) in got.zip(expected) {
                let (a, b): (f64, f64) = (a.parse().unwrap(), b.parse().unwrap());
                assert!((a - b).abs() <= 1e-6 * b.abs().max(1e-3), "{}: {a} {b}", &want[..20]);
            }
            assert_eq!(line.split(' ').count(), want.split(' ').count());
        }
        assert_eq!(text.lines().count(), stored.lines().count());
    }
}
