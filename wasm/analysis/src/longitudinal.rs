//! Several visits of one patient measured alike: all are brought to the space in their middle by one interpolation
//! each, their mean is registered to the template once, and every visit is segmented from the same start: the mean's intensity
//! scale, classes and deformation, of which a visit's own may differ a little. What differs between the visits is then
//! the patient and not the registration.
//!
//! # Source
//! Reuter et al. 2012, doi:10.1016/j.neuroimage.2012.02.084 (an unbiased template within the subject). Differs: rigid
//! registration by correlation.

use crate::affine::{prepare, register};
use crate::aligned::aligned;
use crate::atlas::{Atlas, ATLAS_SHAPE};
use crate::bias::level_with;
use crate::boundary::{refine_cortex, refine_ventricle};
use crate::conform::{conform, conform_onto, conformed_around, Conformed, Voxel, SIDE};
use crate::deform::{deform, deform_from, Deformation};
use crate::em::{fit, fit_from, intensities, Fit};
use crate::halfway::{affine_about, motion_near, register_halfway, scaled, Motion};
use crate::midspace::visits_from_middle;
use crate::mrf;
use crate::percentile::percentile_of_histogram;
use crate::pipeline::LABEL_COUNT;
use crate::prior::{sample_prior, Prior};
use crate::rims::{expected_side, release_rims, Levels};
use crate::start::{check_field_of_view, find_head};
use crate::thickness;
use volume::{Affine, Error, Grid};

/// Visits of one patient.
pub const MOST_VISITS: usize = 8;
/// Points of the brain that steer a registration, at most.
const MAX_POINTS: usize = 60_000;
/// White matter of the mean image on its way to bytes; the brightest tissue stays below 255.
const WHITE_LEVEL: f32 = 150.0;
/// Prior above which an atlas voxel is certainly white matter.
const CERTAIN: f32 = 0.9;

/// One visit as it was found: the 2 mm image that registrations use, and where the atlas lies in it.
struct Located {
    source: Grid,
    image: Vec<f32>,
    grid: Grid,
    subject_from_atlas: Affine,
    ncc: f64,
}

/// The common space: how it maps to each visit, and its grid.
struct Middle {
    visit_from_middle: Vec<Affine>,
    grid: Grid,
}

/// What the mean image taught.
struct Learned {
    prior: Prior,
    fit: Fit,
}

/// One visit measured in the common space.
#[derive(Debug, Clone)]
pub struct Measured {
    /// By label, 105 values; background is 0.
    pub volumes_mm3: Vec<f64>,
    /// Mean cortical thickness by label; 0 where it is not measured.
    pub thickness_mm: [f64; 105],
    /// Left and right.
    pub side_mm: [f64; 2],
    /// By class 1..12 after the fit; index 0 is unused.
    pub class_means: Vec<f64>,
    pub converged: bool,
}

/// All visits of one patient. Order: `locate` each, `register_visits`, `place` each, `average`, `deform_mean`,
/// `fit_mean`, `measure` each. A visit's voxels are given twice, to `locate` and to `place`, so that no source is kept.
pub struct Longitudinal {
    atlas: Atlas,
    located: Vec<Located>,
    middle: Option<Middle>,
    /// Bytes of each visit on the middle's grid.
    placed: Vec<Option<Vec<u8>>>,
    mean: Option<Conformed>,
    mean_from_atlas: Option<Affine>,
    deformation: Option<Deformation>,
    learned: Option<Learned>,
    bias_correction: bool,
}

fn missing(stage: &str) -> Error {
    Error::misuse(format!("Cannot run stage: {stage} has not run"))
}

impl Longitudinal {
    pub fn new(atlas: Atlas) -> Self {
        Self {
            atlas,
            located: Vec::new(),
            middle: None,
            placed: Vec::new(),
            mean: None,
            mean_from_atlas: None,
            deformation: None,
            learned: None,
            bias_correction: true,
        }
    }

    /// Adds a visit: finds the brain in it. The source's voxels are not kept.
    ///
    /// # Errors
    /// As `conform::conform`, `start::check_field_of_view` and `affine::register`; `internal` above MOST_VISITS.
    pub fn locate<T: Voxel>(&mut self, voxels: &[T], source: Grid) -> Result<(), Error> {
        if self.located.len() == MOST_VISITS {
            return Err(Error::misuse(format!("Cannot add visit: at most {MOST_VISITS}")));
        }
        let conformed = conform(voxels, &source)?;
        let (image, grid) = prepare(&conformed.voxels, &conformed.grid)?;
        drop(conformed);
        check_field_of_view(&find_head(&image, &grid)?, &source)?;
        let found = register(&image, &grid, &self.atlas)?;
        let subject_from_atlas = found.subject_from_atlas;
        self.located.push(Located { source, image, grid, subject_from_atlas, ncc: found.ncc });
        Ok(())
    }

