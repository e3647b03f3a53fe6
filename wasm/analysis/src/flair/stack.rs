//! What the lesion rules know about each FLAIR voxel inside the brain.

use super::{split, Flair, T1Side};
use crate::atlas::OUTER_CSF;
use crate::voxels::edt::squared_distance;
use crate::voxels::sample::Cell;
use volume::{Affine, Error};

/// One FLAIR voxel whose nearest voxel of the window is labelled brain, or fluid around it.
#[derive(Clone, Copy)]
pub struct Place {
    /// Index in the FLAIR.
    pub at: u32,
    /// Corrected T1 intensity, trilinear.
    pub t1: f32,
    /// Squared distance to the nearest voxel outside the brain and to a lateral ventricle, mm².
    pub surface_mm2: u16,
    pub ventricle_mm2: u16,
    pub label: u8,
    /// Priors of 255, trilinear.
    pub white: u8,
    pub ventricle: u8,
    pub cortex: u8,
    pub deep: u8,
    pub cerebellum: u8,
}

/// Labels that are brain: tissue and ventricles, not the fluid around them.
pub fn is_brain(label: u8) -> bool {
    label != 0 && label != OUTER_CSF
}

/// FLAIR voxels in ascending order, with priors and labels brought to them through the registration.
pub struct Places {
    pub brain: Vec<Place>,
    /// Labelled fluid around the brain.
    pub fluid: Vec<Place>,
}

/// The places of a series.
///
/// # Errors
/// `volume.affine_singular`.
pub fn places(flair: &Flair, t1: &T1Side, t1_from_flair: &Affine) -> Result<Places, Error> {
    let shape = t1.window.shape;
    let ijk = t1.grid.ras_from_ijk.invert()?.compose(t1_from_flair).compose(&flair.grid.ras_from_ijk);
    let surface = squared_distance(t1.labels, shape, |l| !is_brain(l));
    let ventricle = split::to_ventricle(t1.labels, shape);
    let [nx, ny, nz] = flair.grid.shape;
    let slices = parallel::map(nz, |k| {
        let mut found = Vec::new();
        for j in 0..ny {
            for i in 0..nx {
                let p = ijk.apply([i as f64, j as f64, k as f64]);
                let p = [0, 1, 2].map(|a| p[a] - t1.window.low[a] as f64);
                if (0..3).any(|a| p[a] < 0.0 || p[a] > (shape[a] - 1) as f64) {
                    continue;
                }
                let q = p.map(|v| (v + 0.5) as usize);
                let near = q[0] + shape[0] * (q[1] + shape[1] * q[2]);
                if t1.labels[near] == 0 {
                    continue;
                }
                let corners = Cell::clamped(shape, p).corners();
                let byte = |map: &[u8]| {
                    (corners.iter().map(|&(at, w)| w * f32::from(map[at])).sum::<f32>() + 0.5) as u8
                };
                found.push(Place {
                    at: flair.grid.index(i, j, k) as u32,
                    t1: corners.iter().map(|&(at, w)| w * t1.corrected[at]).sum(),
                    surface_mm2: surface[near],
                    ventricle_mm2: ventricle[near],
                    label: t1.labels[near],
                    white: byte(&t1.priors.white),
                    ventricle: byte(&t1.priors.ventricle),
                    cortex: byte(&t1.priors.cortex),
                    deep: byte(&t1.priors.deep),
                    cerebellum: byte(&t1.priors.cerebellum),
                });
            }
        }
        found
    });
    let (brain, fluid) = slices.concat().into_iter().partition(|p| is_brain(p.label));
    Ok(Places { brain, fluid })
}
