//! The order of the stages and what passes between them.

use crate::affine::{prepare, register, Registration};
use crate::atlas::{Atlas, OUTER_CSF};
use crate::boundary::{refine_cortex, refine_ventricle};
use crate::conform::{conform, Conformed, Voxel, SIDE};
use crate::em::{fit, Fit};
use crate::mrf;
use crate::output::{display_table, Frame};
use crate::prior::{sample_prior, Prior, VelocityField, Window};
use crate::start::{check_field_of_view, find_head};
use volume::{Error, Grid};

/// Label values of the result, background included.
pub const LABEL_COUNT: usize = 105;

/// One analysis. Each stage takes what the one before left and frees what later ones do not need.
pub struct Pipeline {
    atlas: Atlas,
    source: Option<Grid>,
    conformed: Option<Conformed>,
    registration: Option<Registration>,
    warp: Option<VelocityField>,
    prior: Option<Prior>,
    fit: Option<Fit>,
    labels: Option<(Window, Vec<u8>)>,
    icv_mm3: f64,
    summary: Summary,
}

/// Figures for quality control.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    pub ncc: f64,
    pub retried: bool,
    /// By class 1..12 after the fit; index 0 is unused.
    pub class_means: Vec<f64>,
    pub converged: bool,
    pub winning_posterior: f64,
}

/// The label map and display intensities on the output grid, with volumes by label.
pub struct Outcome {
    pub grid: Grid,
    pub intensities: Vec<u8>,
    pub labels: Vec<u8>,
    pub volumes_mm3: Vec<f64>,
}

fn missing(stage: &str) -> Error {
    Error::misuse(format!("Cannot run stage: {stage} has not run"))
}

impl Pipeline {
    pub fn new(atlas: Atlas) -> Self {
        Self {
            atlas,
            source: None,
            conformed: None,
            registration: None,
            warp: None,
            prior: None,
            fit: None,
            labels: None,
            icv_mm3: 0.0,
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

    /// Registers the template; refuses a cut head and a failed registration.
    ///
    /// # Errors
    /// `engine.unsupported_input`: `field of view`, `registration failed`, `empty`.
    pub fn register(&mut self) -> Result<(), Error> {
        let conformed = self.conformed.as_ref().ok_or_else(|| missing("conform"))?;
        let source = self.source.ok_or_else(|| missing("conform"))?;
        let (image, grid) = prepare(&conformed.voxels, &conformed.grid)?;
        check_field_of_view(&find_head(&image, &grid)?, &source)?;
        let found = register(&image, &grid, &self.atlas)?;
        self.summary.ncc = found.ncc;
        self.summary.retried = found.retried;
        self.registration = Some(found);
        Ok(())
    }

    /// Brings the prior to the subject and measures the intracranial volume.
    ///
    /// # Errors
    /// As `prior::sample_prior`.
    pub fn place_prior(&mut self) -> Result<(), Error> {
        let conformed = self.conformed.as_ref().ok_or_else(|| missing("conform"))?;
        let found = self.registration.as_ref().ok_or_else(|| missing("register"))?;
        let prior =
            sample_prior(&self.atlas, &conformed.grid, &found.subject_from_atlas, self.warp.as_ref())?;
        self.icv_mm3 = prior.inside_dura() as f64;
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
        self.summary.class_means =
            (0..13).map(|k| if k == 0 { 0.0 } else { fitted.mixture.class_mean(k) }).collect();
        self.summary.converged = fitted.converged;
        self.summary.winning_posterior = fitted.winning_posterior;
        self.fit = Some(fitted);
        Ok(())
    }

    /// Smooths the posteriors and writes labels.
    ///
    /// # Errors
    /// `internal` when the stages before did not run.
    pub fn label(&mut self) -> Result<(), Error> {
        let prior = self.prior.as_mut().ok_or_else(|| missing("place_prior"))?;
        let fitted = self.fit.as_ref().ok_or_else(|| missing("segment"))?;
        let q = mrf::sweep(&fitted.corrected, prior, &fitted.used);
        self.labels = Some((prior.window, mrf::label(&q, prior)));
        Ok(())
    }

    /// Settles partial volume at the boundaries; frees the prior.
    ///
    /// # Errors
    /// `internal` when the stages before did not run.
    pub fn refine(&mut self) -> Result<(), Error> {
        let prior = self.prior.take().ok_or_else(|| missing("place_prior"))?;
        let fitted = self.fit.take().ok_or_else(|| missing("segment"))?;
        let (window, labels) = self.labels.as_mut().ok_or_else(|| missing("label"))?;
        let mut corrected = vec![0f32; window.count()];
        prior.voxels.iter().zip(&fitted.corrected).for_each(|(&at, &y)| corrected[at as usize] = y);
        let [grey, white, fluid] = [1, 3, 11].map(|k| fitted.mixture.class_mean(k) as f32);
        refine_cortex(labels, window.shape, &corrected, grey, white);
        refine_ventricle(labels, window.shape, &corrected, fluid, white);
        Ok(())
    }

    /// Writes the result on the output grid: labels 0..104 and display intensities.
    ///
    /// # Errors
    /// `internal` when the stages before did not run.
    pub fn finish(&mut self) -> Result<Outcome, Error> {
        let conformed = self.conformed.as_ref().ok_or_else(|| missing("conform"))?;
        let source = self.source.ok_or_else(|| missing("conform"))?;
        let (window, labels) = self.labels.as_ref().ok_or_else(|| missing("label"))?;
        let frame = Frame::new(&conformed.grid, &source)?;
        let table = display_table(conformed);
        let intensities = frame.map(|[i, j, k]| table[conformed.voxels[i + SIDE * (j + SIDE * k)] as usize]);
        let labels = frame.map(|ijk| {
            let p = [0, 1, 2].map(|a| ijk[a].wrapping_sub(window.low[a]));
            if (0..3).any(|a| p[a] >= window.shape[a]) {
                return 0;
            }
            let label = labels[p[0] + window.shape[0] * (p[1] + window.shape[1] * p[2])];
            if label == OUTER_CSF {
                0
            } else {
                label
            }
        });
        let mut volumes_mm3 = vec![0f64; LABEL_COUNT];
        labels.iter().filter(|&&l| l > 0).for_each(|&l| volumes_mm3[l as usize] += 1.0);
        Ok(Outcome { grid: frame.grid, intensities, labels, volumes_mm3 })
    }

    pub fn icv_mm3(&self) -> f64 {
        self.icv_mm3
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
}
