//! Two FLAIR series in the space halfway between them, on voxels of 1 mm, equally blurred.

use crate::atlas::Atlas;
use crate::flair::tissue::TissuePriors;
use crate::flair::Flair;
use crate::registration::affine::{prepare, register};
use crate::tissue::prior::{sample_prior, Window};
use crate::visits::midspace::visits_from_middle;
use crate::visits::visit::{brain_points, mean_point, rigid_between, LocatedVisit};
use crate::voxels::conform::{conform, conformed_around};
use crate::voxels::filter::gaussian;
use crate::voxels::interpolate::resample;
use volume::{Affine, Error, Grid};

/// Width at half height of a Gaussian in standard deviations.
const WIDTH: f64 = 2.355;
/// Blur that changes nothing, voxels.
const LEAST_SIGMA: f64 = 0.15;
/// Correlation of the two series in the halfway space, at least.
const LEAST_NCC: f64 = 0.6;

/// Both series in the halfway space.
pub struct Placed {
    /// The window's voxels: 1 mm.
    pub grid: Grid,
    /// Arbitrary units; 0 outside a series.
    pub images: [Vec<f32>; 2],
    pub priors: TissuePriors,
    /// Halfway mm to the scanner mm of each series.
    pub visit_from_middle: [Affine; 2],
    pub second_from_first: Affine,
    pub ncc: f64,
}

/// Finds the brain in a series.
///
/// # Errors
/// As `conform::conform` and `affine::register`.
fn locate(flair: &Flair, atlas: &Atlas) -> Result<LocatedVisit, Error> {
    let conformed = conform(flair.voxels, flair.grid)?;
    let (image, grid) = prepare(&conformed.voxels, &conformed.grid)?;
    let found = register(&image, &grid, atlas)?;
    let subject_from_atlas = found.subject_from_atlas;
    Ok(LocatedVisit { source: *flair.grid, image, grid, subject_from_atlas, ncc: found.ncc })
}

/// Registers two series rigidly and brings both halfway.
///
/// # Errors
/// As `locate`; `engine.unsupported_input` (`flair registration`) when they are not alike there; `volume.affine_singular`.
pub fn place(series: [&Flair; 2], atlas: &Atlas) -> Result<Placed, Error> {
    let located = [locate(series[0], atlas)?, locate(series[1], atlas)?];
    let brain = brain_points(atlas);
    let second_from_first = rigid_between(&located[0], &located[1], &brain)?;
    let brain_centre = mean_point(&brain);
    let seen = [
        located[0].subject_from_atlas.apply(brain_centre),
        second_from_first.invert()?.apply(located[1].subject_from_atlas.apply(brain_centre)),
    ];
    let centre = mean_point(&seen);
    let maps = visits_from_middle(&[Affine::IDENTITY, second_from_first], centre)?;
    let visit_from_middle = [maps[0], maps[1]];
    let to_middle = [maps[0].invert()?, maps[1].invert()?];
    let grid = conformed_around(to_middle[0].apply(centre));
    // where the template lies, from both series alike
    let atlas_maps = [0, 1].map(|v| to_middle[v].compose(&located[v].subject_from_atlas));
    let middle_from_atlas =
        Affine(std::array::from_fn(|at| 0.5 * (atlas_maps[0].0[at] + atlas_maps[1].0[at])));
    drop(located);
    let prior = sample_prior(atlas, &grid, &middle_from_atlas, None)?;
    let (window, priors) = (prior.window, TissuePriors::new(&prior));
    drop(prior);
    let grid = window_grid(&grid, &window);
    let images = [
        resample_alike(series[0], series[1], &to_middle, &grid)?,
        resample_alike(series[1], series[0], &[to_middle[1], to_middle[0]], &grid)?,
    ];
    let ncc = correlation(&images, &priors);
    if ncc.is_nan() || ncc < LEAST_NCC {
        let message = format!("Cannot compare the FLAIRs: correlation {ncc:.2}");
        return Err(Error::unsupported("flair registration", message));
    }
    Ok(Placed { grid, images, priors, visit_from_middle, second_from_first, ncc })
}

/// The grid of a window's own voxels.
fn window_grid(grid: &Grid, window: &Window) -> Grid {
    let mut ras_from_ijk = grid.ras_from_ijk;
    let origin = grid.ras_from_ijk.apply(window.low.map(|v| v as f64));
    (0..3).for_each(|r| ras_from_ijk.0[12 + r] = origin[r]);
    Grid { shape: window.shape, ras_from_ijk }
}

/// A series on the halfway grid, blurred along each of its axes to the other's resolution where that is coarser: what one
/// series cannot show must not be a difference.
fn resample_alike(
    own: &Flair,
    other: &Flair,
    to_middle: &[Affine; 2],
    grid: &Grid,
) -> Result<Vec<f32>, Error> {
    let moved =
        [own.grid, other.grid].into_iter().zip(to_middle).map(|(g, map)| map.compose(&g.ras_from_ijk));
    let moved: Vec<Affine> = moved.collect();
    let (mm, other_mm) = (own.grid.ras_from_ijk.spacing_mm(), other.grid.ras_from_ijk.spacing_mm());
    let axis = |map: &Affine, a: usize, mm: f64| [0, 1, 2].map(|r| map.at(r, a) / mm);
    let sigma = [0, 1, 2].map(|a| {
        let along = axis(&moved[0], a, mm[a]);
        let seen: f64 = (0..3)
            .map(|b| {
                let direction = axis(&moved[1], b, other_mm[b]);
                let cosine: f64 = (0..3).map(|r| along[r] * direction[r]).sum();
                (cosine * other_mm[b]).powi(2)
            })
            .sum();
        let sigma = (seen - mm[a] * mm[a]).max(0.0).sqrt() / WIDTH / mm[a];
        if sigma < LEAST_SIGMA {
            0.0
        } else {
            sigma
        }
    });
    let mut voxels = own.voxels.to_vec();
    gaussian(&mut voxels, own.grid.shape, sigma, 1);
    resample(&voxels, &Grid { shape: own.grid.shape, ras_from_ijk: moved[0] }, grid)
}

/// Correlation where both show the brain.
fn correlation(images: &[Vec<f32>; 2], priors: &TissuePriors) -> f64 {
    let (mut n, mut sum, mut square, mut both) = (0.0f64, [0.0f64; 2], [0.0f64; 2], 0.0f64);
    for (at, (&a, &b)) in images[0].iter().zip(&images[1]).enumerate() {
        if is_tissue(priors, at) && a > 0.0 && b > 0.0 {
            let (a, b) = (f64::from(a), f64::from(b));
            n += 1.0;
            sum = [sum[0] + a, sum[1] + b];
            square = [square[0] + a * a, square[1] + b * b];
            both += a * b;
        }
    }
    let spread = [0, 1].map(|v| (square[v] - sum[v] * sum[v] / n).max(0.0).sqrt());
    (both - sum[0] * sum[1] / n) / (spread[0] * spread[1])
}

/// More likely brain or ventricle than not.
pub fn is_tissue(priors: &TissuePriors, at: usize) -> bool {
    let of = |map: &[u8]| u32::from(map[at]);
    of(&priors.white) + of(&priors.ventricle) + of(&priors.cortex) + of(&priors.deep) + of(&priors.cerebellum)
        > 127
}
