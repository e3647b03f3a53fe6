//! Several visits of one patient measured alike: all are brought to the space in their middle by one interpolation
//! each, their mean is registered to the template once, and every visit is segmented from the same start: the mean's prior,
//! intensity scale and classes. What differs between the visits is then the patient and not the registration.
//!
//! Order: `Visits::locate` each, `Visits::register`, `PlacedVisits::place` each, `PlacedVisits::analyze`. A visit's voxels are
//! given twice, to `locate` and to `place`, so that no source is kept.
//!
//! # Source
//! Reuter et al. 2012, doi:10.1016/j.neuroimage.2012.02.084 (an unbiased template within the subject). Differs: rigid
//! registration by correlation.

use crate::atlas::{Atlas, LABEL_COUNT};
use crate::network::fusion::{Fusion, NetworkPosteriors, FUSED};
use crate::network::half_box;
use crate::registration::affine::{prepare, register};
use crate::registration::aligned::resample_to_atlas;
use crate::registration::deform::{deform, Deformation};
use crate::registration::start::{check_field_of_view, find_head};
use crate::thickness;
use crate::tissue::bias::level_with;
use crate::tissue::em::{fit, fit_from, intensities, Fit};
use crate::tissue::prior::{sample_prior, Prior};
use crate::tissue::rims::expected_side;
use crate::tissue::Tissue;
use crate::visits::midspace::visits_from_middle;
use crate::visits::visit::{
    brain_points, mean_point, median_at, rigid_between, white_points, write_levelled, LocatedVisit,
};
use crate::voxels::conform::{conform, conform_onto, conformed_around, Conformed};
use crate::voxels::interpolate::Voxel;
use network::Network;
use volume::{Affine, Error, Grid};

/// Visits of one patient.
pub const MAX_VISITS: usize = 8;
/// White matter of the mean image on its way to bytes; the brightest tissue stays below 255.
const WHITE_LEVEL: f32 = 150.0;
/// Voxels of one part of a pass.
const PART: usize = 1 << 18;

/// One visit measured in the common space.
#[derive(Debug, Clone)]
pub struct MeasuredVisit {
    /// By label, 105 values; background is 0.
    pub volumes_mm3: Vec<f64>,
    /// Mean cortical thickness by label; 0 where it is not measured.
    pub thickness_mm: [f64; LABEL_COUNT],
    /// Left and right.
    pub side_mm: [f64; 2],
    pub converged: bool,
}

/// All visits, in the order in which they were placed.
pub struct LongitudinalOutcome {
    /// Hull of the mean: one intracranial volume for all visits.
    pub icv_mm3: f64,
    pub visits: Vec<MeasuredVisit>,
    /// What came of asking our own network about the mean, where its weights were given: all visits have it, or none.
    pub fusion: Option<Fusion>,
}

/// The visits of one patient, each where it was scanned.
pub struct Visits {
    atlas: Atlas,
    located: Vec<LocatedVisit>,
}

impl Visits {
    pub fn new(atlas: Atlas) -> Self {
        Self { atlas, located: Vec::new() }
    }

    /// Adds a visit: finds the brain in it. The source's voxels are not kept.
    ///
    /// # Errors
    /// As `conform::conform`, `start::check_field_of_view` and `affine::register`; `internal` above MAX_VISITS.
    pub fn locate<T: Voxel>(&mut self, voxels: &[T], source: Grid) -> Result<(), Error> {
        if self.located.len() == MAX_VISITS {
            return Err(Error::misuse(format!("Cannot add visit: at most {MAX_VISITS}")));
        }
        let conformed = conform(voxels, &source)?;
        let (image, grid) = prepare(&conformed.voxels, &conformed.grid)?;
        drop(conformed);
        check_field_of_view(&find_head(&image, &grid)?, &source)?;
        let found = register(&image, &grid, &self.atlas)?;
        let subject_from_atlas = found.subject_from_atlas;
        self.located.push(LocatedVisit { source, image, grid, subject_from_atlas, ncc: found.ncc });
        Ok(())
    }

    /// Registers every visit to the first and finds the space in the middle of all; frees the images.
    ///
    /// # Errors
    /// `internal` below two visits; `volume.affine_singular`.
    pub fn register(self) -> Result<PlacedVisits, Error> {
        let Self { atlas, mut located } = self;
        if located.len() < 2 {
            return Err(Error::misuse("Cannot register visits: fewer than two"));
        }
        let brain = brain_points(&atlas);
        let first = &located[0];
        let mut from_first = vec![Affine::IDENTITY];
        for other in &located[1..] {
            from_first.push(rigid_between(first, other, &brain)?);
        }
        // The atlas's middle of the brain as every visit sees it, so that no visit decides alone.
        let brain_centre = mean_point(&brain);
        let seen = located
            .iter()
            .zip(&from_first)
            .map(|(visit, map)| Ok(map.invert()?.apply(visit.subject_from_atlas.apply(brain_centre))));
        let centre = mean_point(&seen.collect::<Result<Vec<_>, Error>>()?);
        let visit_from_middle = visits_from_middle(&from_first, centre)?;
        let place = visit_from_middle[0].invert()?.apply(centre);
        located.iter_mut().for_each(|visit| visit.image = Vec::new());
        let placed = vec![Vec::new(); located.len()];
        Ok(PlacedVisits { atlas, located, visit_from_middle, grid: conformed_around(place), placed })
    }
}

