//! The order of the stages of a T1-weighted analysis and what passes between them.

use crate::affine::{prepare, register, Registration};
use crate::aligned::aligned;
use crate::atlas::Atlas;
use crate::boundary::{refine_cortex, refine_ventricle};
use crate::conform::{conform, Conformed, Voxel};
use crate::deform::{deform, Deformation};
use crate::em::{fit, Fit};
use crate::flair::tissue::TissuePriors;
use crate::flair_stage::{priors_for, FlairStage};
use crate::fusion::{self, Fusion};
use crate::half_box;
use crate::mrf;
use crate::network_input;
use crate::outcome::Outcome;
use crate::prior::{sample_prior, Prior, Window};
use crate::quality::{air_sd, centres_in_atlas, sharpness, white_matter};
use crate::rims::{expected_side, release_rims, Levels};
use crate::second_opinion::{merge, Agreement};
use crate::start::{cut_error, cut_side, find_head, is_deep_cut};
use crate::surface::{self, Surface};
use crate::thickness::{self, Thickness};
use crate::velocity::Displacement;
use meshnet::Network;
use volume::{Affine, Error, Grid};

/// Label values of the result, background included.
pub const LABEL_COUNT: usize = 105;

/// Part of the brain that may lie outside the field of view: at the vertex, less than the error of most volumes.
const MOST_CUT: f64 = 0.01;

/// Triangles of the surface, so that a machine without a graphics card can turn it.
const MAX_TRIANGLES: usize = 40_000;

/// Labels with what they were drawn from, on a box of the conformed grid.
pub struct Tissue {
    pub window: Window,
    /// 0..105, see `atlas::OUTER_CSF`.
    pub labels: Vec<u8>,
    /// The same before partial volume was settled: cortex that is darker than cortex still counts for its thickness.
    pub unrefined: Vec<u8>,
    /// Bias-corrected intensity, white matter about 1; 0 off the candidates.
    pub corrected: Vec<f32>,
    /// Class means on that scale.
    pub grey: f64,
    pub white: f64,
    pub fluid: f64,
}

/// One analysis. Each stage takes what the one before left and frees what later ones do not need.
pub struct Pipeline {
    pub(crate) atlas: Option<Atlas>,
    source: Option<Grid>,
    conformed: Option<Conformed>,
    registration: Option<Registration>,
    /// Side at which the field of view cuts the head.
    cut: Option<&'static str>,
    deformation: Option<Deformation>,
    warp: Option<Displacement>,
    prior: Option<Prior>,
    /// Centre of the deep structures in the atlas, mm.
    deep_centre: [f64; 3],
    fusion: Option<Fusion>,
    /// Where the atlas alone expects hippocampus or amygdala, see `rims::expected_side`.
    expected: Vec<u8>,
    fit: Option<Fit>,
    pub(crate) tissue_priors: Option<TissuePriors>,
    pub(crate) tissue: Option<Tissue>,
    pub(crate) flair: Option<FlairStage>,
    thickness: Option<Thickness>,
    icv_mm3: f64,
    /// 1 at the voxels that `icv_mm3` counts, on the prior's window, which is that of the tissue.
    intracranial: Vec<u8>,
    summary: Summary,
}

/// Figures for quality control.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// By class 1..12 after the fit; index 0 is unused.
    pub class_means: Vec<f64>,
    pub converged: bool,
    pub winning_posterior: f64,
    /// Robust standard deviation of certain white matter, white matter = 1; 0 with too few voxels.
    pub white_sd: f64,
    /// White matter over the standard deviation of the air, or over its own where the air is zeroed; 0 if unknown.
    pub snr: f64,
    /// Part of the brain that lies outside the field of view, as the prior expects it; 0 for a head that is not cut.
    pub cut_fraction: f64,
    /// See `quality::sharpness`.
    pub sharpness: [f64; 3],
    /// By label, in atlas mm.
    pub centres: Vec<Option<[f64; 3]>>,
}

pub(crate) fn missing(stage: &str) -> Error {
    Error::misuse(format!("Cannot run stage: {stage} has not run"))
}