    /// Registers every visit to the first and finds the space in the middle of all; frees the images.
    ///
    /// # Errors
    /// `internal` below two visits; `volume.affine_singular`.
    pub fn register_visits(&mut self) -> Result<(), Error> {
        if self.located.len() < 2 {
            return Err(Error::misuse("Cannot register visits: fewer than two"));
        }
        let brain = self.brain_points();
        let first = &self.located[0];
        let mut from_first = vec![Affine::IDENTITY];
        for other in &self.located[1..] {
            from_first.push(rigid_between(first, other, &brain)?);
        }
        // The atlas's middle of the brain as every visit sees it, so that no visit decides alone.
        let heart = mean_point(&brain);
        let seen = self
            .located
            .iter()
            .zip(&from_first)
            .map(|(visit, map)| Ok(map.invert()?.apply(visit.subject_from_atlas.apply(heart))));
        let centre = mean_point(&seen.collect::<Result<Vec<_>, Error>>()?);
        let visit_from_middle = visits_from_middle(&from_first, centre)?;
        let place = visit_from_middle[0].invert()?.apply(centre);
        self.middle = Some(Middle { visit_from_middle, grid: conformed_around(place) });
        self.placed = vec![None; self.located.len()];
        self.located.iter_mut().for_each(|visit| visit.image = Vec::new());
        Ok(())
    }

    /// Atlas points inside the dura, evenly thinned.
    fn brain_points(&self) -> Vec<[f64; 3]> {
        let [nx, ny, _] = ATLAS_SHAPE;
        let inside: Vec<[f64; 3]> = (0..ATLAS_SHAPE.iter().product())
            .filter(|&v| self.atlas.outside(v) < 0.5)
            .map(|v| Atlas::mm([v % nx, v / nx % ny, v / (nx * ny)].map(|c| c as f64)))
            .collect();
        let thin = inside.len().div_ceil(MAX_POINTS).max(1);
        inside.into_iter().step_by(thin).collect()
    }

    /// Resamples a visit from its source onto the middle's grid: the only interpolation its intensities go through.
    ///
    /// # Errors
    /// As `conform::conform_onto`; `internal` for a visit or source that `locate` has not seen.
    pub fn place<T: Voxel>(&mut self, visit: usize, voxels: &[T]) -> Result<(), Error> {
        let middle = self.middle.as_ref().ok_or_else(|| missing("register_visits"))?;
        let located = self.located.get(visit).ok_or_else(|| Error::misuse("Cannot place: no such visit"))?;
        let to_middle = middle.visit_from_middle[visit].invert()?;
        let moved = Grid { ras_from_ijk: to_middle.compose(&located.source.ras_from_ijk), ..located.source };
        self.placed[visit] = Some(conform_onto(voxels, &moved, &middle.grid)?);
        Ok(())
    }

    /// Averages the placed visits, each scaled by its white matter, and registers the mean to the template.
    ///
    /// # Errors
    /// `internal` when a visit was not placed; as `affine::register`.
    pub fn average(&mut self) -> Result<(), Error> {
        let middle = self.middle.as_ref().ok_or_else(|| missing("register_visits"))?;
        let white = self.white_points();
        let mut sum = vec![0f32; middle.grid.count()];
        for (visit, bytes) in self.placed.iter().enumerate() {
            let bytes = bytes.as_ref().ok_or_else(|| missing("place"))?;
            let map = middle.visit_from_middle[visit].invert()?;
            let ijk_from_atlas = middle
                .grid
                .ras_from_ijk
                .invert()?
                .compose(&map)
                .compose(&self.located[visit].subject_from_atlas);
            let scale = WHITE_LEVEL / median_at(bytes, &middle.grid, &ijk_from_atlas, &white)?;
            let scale = scale / self.placed.len() as f32;
            parallel::for_each_chunk(&mut sum, PART, |part, piece| {
                let from = &bytes[part * PART..];
                piece.iter_mut().zip(from).for_each(|(s, &b)| *s += scale * f32::from(b));
            });
        }
        let mut voxels = vec![0u8; sum.len()];
        parallel::for_each_chunk(&mut voxels, PART, |part, piece| {
            piece.iter_mut().zip(&sum[part * PART..]).for_each(|(v, &s)| *v = (s + 0.5).min(255.0) as u8);
        });
        drop(sum);
        let (image, grid) = prepare(&voxels, &middle.grid)?;
        let found = register(&image, &grid, &self.atlas)?;
        self.mean_from_atlas = Some(found.subject_from_atlas);
        self.mean = Some(Conformed { voxels, grid: middle.grid });
        Ok(())
    }

