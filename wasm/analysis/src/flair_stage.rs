//! The FLAIR series of an analysis: its stages after the labels of the T1-weighted series, or alone.

use crate::conform::{resample, scale_to_bytes, Voxel};
use crate::flair::flair_only::flair_only;
use crate::flair::lesions::{find, Lesions};
use crate::flair::relabel::relabel;
use crate::flair::rigid::{register, Rigid};
use crate::flair::tissue::TissuePriors;
use crate::flair::{Flair, T1Side};
use crate::outcome::on_frame;
use crate::output::{display_table, Frame};
use crate::pipeline::{missing, Pipeline};
use volume::{Affine, Error, Grid};

/// A FLAIR series on the way.
pub struct FlairStage {
    voxels: Vec<f32>,
    grid: Grid,
    rigid: Option<Rigid>,
    lesions: Option<Lesions>,
}

/// What the FLAIR series shows.
pub struct FlairOutcome {
    /// Grid of `intensities` and `marks`.
    pub grid: Grid,
    /// 0..255.
    pub intensities: Vec<u8>,
    /// 0, 1 periventricular, 2 deep.
    pub marks: Vec<u8>,
    pub lesions: Lesions,
    pub t1_from_flair: Affine,
    /// Normalised mutual information and overlap of the brains; `None` without a T1-weighted series.
    pub similarity: Option<[f64; 2]>,
    /// `None` with a T1-weighted series, which has its own.
    pub icv_mm3: Option<f64>,
}

/// Voxels in single precision; what is not a number becomes 0.
fn plain<T: Voxel>(voxels: &[T], grid: &Grid) -> Result<Vec<f32>, Error> {
    if voxels.len() != grid.count() {
        return Err(Error::unsupported("shape", "Cannot use FLAIR: voxel count and shape differ"));
    }
    Ok(voxels.iter().map(|v| v.to_f32()).map(|v| if v.is_finite() { v } else { 0.0 }).collect())
}

/// Display intensities of a series on another grid.
fn displayed(voxels: &[f32], from: &Grid, to: &Grid) -> Result<Vec<u8>, Error> {
    let mut bytes = scale_to_bytes(&resample(voxels, from, to)?)?;
    let table = display_table(&bytes);
    bytes.iter_mut().for_each(|v| *v = table[*v as usize]);
    Ok(bytes)
}

impl Pipeline {
    /// Takes the FLAIR series; before `label`, which keeps the tissue priors for it.
    ///
    /// # Errors
    /// `engine.unsupported_input` (`shape`).
    pub fn add_flair<T: Voxel>(&mut self, voxels: &[T], grid: Grid) -> Result<(), Error> {
        self.flair = Some(FlairStage { voxels: plain(voxels, &grid)?, grid, rigid: None, lesions: None });
        Ok(())
    }

    /// Registers the FLAIR series to the T1-weighted one.
    ///
    /// # Errors
    /// `engine.unsupported_input` (`flair registration`); `internal` when the stages before did not run.
    pub fn register_flair(&mut self) -> Result<(), Error> {
        let mut stage = self.flair.take().ok_or_else(|| missing("add_flair"))?;
        let flair = Flair { voxels: &stage.voxels, grid: &stage.grid };
        stage.rigid = Some(register(&flair, &self.t1_side()?)?);
        self.flair = Some(stage);
        Ok(())
    }

    /// Finds lesions and writes them into the labels.
    ///
    /// # Errors
    /// As `lesions::find`; `internal` when the stages before did not run.
    pub fn find_lesions(&mut self) -> Result<(), Error> {
        let mut stage = self.flair.take().ok_or_else(|| missing("add_flair"))?;
        let rigid = stage.rigid.as_ref().ok_or_else(|| missing("register_flair"))?;
        let flair = Flair { voxels: &stage.voxels, grid: &stage.grid };
        let lesions = find(&flair, &self.t1_side()?, &rigid.t1_from_flair)?;
        let priors = self.tissue_priors.take().ok_or_else(|| missing("label"))?;
        let tissue = self.tissue.as_mut().ok_or_else(|| missing("label"))?;
        relabel(&mut tissue.labels, &lesions.on_t1, &priors.white);
        relabel(&mut tissue.unrefined, &lesions.on_t1, &priors.white);
        stage.lesions = Some(lesions);
        self.flair = Some(stage);
        Ok(())
    }

    /// Writes the FLAIR's result on the grid of the T1-weighted one.
    ///
    /// # Errors
    /// `internal` when the stages before did not run.
    pub fn finish_flair(&mut self, frame: &Frame) -> Result<FlairOutcome, Error> {
        let stage = self.flair.take().ok_or_else(|| missing("find_lesions"))?;
        let rigid = stage.rigid.ok_or_else(|| missing("register_flair"))?;
        let lesions = stage.lesions.ok_or_else(|| missing("find_lesions"))?;
        let tissue = self.tissue.as_ref().ok_or_else(|| missing("label"))?;
        let moved = Grid {
            shape: stage.grid.shape,
            ras_from_ijk: rigid.t1_from_flair.compose(&stage.grid.ras_from_ijk),
        };
        Ok(FlairOutcome {
            grid: frame.grid,
            intensities: displayed(&stage.voxels, &moved, &frame.grid)?,
            marks: on_frame(frame, &tissue.window, |at| lesions.on_t1[at]),
            lesions,
            t1_from_flair: rigid.t1_from_flair,
            similarity: Some([rigid.nmi, rigid.overlap]),
            icv_mm3: None,
        })
    }

    /// Analyses the FLAIR series without a T1-weighted one; for a pipeline that has run no other stage.
    ///
    /// # Errors
    /// As `flair_only::flair_only`.
    pub fn analyze_flair_alone(&mut self) -> Result<FlairOutcome, Error> {
        let FlairStage { voxels, grid, .. } = self.flair.take().ok_or_else(|| missing("add_flair"))?;
        let atlas = self.atlas.take().ok_or_else(|| missing("new"))?;
        let found = flair_only(&voxels, &grid, &atlas)?;
        let frame = Frame::new(&found.conformed.grid, &grid)?;
        Ok(FlairOutcome {
            grid: frame.grid,
            intensities: displayed(&voxels, &grid, &frame.grid)?,
            marks: on_frame(&frame, &found.window, |at| found.lesions.on_t1[at]),
            lesions: found.lesions,
            t1_from_flair: Affine::IDENTITY,
            similarity: None,
            icv_mm3: Some(found.icv_mm3),
        })
    }

    fn t1_side(&self) -> Result<T1Side<'_>, Error> {
        let conformed = self.conformed().ok_or_else(|| missing("conform"))?;
        let tissue = self.tissue.as_ref().ok_or_else(|| missing("label"))?;
        Ok(T1Side {
            conformed: &conformed.voxels,
            grid: &conformed.grid,
            window: tissue.window,
            labels: &tissue.labels,
            corrected: &tissue.corrected,
            grey: tissue.grey as f32,
            white: tissue.white as f32,
            priors: self.tissue_priors.as_ref().ok_or_else(|| missing("label"))?,
        })
    }
}

/// Keeps the priors that the lesion rules need, when there is a FLAIR series.
pub fn priors_for(flair: Option<&FlairStage>, prior: &crate::prior::Prior) -> Option<TissuePriors> {
    flair.map(|_| TissuePriors::new(prior))
}