/// The visits in the space in their middle.
pub struct PlacedVisits {
    atlas: Atlas,
    located: Vec<LocatedVisit>,
    visit_from_middle: Vec<Affine>,
    /// Of the middle.
    grid: Grid,
    /// Bytes of each visit on `grid`; empty before it is placed.
    placed: Vec<Vec<u8>>,
}

impl PlacedVisits {
    /// Resamples a visit from its source onto the middle's grid: the only interpolation its intensities go through.
    ///
    /// # Errors
    /// As `conform::conform_onto`; `internal` for a visit that was not located.
    pub fn place<T: Voxel>(&mut self, visit: usize, voxels: &[T]) -> Result<(), Error> {
        let located = self.located.get(visit).ok_or_else(|| Error::misuse("Cannot place: no such visit"))?;
        let to_middle = self.visit_from_middle[visit].invert()?;
        let moved = Grid { ras_from_ijk: to_middle.compose(&located.source.ras_from_ijk), ..located.source };
        self.placed[visit] = conform_onto(voxels, &moved, &self.grid)?;
        Ok(())
    }

    /// Averages the placed visits, fits the mean, and measures each visit from what the mean taught.
    ///
    /// `deep_weights`: those of our own network; `None` to do without. Its gates judge the mean, and each visit is asked with the
    /// same boxes. `progress` is called on this thread when a stage begins: percent of the whole comparison, and its name.
    ///
    /// # Errors
    /// `internal` when a visit was not placed; as `affine::register`, `prior::sample_prior`, `em::fit` and `fusion::fuse`.
    pub fn analyze(
        self,
        bias_correction: bool,
        deep_weights: Option<&[u8]>,
        mut progress: impl FnMut(f64, &str),
    ) -> Result<LongitudinalOutcome, Error> {
        progress(33.0, "average");
        let image = self.average()?;
        let Self { atlas, located, placed, .. } = self;
        let mean = Mean::register(&atlas, image)?;
        progress(36.0, "deform");
        let deformed = mean.deform()?;
        progress(52.0, "segment");
        let (fitted, fusion) = deformed.fit(bias_correction, deep_weights)?;
        let icv_mm3 = fitted.prior.inside_dura() as f64;
        let visits = placed.into_iter().zip(&located).enumerate();
        let count = located.len() as f64;
        let visits = visits.map(|(visit, (bytes, located))| {
            progress(60.0 + 40.0 * visit as f64 / count, &format!("measure {}", visit + 1));
            fitted.measure(bytes, &located.source)
        });
        Ok(LongitudinalOutcome { icv_mm3, visits: visits.collect::<Result<_, _>>()?, fusion })
    }

    /// Averages the placed visits, each scaled by its white matter.
    ///
    /// # Errors
    /// `internal` when a visit was not placed; as `visit::median_at`.
    fn average(&self) -> Result<Conformed, Error> {
        let white = white_points(&self.atlas);
        let mut sum = vec![0f32; self.grid.count()];
        for (visit, bytes) in self.placed.iter().enumerate() {
            if bytes.is_empty() {
                return Err(Error::misuse("Cannot average visits: one was not placed"));
            }
            let map = self.visit_from_middle[visit].invert()?;
            let ijk_from_atlas = self
                .grid
                .ras_from_ijk
                .invert()?
                .compose(&map)
                .compose(&self.located[visit].subject_from_atlas);
            let scale = WHITE_LEVEL / median_at(bytes, &self.grid, &ijk_from_atlas, &white)?;
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
        Ok(Conformed { voxels, grid: self.grid })
    }
}

/// The mean of the visits, with the affine map of the template.
struct Mean<'a> {
    atlas: &'a Atlas,
    image: Conformed,
    mean_from_atlas: Affine,
}

impl<'a> Mean<'a> {
    /// Registers the template to the mean by an affine map.
    ///
    /// # Errors
    /// As `affine::register`.
    fn register(atlas: &'a Atlas, image: Conformed) -> Result<Self, Error> {
        let (voxels, grid) = prepare(&image.voxels, &image.grid)?;
        let mean_from_atlas = register(&voxels, &grid, atlas)?.subject_from_atlas;
        Ok(Self { atlas, image, mean_from_atlas })
    }