    /// Atlas points that are certainly cerebral white matter.
    fn white_points(&self) -> Vec<[f64; 3]> {
        let [nx, ny, _] = ATLAS_SHAPE;
        let white: Vec<bool> =
            self.atlas.slots.label_of.iter().map(|&label| label == 1 || label == 2).collect();
        (0..ATLAS_SHAPE.iter().product())
            .filter(|&v| {
                let listed = self.atlas.listed_slot[v].iter().zip(&self.atlas.listed_weight[v]);
                listed.filter(|(&slot, _)| white[slot as usize]).map(|(_, &w)| w).sum::<f32>() > CERTAIN
            })
            .map(|v| Atlas::mm([v % nx, v / nx % ny, v / (nx * ny)].map(|c| c as f64)))
            .collect()
    }

    /// Deforms the template to the mean.
    ///
    /// # Errors
    /// As `aligned::aligned`.
    pub fn deform_mean(&mut self) -> Result<(), Error> {
        let mean = self.mean.as_ref().ok_or_else(|| missing("average"))?;
        let map = self.mean_from_atlas.as_ref().ok_or_else(|| missing("average"))?;
        let image = aligned(&mean.voxels, &mean.grid, map)?;
        self.deformation = Some(deform(&image, &self.atlas));
        Ok(())
    }

    /// Brings the prior to the middle and fits the mean, which every visit starts from; frees the mean.
    ///
    /// # Errors
    /// As `prior::sample_prior` and `em::fit`.
    pub fn fit_mean(&mut self, bias_correction: bool) -> Result<(), Error> {
        let mean = self.mean.take().ok_or_else(|| missing("average"))?;
        let map = self.mean_from_atlas.ok_or_else(|| missing("average"))?;
        let warp = self.deformation.as_ref().ok_or_else(|| missing("deform_mean"))?.to_atlas();
        let prior = sample_prior(&self.atlas, &mean.grid, &map, Some(&warp))?;
        let fit = fit(&mean.voxels, &prior, bias_correction)?;
        self.bias_correction = bias_correction;
        self.learned = Some(Learned { prior, fit });
        Ok(())
    }

    /// Segments one visit from what the mean taught; frees its voxels.
    ///
    /// # Errors
    /// As `em::fit`; `internal` when it was not placed or is measured already.
    pub fn measure(&mut self, visit: usize) -> Result<Measured, Error> {
        let bytes = self.placed.get_mut(visit).and_then(Option::take).ok_or_else(|| missing("place"))?;
        let Learned { prior, fit } = self.learned.as_ref().ok_or_else(|| missing("fit_mean"))?;
        let map = self.mean_from_atlas.as_ref().ok_or_else(|| missing("average"))?;
        let grid = self.middle.as_ref().ok_or_else(|| missing("register_visits"))?.grid;
        let mean = self.deformation.as_ref().ok_or_else(|| missing("deform_mean"))?;
        let mut intensity = intensities(&bytes, prior)?;
        if self.bias_correction {
            level_with(&mut intensity, &fit.corrected, prior);
        }
        // What moved between the visits moves the prior of each a little: an edge between tissues of equal brightness
        // is seen by nothing else.
        let own = deform_from(&aligned(&bytes, &grid, map)?, &self.atlas, mean).to_atlas();
        let mut own = sample_prior(&self.atlas, &grid, map, Some(&own))?;
        let intensity = carried(&bytes, &intensity, prior, &own);
        drop(bytes);
        let fitted = fit_from(intensity, &own, false, Some(&fit.mixture))?;
        let expected = expected_side(&own);
        let mut labels = mrf::label(&mrf::sweep(&fitted.corrected, &mut own, &fitted.used), &own);
        let prior = own;
        let shape = prior.window.shape;
        let mut corrected = vec![0f32; prior.window.count()];
        prior.voxels.iter().zip(&fitted.corrected).for_each(|(&at, &y)| corrected[at as usize] = y);
        let unrefined = labels.clone();
        let [grey, white, fluid] = [1, 3, 11].map(|k| fitted.mixture.class_mean(k) as f32);
        refine_cortex(&mut labels, shape, &corrected, grey, white);
        refine_ventricle(&mut labels, shape, &corrected, fluid, white);
        release_rims(&mut labels, shape, &corrected, &Levels::of(&fitted.mixture), &expected);
        let mut volumes_mm3 = vec![0f64; LABEL_COUNT];
        let inside = labels.iter().filter(|&&l| l > 0 && usize::from(l) < LABEL_COUNT);
        inside.for_each(|&l| volumes_mm3[usize::from(l)] += 1.0);
        let located = self.located.get(visit).ok_or_else(|| missing("locate"))?;
        let is_measurable = thickness::is_measurable(&located.source);
        let input = thickness::Input {
            labels: &labels,
            unrefined: &unrefined,
            corrected: &corrected,
            shape,
            grey,
            white,
            fluid,
        };
        let measured = is_measurable.then(|| thickness::measure(&input));
        Ok(Measured {
            volumes_mm3,
            thickness_mm: measured.as_ref().map_or([0.0; 105], |thickness| thickness.mean_mm),
            side_mm: measured.map_or([0.0; 2], |thickness| thickness.side_mm),
            class_means: (0..13).map(|k| if k == 0 { 0.0 } else { fitted.mixture.class_mean(k) }).collect(),
            converged: fitted.converged,
        })
    }

