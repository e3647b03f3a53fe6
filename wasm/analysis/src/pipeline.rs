//! The stages of a T1-weighted analysis. Each is a struct that the next one consumes, so that a stage cannot run before
//! what it needs and what later ones do not need is freed. Their order is in `analyze`.

use crate::atlas::Atlas;
use crate::flair::tissue::TissuePriors;
use crate::ghosting::ghosting;
use crate::network::fusion::{self, Fusion};
use crate::network::half_box;
use crate::network::network_input;
use crate::network::region_agreement::{atlas_labels, overlaps, Overlap, RegionAgreement};
use crate::network::second_opinion::{merge, sided, Agreement};
use crate::outcome::Outcome;
use crate::quality::{air_sd, centres_in_atlas, sharpness, white_matter};
use crate::registration::affine::{prepare, refine_in_view, register, Registration};
use crate::registration::aligned::resample_to_atlas;
use crate::registration::deform::{deform, Deformation};
use crate::registration::start::{cut_error, cut_side, find_head, is_deep_cut};
use crate::registration::velocity::Displacement;
use crate::surface::{self, Surface};
use crate::thickness::{self, Thickness};
use crate::tissue::em::{fit, Fit};
use crate::tissue::prior::{sample_prior, Prior};
use crate::tissue::rims::expected_side;
use crate::tissue::Tissue;
use crate::voxels::conform::{conform, Conformed};
use crate::voxels::interpolate::Voxel;
use meshnet::Network;
use volume::{Affine, Error, Grid};

/// Part of the brain that may be expected beyond a side that is cut: at the vertex, less than the error of most volumes. What is
/// expected is off by about .4 % of the brain, mostly upwards: phantoms that lack up to .9 % read up to 1.2 %, those that lack
/// 1.4 % and more from 1.45 % on.
const MAX_CUT: f64 = 0.013;

/// Triangles of the surface, so that a machine without a graphics card can turn it.
const MAX_TRIANGLES: usize = 40_000;

/// A head on the conformed grid.
pub struct Subject {
    pub conformed: Conformed,
    pub source: Grid,
}

impl Subject {
    /// Resamples a source to the conformed grid.
    ///
    /// # Errors
    /// As `conform::conform`.
    pub fn new<T: Voxel>(voxels: &[T], source: Grid) -> Result<Self, Error> {
        Ok(Self { conformed: conform(voxels, &source)?, source })
    }

    /// Registers the template by an affine map; refuses a failed registration.
    ///
    /// # Errors
    /// `engine.unsupported_input`: `registration failed`, `field of view` when the head is cut as well, `empty`.
    pub fn register(self, atlas: &Atlas) -> Result<Registered, Error> {
        let (image, grid) = prepare(&self.conformed.voxels, &self.conformed.grid)?;
        let cut = cut_side(&find_head(&image, &grid)?, &self.source)?;
        if let Some((side, _)) = cut.filter(|(_, area)| is_deep_cut(*area)) {
            return Err(cut_error(side));
        }
        let cut = cut.map(|(side, _)| side);
        // a head of which too much is missing is told that, not that it could not be matched
        let registration = register(&image, &grid, atlas).map_err(|error| cut.map_or(error, cut_error))?;
        Ok(Registered { subject: self, registration, cut })
    }
}

/// A head with the affine map of the template.
pub struct Registered {
    subject: Subject,
    registration: Registration,
    /// Side at which the field of view cuts the head.
    cut: Option<&'static str>,
}

impl Registered {
    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    /// Deforms the template to the subject.
    ///
    /// # Errors
    /// As `aligned::resample_to_atlas`.
    pub fn deform(self, atlas: &Atlas) -> Result<Deformed, Error> {
        let Self { subject, registration, cut } = self;
        let Conformed { voxels, grid } = &subject.conformed;
        let image = resample_to_atlas(voxels, grid, &registration.subject_from_atlas)?;
        let deformation = deform(&image, atlas);
        let warp = deformation.to_atlas();
        Ok(Deformed { alignment: Alignment { subject, registration, deformation, warp }, cut })
    }
}