impl Pipeline {
    pub fn new(atlas: Atlas) -> Self {
        Self {
            atlas: Some(atlas),
            source: None,
            conformed: None,
            registration: None,
            cut: None,
            deformation: None,
            warp: None,
            prior: None,
            deep_centre: [0.0; 3],
            fusion: None,
            expected: Vec::new(),
            fit: None,
            tissue_priors: None,
            tissue: None,
            flair: None,
            thickness: None,
            icv_mm3: 0.0,
            intracranial: Vec::new(),
            summary: Summary::default(),
        }
    }

    /// Resamples a source to the conformed grid.
    ///
    /// # Errors
    /// As `conform::conform`.
    pub fn conform<T: Voxel>(&mut self, voxels: &[T], source: Grid) -> Result<(), Error> {
        self.conformed = Some(conform(voxels, &source)?);
        self.source = Some(source);
        Ok(())
    }

    /// Registers the template by an affine map; refuses a failed registration.
    ///
    /// # Errors
    /// `engine.unsupported_input`: `registration failed`, `field of view` when the head is cut as well, `empty`.
    pub fn register(&mut self) -> Result<(), Error> {
        let conformed = self.conformed.as_ref().ok_or_else(|| missing("conform"))?;
        let source = self.source.ok_or_else(|| missing("conform"))?;
        let (image, grid) = prepare(&conformed.voxels, &conformed.grid)?;
        let cut = cut_side(&find_head(&image, &grid)?, &source)?;
        if let Some((side, _)) = cut.filter(|(_, area)| is_deep_cut(*area)) {
            return Err(cut_error(side));
        }
        self.cut = cut.map(|(side, _)| side);
        let atlas = self.atlas.as_ref().ok_or_else(|| missing("new"))?;
        // a head of which too much is missing is told that, not that it could not be matched
        let found = register(&image, &grid, atlas).map_err(|error| self.cut.map_or(error, cut_error))?;
        self.registration = Some(found);
        Ok(())
    }

    /// Deforms the template to the subject.
    ///
    /// # Errors
    /// As `aligned::aligned`.
    pub fn deform(&mut self) -> Result<(), Error> {
        let conformed = self.conformed.as_ref().ok_or_else(|| missing("conform"))?;
        let found = self.registration.as_ref().ok_or_else(|| missing("register"))?;
        let image = aligned(&conformed.voxels, &conformed.grid, &found.subject_from_atlas)?;
        let atlas = self.atlas.as_ref().ok_or_else(|| missing("new"))?;
        let deformation = deform(&image, atlas);
        self.warp = Some(deformation.to_atlas());
        self.deformation = Some(deformation);
        Ok(())
    }

    /// Brings the prior to the subject and measures the intracranial volume; frees the atlas. Refuses a cut head when
    /// the prior expects more than `MOST_CUT` of the brain outside the field of view.
    ///
    /// # Errors
    /// As `prior::sample_prior`; `engine.unsupported_input` (`field of view`).
    pub fn place_prior(&mut self) -> Result<(), Error> {
        let conformed = self.conformed.as_ref().ok_or_else(|| missing("conform"))?;
        let found = self.registration.as_ref().ok_or_else(|| missing("register"))?;
        let atlas = self.atlas.take().ok_or_else(|| missing("new"))?;
        self.deep_centre = half_box::centre_mm(&atlas);
        let prior = sample_prior(&atlas, &conformed.grid, &found.subject_from_atlas, self.warp.as_ref())?;
        if let Some(side) = self.cut {
            let source = self.source.ok_or_else(|| missing("conform"))?;
            self.summary.cut_fraction = prior.brain_out_of(&source, &conformed.grid)?;
            if self.summary.cut_fraction > MOST_CUT {
                return Err(cut_error(side));
            }
        }
        self.icv_mm3 = prior.inside_dura() as f64;
        self.intracranial = prior.intracranial();
        self.prior = Some(prior);
        Ok(())
    }

    /// Fits the tissue classes and the bias field.
    ///
    /// # Errors
    /// As `em::fit`.
    pub fn segment(&mut self, bias_correction: bool) -> Result<(), Error> {
        let conformed = self.conformed.as_ref().ok_or_else(|| missing("conform"))?;
        let prior = self.prior.as_ref().ok_or_else(|| missing("place_prior"))?;
        let fitted = fit(&conformed.voxels, prior, bias_correction)?;
        let summary = &mut self.summary;
        summary.class_means =
            (0..13).map(|k| if k == 0 { 0.0 } else { fitted.mixture.class_mean(k) }).collect();
        summary.converged = fitted.converged;
        summary.winning_posterior = fitted.winning_posterior;
        if let Some((median, sd)) = white_matter(&fitted.corrected, prior) {
            summary.white_sd = sd;
            summary.snr = median / sd;
        }
        self.tissue_priors = priors_for(self.flair.as_ref(), prior);
        self.expected = expected_side(prior);
        self.fit = Some(fitted);
        Ok(())
    }