    /// Deforms the template to the mean.
    ///
    /// # Errors
    /// As `aligned::resample_to_atlas`.
    fn deform(self) -> Result<DeformedMean<'a>, Error> {
        let image = resample_to_atlas(&self.image.voxels, &self.image.grid, &self.mean_from_atlas)?;
        Ok(DeformedMean { deformation: deform(&image, self.atlas), mean: self })
    }
}

/// The mean with the nonlinear map of the template.
struct DeformedMean<'a> {
    mean: Mean<'a>,
    deformation: Deformation,
}

impl<'a> DeformedMean<'a> {
    /// Brings the prior to the middle, fits the mean, which every visit starts from, and asks our own network about it; frees
    /// the mean.
    ///
    /// # Errors
    /// As `prior::sample_prior`, `em::fit` and `fusion::fuse`.
    fn fit(
        self,
        bias_correction: bool,
        deep_weights: Option<&[u8]>,
    ) -> Result<(FittedMean, Option<Fusion>), Error> {
        let Self { mean: Mean { atlas, image, mean_from_atlas }, deformation } = self;
        let warp = deformation.to_atlas();
        let prior = sample_prior(atlas, &image.grid, &mean_from_atlas, Some(&warp))?;
        let fit = fit(&image.voxels, &prior, bias_correction)?;
        let (mut deep, mut fusion) = (None, None);
        if let Some(weights) = deep_weights {
            let asked = Deep::ask(weights, atlas, &image, &mean_from_atlas, &prior)?;
            deep = asked.0;
            fusion = Some(asked.1);
        }
        let grid = image.grid;
        Ok((FittedMean { grid, mean_from_atlas, prior, fit, bias_correction, deep }, fusion))
    }
}

/// Our own network, which knew the mean.
struct Deep {
    network: Network,
    /// See `half_box::centre_mm`.
    centre_mm: [f64; 3],
}

impl Deep {
    /// Asks the network about the mean; `None` when it has no part in the visits.
    ///
    /// # Errors
    /// As `NetworkPosteriors::predict`.
    fn ask(
        weights: &[u8],
        atlas: &Atlas,
        image: &Conformed,
        map: &Affine,
        prior: &Prior,
    ) -> Result<(Option<Self>, Fusion), Error> {
        let Ok(network) = Network::new(weights) else { return Ok((None, Fusion::refused("weights"))) };
        let centre_mm = half_box::centre_mm(atlas);
        let seen = NetworkPosteriors::predict(&network, image, map, centre_mm)?;
        let fusion = seen.assess(prior, &network.version, &FUSED);
        Ok((fusion.is_used.then_some(Self { network, centre_mm }), fusion))
    }
}

/// What the mean taught.
struct FittedMean {
    grid: Grid,
    mean_from_atlas: Affine,
    prior: Prior,
    fit: Fit,
    bias_correction: bool,
    deep: Option<Deep>,
}

impl FittedMean {
    /// Segments one visit from what the mean taught; frees its voxels. `source` is the grid it was scanned on.
    ///
    /// # Errors
    /// As `em::fit` and `NetworkPosteriors::predict`.
    fn measure(&self, mut bytes: Vec<u8>, source: &Grid) -> Result<MeasuredVisit, Error> {
        let Self { grid, mean_from_atlas: map, prior, fit, bias_correction, deep } = self;
        let mut intensity = intensities(&bytes, prior)?;
        if *bias_correction {
            level_with(&mut intensity, &fit.corrected, prior);
        }
        // the network sees what the tissues are fitted to: coils that differ must not move what it finds
        write_levelled(&mut bytes, &intensity, prior, WHITE_LEVEL);
        let image = Conformed { voxels: bytes, grid: *grid };
        let fitted = fit_from(intensity, prior, false, Some(&fit.mixture))?;
        let (mut own, mut assured) = (prior.clone(), Vec::new());
        if let Some(Deep { network, centre_mm }) = deep {
            let seen = NetworkPosteriors::predict(network, &image, map, *centre_mm)?;
            seen.apply(&mut own, &fitted);
            assured = seen.assured(&own);
        }
        drop(image);
        let tissue = Tissue::new(own, &fitted, &expected_side(prior), &assured);
        let mut volumes_mm3 = vec![0f64; LABEL_COUNT];
        let inside = tissue.labels.iter().filter(|&&l| l > 0 && usize::from(l) < LABEL_COUNT);
        inside.for_each(|&l| volumes_mm3[usize::from(l)] += 1.0);
        let measured =
            thickness::is_measurable(source).then(|| thickness::measure(&tissue.thickness_input()));
        Ok(MeasuredVisit {
            volumes_mm3,
            thickness_mm: measured.as_ref().map_or([0.0; LABEL_COUNT], |thickness| thickness.mean_mm),
            side_mm: measured.map_or([0.0; 2], |thickness| thickness.side_mm),
            converged: fitted.converged,
        })
    }
}

#[cfg(test)]
#[path = "longitudinal_tests.rs"]
mod tests;