/// A head and how the template lies in it.
pub struct Alignment {
    pub subject: Subject,
    pub registration: Registration,
    pub deformation: Deformation,
    /// `deformation` as displacements: for points that came back through the affine.
    warp: Displacement,
}

/// A head with the nonlinear map of the template.
pub struct Deformed {
    alignment: Alignment,
    cut: Option<&'static str>,
}

impl Deformed {
    /// Brings the prior to the subject and measures the intracranial volume; frees the atlas. Refuses a cut head when
    /// an affine map of what is seen expects more than `MAX_CUT` of the brain outside the field of view.
    ///
    /// # Errors
    /// As `prior::sample_prior`; `engine.unsupported_input` (`field of view`).
    pub fn place_prior(self, atlas: Atlas) -> Result<Placed, Error> {
        let Self { alignment, cut } = self;
        let Subject { conformed, source } = &alignment.subject;
        let deep_centre = half_box::centre_mm(&atlas);
        let map = &alignment.registration.subject_from_atlas;
        let prior = sample_prior(&atlas, &conformed.grid, map, Some(&alignment.warp))?;
        let mut cut_fraction = None;
        if let Some(side) = cut {
            // by an affine map of what is seen alone: the other one and the deformation draw the atlas into what is left
            let (image, grid) = prepare(&conformed.voxels, &conformed.grid)?;
            let seen = refine_in_view(&alignment.registration, &image, &grid, source, &atlas)?;
            let fraction = sample_prior(&atlas, &conformed.grid, &seen.subject_from_atlas, None)?
                .brain_outside_view(source, &conformed.grid, side)?;
            if fraction > MAX_CUT {
                return Err(cut_error(side));
            }
            cut_fraction = Some(fraction);
        }
        let icv_mm3 = prior.inside_dura() as f64;
        let intracranial = prior.intracranial();
        Ok(Placed { alignment, prior, intracranial, deep_centre, icv_mm3, cut_fraction })
    }
}

/// A head with the prior of its tissues.
pub struct Placed {
    alignment: Alignment,
    prior: Prior,
    /// 1 at the voxels that `icv_mm3` counts, on the prior's window, which is that of the tissue.
    intracranial: Vec<u8>,
    /// Centre of the deep structures in the atlas, mm.
    deep_centre: [f64; 3],
    icv_mm3: f64,
    cut_fraction: Option<f64>,
}

impl Placed {
    /// Fits the tissue classes and the bias field.
    ///
    /// # Errors
    /// As `em::fit`.
    pub fn segment(self, bias_correction: bool) -> Result<Segmented, Error> {
        let Self { alignment, prior, intracranial, deep_centre, icv_mm3, cut_fraction } = self;
        let fitted = fit(&alignment.subject.conformed.voxels, &prior, bias_correction)?;
        let (white_sd, snr) = match white_matter(&fitted.corrected, &prior) {
            Some((median, sd)) => (sd, median / sd),
            None => (0.0, 0.0),
        };
        let figures = FitFigures {
            icv_mm3,
            cut_fraction,
            class_means: fitted.mixture.class_means(),
            converged: fitted.converged,
            winning_posterior: fitted.winning_posterior,
            white_sd,
            snr,
        };
        let expected = expected_side(&prior);
        let seen = Vec::new();
        let others = OtherLabels { atlas: atlas_labels(&prior), network: Vec::new() };
        Ok(Segmented { alignment, prior, intracranial, deep_centre, fitted, expected, seen, others, figures })
    }
}