    /// Asks our own network about the deep structures and puts its answer beside the prior (see `fusion`).
    ///
    /// Weights that cannot be read are an answer too: the analysis goes on without the network.
    ///
    /// # Errors
    /// As `fusion::fuse`; `internal` when the stages before did not run.
    pub fn fuse(&mut self, weights: &[u8]) -> Result<&Fusion, Error> {
        let conformed = self.conformed.as_ref().ok_or_else(|| missing("conform"))?;
        let found = self.registration.as_ref().ok_or_else(|| missing("register"))?;
        let prior = self.prior.as_mut().ok_or_else(|| missing("place_prior"))?;
        let fitted = self.fit.as_ref().ok_or_else(|| missing("segment"))?;
        let fusion = match network::Network::new(weights) {
            Ok(network) => {
                fusion::fuse(&network, conformed, prior, fitted, &found.subject_from_atlas, self.deep_centre)?
            }
            Err(_) => Fusion::refused("weights"),
        };
        Ok(self.fusion.insert(fusion))
    }

    /// Smooths the posteriors, writes labels and settles partial volume at the boundaries; frees the prior.
    ///
    /// # Errors
    /// `internal` when the stages before did not run.
    pub fn label(&mut self) -> Result<(), Error> {
        let mut prior = self.prior.take().ok_or_else(|| missing("place_prior"))?;
        let fitted = self.fit.take().ok_or_else(|| missing("segment"))?;
        let window = prior.window;
        let expected = std::mem::take(&mut self.expected);
        let q = mrf::sweep(&fitted.corrected, &mut prior, &fitted.used);
        let mut labels = mrf::label(&q, &prior);
        drop(q);
        let mut corrected = vec![0f32; window.count()];
        prior.voxels.iter().zip(&fitted.corrected).for_each(|(&at, &y)| corrected[at as usize] = y);
        let unrefined = labels.clone();
        let [grey, white, fluid] = [1, 3, 11].map(|k| fitted.mixture.class_mean(k));
        refine_cortex(&mut labels, window.shape, &corrected, grey as f32, white as f32);
        refine_ventricle(&mut labels, window.shape, &corrected, fluid as f32, white as f32);
        release_rims(&mut labels, window.shape, &corrected, &Levels::of(&fitted.mixture), &expected);
        self.tissue = Some(Tissue { window, labels, unrefined, corrected, grey, white, fluid });
        Ok(())
    }

    /// Asks a published network about the labels and merges its answer when both agree (see `second_opinion`).
    ///
    /// # Errors
    /// `internal` when the weights are not the network's or the stages before did not run.
    pub fn consult(&mut self, weights: &[u8]) -> Result<Agreement, Error> {
        let conformed = self.conformed.as_ref().ok_or_else(|| missing("conform"))?;
        let tissue = self.tissue.as_mut().ok_or_else(|| missing("label"))?;
        if self.registration.as_ref().is_some_and(|r| r.extracted) {
            // the network was trained on whole heads
            return Ok(Agreement { cortex_dice: 0.0, brain_mm3: 0, used: false, reason: "extracted brain" });
        }
        let network = Network::new(&network_input::layout(), weights)?;
        let white = tissue.white as f32;
        let classes =
            network_input::ask(&network, &conformed.voxels, &tissue.window, &tissue.corrected, white)?;
        let is_fused = self.fusion.as_ref().is_some_and(|fusion| fusion.is_used);
        let kept: Vec<u8> = if is_fused { fusion::fused_labels().collect() } else { Vec::new() };
        let agreement = merge(&mut tissue.labels, &classes, tissue.window.shape, &kept);
        if agreement.used {
            merge(&mut tissue.unrefined, &classes, tissue.window.shape, &kept);
        }
        Ok(agreement)
    }

