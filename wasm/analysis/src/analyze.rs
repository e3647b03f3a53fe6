//! One analysis from its series to its results: the order of the stages.

use crate::atlas::{Atlas, LABEL_COUNT};
use crate::flair_stage::{FlairOutcome, FlairSeries, FoundFlair};
use crate::network::fusion::Fusion;
use crate::network::region_agreement::RegionAgreement;
use crate::network::second_opinion::Agreement;
use crate::outcome::Outcome;
use crate::pipeline::{Alignment, FitFigures, LabelFigures, Labelled, Subject};
use crate::registration::affine::Registration;
use crate::registration::deform::Deformation;
use crate::surface::Surface;
use volume::Error;

/// What to analyse; at least one series is given.
pub struct Input {
    pub atlas: Atlas,
    pub t1: Option<Subject>,
    pub flair: Option<FlairSeries>,
    /// Remove the smooth intensity drift of the coil.
    pub bias_correction: bool,
    /// Weights of our own network for deep structures, with a FLAIR series alone of that for any contrast; `None` to do without.
    pub deep_weights: Option<Vec<u8>>,
    /// Weights of the second opinion's network; `None` to do without.
    pub model_weights: Option<Vec<u8>>,
}

/// Result of the T1-weighted series.
pub struct T1Outcome {
    pub maps: Outcome,
    pub surface: Surface,
    /// Mean by label and by side, mm; `None` when the source's voxels are too large for it.
    pub thickness: Option<([f64; LABEL_COUNT], [f64; 2])>,
    pub registration: Registration,
    pub deformation: Deformation,
    pub fit: FitFigures,
    pub figures: LabelFigures,
    /// What came of asking the networks, where their weights were given.
    pub fusion: Option<Fusion>,
    pub agreement: Option<Agreement>,
    pub regions: RegionAgreement,
}

/// Results of the series that were given.
pub struct Analysis {
    pub t1: Option<T1Outcome>,
    /// Its own failure costs the T1-weighted series nothing.
    pub flair: Option<Result<FlairOutcome, Error>>,
}

/// Analyses the T1-weighted series, with the FLAIR series' lesions in its labels; or a FLAIR series alone.
///
/// `progress` is called on this thread when a stage begins: percent of the analysis, and its name.
///
/// # Errors
/// Those of the stages of the T1-weighted series; `internal` when there is no series.
///
/// # Exactness
/// The result does not depend on the number of threads.
pub fn analyze(input: Input, mut progress: impl FnMut(f64, &str)) -> Result<Analysis, Error> {
    let Input { atlas, t1, flair, bias_correction, deep_weights, model_weights } = input;
    let Some(subject) = t1 else {
        let series = flair.ok_or_else(|| Error::misuse("Cannot analyse: no series"))?;
        progress(20.0, "lesions");
        return Ok(Analysis { t1: None, flair: Some(series.analyze_alone(atlas, deep_weights.as_deref())) });
    };
    progress(6.0, "register");
    let registered = subject.register(&atlas)?;
    progress(12.0, "deform");
    let deformed = registered.deform(&atlas)?;
    progress(40.0, "prior");
    let placed = deformed.place_prior(atlas)?;
    progress(50.0, "segment");
    let mut segmented = placed.segment(bias_correction)?;
    let flair = flair.map(|series| (series, segmented.tissue_priors()));
    let mut fusion = None;
    if let Some(weights) = deep_weights {
        progress(56.0, "deep");
        fusion = Some(segmented.fuse(&weights)?);
    }
    progress(60.0, "label");
    let mut labelled = segmented.label();
    let mut agreement = None;
    if let Some(weights) = model_weights {
        progress(64.0, "opinion");
        let is_fused = fusion.as_ref().is_some_and(|fusion: &Fusion| fusion.is_used);
        agreement = Some(labelled.consult(&weights, is_fused)?);
    }
    // before lesions take their place
    let regions = labelled.region_agreement();
    let found = flair.map(|(series, priors)| -> Result<FoundFlair, Error> {
        progress(66.0, "flair");
        let registered = series.register(&labelled, priors)?;
        progress(74.0, "lesions");
        registered.find_lesions(&mut labelled)
    });
    let measured = measure(&labelled, &mut progress)?;
    let flair = found.map(|found| found?.finish(&labelled, &measured.maps.frame));
    let Measured { maps, surface, thickness, figures } = measured;
    let Labelled { alignment, figures: fit, .. } = labelled;
    let Alignment { registration, deformation, .. } = alignment;
    let t1 = T1Outcome {
        maps,
        surface,
        thickness,
        registration,
        deformation,
        fit,
        figures,
        fusion,
        agreement,
        regions,
    };
    Ok(Analysis { t1: Some(t1), flair })
}

/// What is measured on final labels.
struct Measured {
    maps: Outcome,
    surface: Surface,
    thickness: Option<([f64; LABEL_COUNT], [f64; 2])>,
    figures: LabelFigures,
}

fn measure(labelled: &Labelled, progress: &mut impl FnMut(f64, &str)) -> Result<Measured, Error> {
    progress(80.0, "thickness");
    let thickness = labelled.measure_thickness();
    progress(88.0, "surface");
    let surface = labelled.build_surface(thickness.as_ref())?;
    progress(96.0, "output");
    let (maps, figures) = labelled.finish(thickness.as_ref())?;
    Ok(Measured { maps, surface, thickness: thickness.map(|t| (t.mean_mm, t.side_mm)), figures })
}