/// Figures that are known once the classes are fitted.
#[derive(Debug, Clone)]
pub struct FitFigures {
    /// Voxels inside the dura, mm³.
    pub icv_mm3: f64,
    /// Part of the brain that lies outside the field of view, as the prior expects it; `None` for a head that is not cut.
    pub cut_fraction: Option<f64>,
    /// By class 1..12; index 0 is 0.
    pub class_means: Vec<f64>,
    pub converged: bool,
    pub winning_posterior: f64,
    /// Robust standard deviation of certain white matter, white matter = 1; 0 with too few voxels.
    pub white_sd: f64,
    /// White matter over its own standard deviation; 0 if unknown.
    pub snr: f64,
}

/// Labels of the sources that the final ones are compared with, on the tissue's window.
struct OtherLabels {
    /// Of the deformed atlas alone.
    atlas: Vec<u8>,
    /// Of our own network; empty when it was not asked.
    network: Vec<u8>,
}

/// A head with the posteriors of its tissues.
pub struct Segmented {
    alignment: Alignment,
    prior: Prior,
    intracranial: Vec<u8>,
    deep_centre: [f64; 3],
    fitted: Fit,
    /// Where the atlas alone expects hippocampus or amygdala, see `rims::expected_side`.
    expected: Vec<u8>,
    /// What our own network is sure of, see `assured`; empty when it was not asked or is not used.
    seen: Vec<u8>,
    others: OtherLabels,
    figures: FitFigures,
}

impl Segmented {
    /// What the lesion rules read of the prior; to be asked before `fuse`.
    pub fn tissue_priors(&self) -> TissuePriors {
        TissuePriors::new(&self.prior)
    }

    /// Asks our own network about the deep structures and puts its answer beside the prior (see `fusion`).
    ///
    /// Weights that cannot be read are an answer too: the analysis goes on without the network.
    ///
    /// # Errors
    /// As `fusion::fuse`.
    pub fn fuse(&mut self, weights: &[u8]) -> Result<Fusion, Error> {
        let Ok(network) = network::Network::new(weights) else { return Ok(Fusion::refused("weights")) };
        let Alignment { subject, registration, .. } = &self.alignment;
        let map = &registration.subject_from_atlas;
        let (prior, centre_mm) = (&mut self.prior, self.deep_centre);
        let (fusion, seen, likeliest) =
            fusion::fuse(&network, &subject.conformed, prior, &self.fitted, map, centre_mm)?;
        self.seen = seen;
        self.others.network = likeliest;
        Ok(fusion)
    }

    /// Writes labels; frees the prior and the posteriors.
    pub fn label(self) -> Labelled {
        let Self { alignment, prior, intracranial, fitted, expected, seen, others, figures, .. } = self;
        let tissue = Tissue::new(prior, &fitted, &expected, &seen);
        Labelled { tissue, alignment, intracranial, others, opinion: Vec::new(), figures }
    }
}

/// A head with its labels.
pub struct Labelled {
    pub alignment: Alignment,
    pub tissue: Tissue,
    /// See `Placed`.
    intracranial: Vec<u8>,
    others: OtherLabels,
    /// See `RegionAgreement`.
    opinion: Vec<Overlap>,
    pub figures: FitFigures,
}

impl Labelled {
    /// Asks a published network about the labels and merges its answer when both agree (see `second_opinion`).
    ///
    /// `is_fused`: our own network has settled the deep structures, which then stay as they are.
    ///
    /// # Errors
    /// `internal` when the weights are not the network's.
    pub fn consult(&mut self, weights: &[u8], is_fused: bool) -> Result<Agreement, Error> {
        let Alignment { subject, registration, .. } = &self.alignment;
        if registration.extracted {
            // the network was trained on whole heads
            return Ok(Agreement { cortex_dice: 0.0, brain_mm3: 0, used: false, reason: "extracted brain" });
        }
        let tissue = &mut self.tissue;
        let network = Network::new(&network_input::layout(), weights)?;
        let white = tissue.white as f32;
        let voxels = &subject.conformed.voxels;
        let classes = network_input::predict(&network, voxels, &tissue.window, &tissue.corrected, white)?;
        let kept: Vec<u8> = if is_fused { fusion::settled_labels().collect() } else { Vec::new() };
        self.opinion = overlaps(&tissue.labels, &sided(&tissue.labels, &classes, tissue.window.shape));
        let agreement = merge(&mut tissue.labels, &classes, tissue.window.shape, &kept);
        if agreement.used {
            merge(&mut tissue.unrefined, &classes, tissue.window.shape, &kept);
        }
        Ok(agreement)
    }