    /// Measures the cortex; leaves `thickness` empty when the source's voxels are too large for it.
    ///
    /// # Errors
    /// `internal` when the stages before did not run.
    pub fn measure_thickness(&mut self) -> Result<(), Error> {
        let tissue = self.tissue.as_ref().ok_or_else(|| missing("label"))?;
        let source = self.source.ok_or_else(|| missing("conform"))?;
        if !thickness::is_measurable(&source) {
            return Ok(());
        }
        self.thickness = Some(thickness::measure(&thickness::Input {
            labels: &tissue.labels,
            unrefined: &tissue.unrefined,
            corrected: &tissue.corrected,
            shape: tissue.window.shape,
            grey: tissue.grey as f32,
            white: tissue.white as f32,
            fluid: tissue.fluid as f32,
        }));
        Ok(())
    }

    /// Builds the brain's surface, with thickness 0 where that was not measured.
    ///
    /// # Errors
    /// As `surface::extract`; `internal` when the stages before did not run.
    pub fn build_surface(&mut self) -> Result<Surface, Error> {
        let tissue = self.tissue.as_ref().ok_or_else(|| missing("label"))?;
        let affine = self.ras_from_window().ok_or_else(|| missing("label"))?;
        let none = if self.thickness.is_none() { vec![0.0; tissue.labels.len()] } else { Vec::new() };
        let mm = self.thickness.as_ref().map_or(&none, |thickness| &thickness.mm);
        surface::extract(&tissue.labels, tissue.window.shape, mm, &affine, MAX_TRIANGLES)
    }

    /// Writes the result on the output grid, and the figures of quality control that need the final labels.
    ///
    /// # Errors
    /// `internal` when the stages before did not run.
    pub fn finish(&mut self) -> Result<Outcome, Error> {
        let conformed = self.conformed.as_ref().ok_or_else(|| missing("conform"))?;
        let source = self.source.ok_or_else(|| missing("conform"))?;
        let tissue = self.tissue.as_ref().ok_or_else(|| missing("label"))?;
        let found = self.registration.as_ref().ok_or_else(|| missing("register"))?;
        let outcome = Outcome::new(conformed, &source, tissue, self.thickness.as_ref(), &self.intracranial)?;
        if let Some(sd) = air_sd(conformed, &outcome.frame) {
            self.summary.snr = white_level(conformed, tissue) / sd;
        }
        self.summary.sharpness = sharpness(&conformed.voxels, &tissue.labels, &tissue.window);
        let atlas_from_ijk = found.subject_from_atlas.invert()?.compose(&conformed.grid.ras_from_ijk);
        self.summary.centres =
            centres_in_atlas(&tissue.labels, &tissue.window, &atlas_from_ijk, self.warp.as_ref());
        Ok(outcome)
    }

    pub fn icv_mm3(&self) -> f64 {
        self.icv_mm3
    }

    /// Whether the field of view cuts the head.
    pub fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    pub fn conformed(&self) -> Option<&Conformed> {
        self.conformed.as_ref()
    }

    pub fn registration(&self) -> Option<&Registration> {
        self.registration.as_ref()
    }

    pub fn deformation(&self) -> Option<&Deformation> {
        self.deformation.as_ref()
    }

    pub fn thickness(&self) -> Option<&Thickness> {
        self.thickness.as_ref()
    }

    /// RAS mm of the patient from an index of the tissue's window.
    fn ras_from_window(&self) -> Option<Affine> {
        let (conformed, tissue) = (self.conformed.as_ref()?, self.tissue.as_ref()?);
        let mut affine = conformed.grid.ras_from_ijk;
        let origin = affine.apply(tissue.window.low.map(|v| v as f64));
        affine.0[12..15].copy_from_slice(&origin);
        Some(affine)
    }
}

/// Mean conformed intensity of cerebral white matter.
fn white_level(conformed: &Conformed, tissue: &Tissue) -> f64 {
    let (mut sum, mut n) = (0u64, 0u64);
    for (at, _) in tissue.labels.iter().enumerate().filter(|(_, &l)| l == 1 || l == 2) {
        let [i, j, k] = tissue.window.ijk(at);
        sum += u64::from(conformed.voxels[conformed.grid.index(i, j, k)]);
        n += 1;
    }
    sum as f64 / n.max(1) as f64
}
