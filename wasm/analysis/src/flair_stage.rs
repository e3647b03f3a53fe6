//! The FLAIR series of an analysis: its stages after the labels of the T1-weighted series, or alone.

use crate::atlas::{Atlas, LABEL_COUNT};
use crate::flair::flair_only::flair_only;
use crate::flair::lesions::{find, Lesions};
use crate::flair::relabel::relabel;
use crate::flair::rigid::{register, Rigid};
use crate::flair::tissue::TissuePriors;
use crate::flair::{Flair, T1Side};
use crate::network::any_contrast::DeepReading;
use crate::network::fusion::Fusion;
use crate::outcome::on_frame;
use crate::pipeline::Labelled;
use crate::tissue::prior::Window;
use crate::voxels::conform::scale_to_bytes;
use crate::voxels::interpolate::{resample, Voxel};
use crate::voxels::output::{display_table, Frame};
use volume::{Affine, Error, Grid};

/// A FLAIR series.
pub struct FlairSeries {
    voxels: Vec<f32>,
    grid: Grid,
}

/// A FLAIR series that lies on the T1-weighted one.
pub struct RegisteredFlair {
    series: FlairSeries,
    rigid: Rigid,
    priors: TissuePriors,
}

/// A FLAIR series whose lesions are in the labels of the T1-weighted one.
pub struct FoundFlair {
    series: FlairSeries,
    rigid: Rigid,
    lesions: Lesions,
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
    /// `None` with a T1-weighted series, and without a network for any contrast.
    pub deep: Option<DeepOutcome>,
}

/// What a FLAIR series alone shows of the deep structures.
pub struct DeepOutcome {
    pub fusion: Fusion,
    /// Labels on the outcome's grid, 0 elsewhere; empty when the network's answer was refused.
    pub labels: Vec<u8>,
    /// By label; all 0 when it was refused.
    pub volumes_mm3: Vec<f64>,
}

impl DeepOutcome {
    fn new(DeepReading { fusion, labels }: DeepReading, frame: &Frame, window: &Window) -> Self {
        let labels = if labels.is_empty() { labels } else { on_frame(frame, window, |at| labels[at]) };
        let mut volumes_mm3 = vec![0.0; LABEL_COUNT];
        labels.iter().filter(|&&label| label > 0).for_each(|&label| volumes_mm3[usize::from(label)] += 1.0);
        Self { fusion, labels, volumes_mm3 }
    }
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

impl FlairSeries {
    /// Takes voxels over.
    ///
    /// # Errors
    /// `engine.unsupported_input` (`shape`).
    pub fn new<T: Voxel>(voxels: &[T], grid: Grid) -> Result<Self, Error> {
        Ok(Self { voxels: plain(voxels, &grid)?, grid })
    }

    fn view(&self) -> Flair<'_> {
        Flair { voxels: &self.voxels, grid: &self.grid }
    }

    /// Registers the series to the T1-weighted one. `priors` are those of `pipeline::Segmented`.
    ///
    /// # Errors
    /// `engine.unsupported_input` (`flair registration`).
    pub fn register(self, t1: &Labelled, priors: TissuePriors) -> Result<RegisteredFlair, Error> {
        let rigid = register(&self.view(), &t1_side(t1, &priors))?;
        Ok(RegisteredFlair { series: self, rigid, priors })
    }

    /// Analyses the series without a T1-weighted one.
    ///
    /// # Errors
    /// As `flair_only::flair_only`.
    pub fn analyze_alone(self, atlas: Atlas, deep_weights: Option<&[u8]>) -> Result<FlairOutcome, Error> {
        let Self { voxels, grid } = self;
        let found = flair_only(&voxels, &grid, &atlas, deep_weights)?;
        let frame = Frame::new(&found.conformed.grid, &grid)?;
        let deep = found.deep.map(|reading| DeepOutcome::new(reading, &frame, &found.window));
        Ok(FlairOutcome {
            grid: frame.grid,
            intensities: displayed(&voxels, &grid, &frame.grid)?,
            marks: on_frame(&frame, &found.window, |at| found.lesions.on_t1[at]),
            lesions: found.lesions,
            t1_from_flair: Affine::IDENTITY,
            similarity: None,
            icv_mm3: Some(found.icv_mm3),
            deep,
        })
    }
}

impl RegisteredFlair {
    /// Finds lesions and writes them into the labels.
    ///
    /// # Errors
    /// As `lesions::find`; the labels are as before.
    pub fn find_lesions(self, t1: &mut Labelled) -> Result<FoundFlair, Error> {
        let Self { series, rigid, priors } = self;
        let lesions = find(&series.view(), &t1_side(t1, &priors), &rigid.t1_from_flair)?;
        relabel(&mut t1.tissue.labels, &lesions.on_t1, &priors.white);
        relabel(&mut t1.tissue.unrefined, &lesions.on_t1, &priors.white);
        Ok(FoundFlair { series, rigid, lesions })
    }
}

impl FoundFlair {
    /// Writes the result on the grid of the T1-weighted one.
    ///
    /// # Errors
    /// As `interpolate::resample`.
    pub fn finish(self, t1: &Labelled, frame: &Frame) -> Result<FlairOutcome, Error> {
        let Self { series, rigid, lesions } = self;
        let moved = Grid {
            shape: series.grid.shape,
            ras_from_ijk: rigid.t1_from_flair.compose(&series.grid.ras_from_ijk),
        };
        Ok(FlairOutcome {
            grid: frame.grid,
            intensities: displayed(&series.voxels, &moved, &frame.grid)?,
            marks: on_frame(frame, &t1.tissue.window, |at| lesions.on_t1[at]),
            lesions,
            t1_from_flair: rigid.t1_from_flair,
            similarity: Some([rigid.nmi, rigid.overlap]),
            icv_mm3: None,
            deep: None,
        })
    }
}

fn t1_side<'a>(t1: &'a Labelled, priors: &'a TissuePriors) -> T1Side<'a> {
    let conformed = &t1.alignment.subject.conformed;
    let tissue = &t1.tissue;
    T1Side {
        conformed: &conformed.voxels,
        grid: &conformed.grid,
        window: tissue.window,
        labels: &tissue.labels,
        corrected: &tissue.corrected,
        grey: tissue.grey as f32,
        white: tissue.white as f32,
        priors,
    }
}