    /// How far the atlas and the networks agree with the labels as they are now.
    pub fn region_agreement(&self) -> RegionAgreement {
        let OtherLabels { atlas, network } = &self.others;
        let with = |theirs: &[u8]| {
            if theirs.is_empty() {
                Vec::new()
            } else {
                overlaps(&self.tissue.labels, theirs)
            }
        };
        RegionAgreement { atlas: with(atlas), network: with(network), opinion: self.opinion.clone() }
    }

    /// Measures the cortex; `None` when the source's voxels are too large for it.
    pub fn measure_thickness(&self) -> Option<Thickness> {
        thickness::is_measurable(&self.alignment.subject.source)
            .then(|| thickness::measure(&self.tissue.thickness_input()))
    }

    /// Builds the brain's surface, with thickness 0 where that was not measured.
    ///
    /// # Errors
    /// As `surface::extract`.
    pub fn build_surface(&self, thickness: Option<&Thickness>) -> Result<Surface, Error> {
        let tissue = &self.tissue;
        let none = if thickness.is_none() { vec![0.0; tissue.labels.len()] } else { Vec::new() };
        let mm = thickness.map_or(&none, |thickness| &thickness.mm);
        surface::extract(&tissue.labels, tissue.window.shape, mm, &self.ras_from_window(), MAX_TRIANGLES)
    }

    /// Writes the result on the output grid, and the figures of quality control that need the final labels.
    ///
    /// # Errors
    /// `volume.affine_singular`.
    pub fn finish(&self, thickness: Option<&Thickness>) -> Result<(Outcome, LabelFigures), Error> {
        let Alignment { subject: Subject { conformed, source }, registration, warp, .. } = &self.alignment;
        let tissue = &self.tissue;
        let outcome = Outcome::new(conformed, source, tissue, thickness, &self.intracranial)?;
        let air_snr = air_sd(conformed, &outcome.frame).map(|sd| white_level(conformed, tissue) / sd);
        let sharpness = sharpness(&conformed.voxels, &tissue.labels, &tissue.window);
        let atlas_from_ijk = registration.subject_from_atlas.invert()?.compose(&conformed.grid.ras_from_ijk);
        let centres = centres_in_atlas(&tissue.labels, &tissue.window, &atlas_from_ijk, Some(warp));
        let snr = air_snr.unwrap_or(self.figures.snr);
        let ghosting = ghosting(conformed, source)?;
        Ok((outcome, LabelFigures { snr, sharpness, ghosting, centres }))
    }

    /// RAS mm of the patient from an index of the tissue's window.
    fn ras_from_window(&self) -> Affine {
        let mut affine = self.alignment.subject.conformed.grid.ras_from_ijk;
        let origin = affine.apply(self.tissue.window.low.map(|v| v as f64));
        affine.0[12..15].copy_from_slice(&origin);
        affine
    }
}

/// Figures that are known once the labels are final.
#[derive(Debug, Clone)]
pub struct LabelFigures {
    /// White matter over the standard deviation of the air, or over its own where the air is zeroed; 0 if unknown.
    pub snr: f64,
    /// See `quality::sharpness`.
    pub sharpness: [f64; 3],
    /// See `ghosting::ghosting`.
    pub ghosting: f64,
    /// By label, in atlas mm.
    pub centres: Vec<Option<[f64; 3]>>,
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