    /// Hull of the mean: one intracranial volume for all visits; 0 before `fit_mean`.
    pub fn icv_mm3(&self) -> f64 {
        self.learned.as_ref().map_or(0.0, |learned| learned.prior.inside_dura() as f64)
    }

    /// Number of located visits.
    pub fn visits(&self) -> usize {
        self.located.len()
    }

    /// Correlation of each visit with the template.
    pub fn ncc(&self) -> Vec<f64> {
        self.located.iter().map(|visit| visit.ncc).collect()
    }

    /// RAS mm of the middle to RAS mm of a visit; `None` before `register_visits`.
    pub fn visit_from_middle(&self, visit: usize) -> Option<Affine> {
        self.middle.as_ref().and_then(|middle| middle.visit_from_middle.get(visit).copied())
    }
}

/// Voxels of one part of a pass.
const PART: usize = 1 << 18;

fn mean_point(points: &[[f64; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|a| points.iter().map(|p| p[a]).sum::<f64>() / points.len().max(1) as f64)
}

/// Rigid map between two visits from where the atlas lies in each. Exchanging the visits inverts it.
fn rigid_between(first: &Located, second: &Located, brain: &[[f64; 3]]) -> Result<Affine, Error> {
    let second_from_first = second.subject_from_atlas.compose(&first.subject_from_atlas.invert()?);
    let heart = mean_point(brain);
    let places = [first, second].map(|visit| visit.subject_from_atlas.apply(heart));
    let centre = mean_point(&places);
    let mut start: Motion = motion_near(&second_from_first, centre);
    (0..3).for_each(|a| start[3 + a] = places[1][a] - places[0][a]);
    // Where both visits expect a point of the brain, halfway between: neither chooses the points.
    let half = [-0.5, 0.5].map(|sign| affine_about(&scaled(&start, sign), centre));
    let to_halfway = [
        half[0].invert()?.compose(&first.subject_from_atlas),
        half[1].invert()?.compose(&second.subject_from_atlas),
    ];
    let points: Vec<[f64; 3]> = brain
        .iter()
        .map(|&m| half[0].apply(mean_point(&[to_halfway[0].apply(m), to_halfway[1].apply(m)])))
        .collect();
    let images = [(&first.image[..], &first.grid), (&second.image[..], &second.grid)];
    register_halfway(images[0], images[1], &points, &start, centre)?.second_from_first()
}

/// Levelled intensities of one prior's candidates at those of another; a candidate that the first does not have gets its
/// byte on the mean scale.
fn carried(bytes: &[u8], levelled: &[f32], from: &Prior, to: &Prior) -> Vec<f32> {
    let place = |prior: &Prior, at: u32| {
        let [i, j, k] = prior.window.ijk(at as usize);
        i + SIDE * (j + SIDE * k)
    };
    let mut whole = vec![f32::NAN; bytes.len()];
    let (mut sum, mut total) = (0.0, 0.0);
    for (&at, &y) in from.voxels.iter().zip(levelled) {
        let v = place(from, at);
        whole[v] = y;
        sum += f64::from(y);
        total += f64::from(bytes[v]);
    }
    let scale = (sum / f64::max(total, 1.0)) as f32;
    let value = |v: usize| if whole[v].is_nan() { scale * f32::from(bytes[v]) } else { whole[v] };
    to.voxels.iter().map(|&at| value(place(to, at))).collect()
}

/// Median byte at the mapped points.
///
/// # Errors
/// `engine.unsupported_input` (`contrast`) when it is 0.
fn median_at(bytes: &[u8], grid: &Grid, ijk_from_atlas: &Affine, points: &[[f64; 3]]) -> Result<f32, Error> {
    let mut counts = [0u64; 256];
    for &point in points {
        let p = ijk_from_atlas.apply(point).map(f64::round);
        if (0..3).all(|a| p[a] >= 0.0 && p[a] < grid.shape[a] as f64) {
            let [i, j, k] = p.map(|v| v as usize);
            counts[bytes[grid.index(i, j, k)] as usize] += 1;
        }
    }
    match percentile_of_histogram(&counts, 50.0) {
        Some(median) if median > 0.0 => Ok(median as f32),
        _ => Err(Error::unsupported("contrast", "Cannot average visits: white matter is black or absent")),
    }
}

#[cfg(test)]
#[path = "longitudinal_tests.rs"]
mod tests;
