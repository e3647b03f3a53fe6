//! White-matter lesions on a FLAIR series, with the T1-weighted analysis of the same patient or without one.
//! Detection happens on the FLAIR's own voxels: thick slices are never resampled.

pub mod contrast;
pub mod cortex_nearby;
pub mod evidence;
pub mod field;
pub mod flair_only;
pub mod grow;
pub mod hysteresis;
pub mod lesions;
pub mod normal;
pub mod relabel;
pub mod rigid;
pub mod rules;
pub mod split;
pub mod stack;
#[cfg(test)]
pub mod test_head;
pub mod tissue;

use crate::tissue::prior::Window;
use tissue::TissuePriors;
use volume::Grid;

/// A FLAIR series: finite voxels in arbitrary units, any grid.
pub struct Flair<'a> {
    pub voxels: &'a [f32],
    pub grid: &'a Grid,
}

/// What the lesion stages need of an analysis on the conformed grid.
pub struct T1Side<'a> {
    pub conformed: &'a [u8],
    pub grid: &'a Grid,
    pub window: Window,
    /// 0..105 on the window.
    pub labels: &'a [u8],
    /// Bias corrected, white matter about 1, 0 off the candidates; on the window.
    pub corrected: &'a [f32],
    /// Means of cortex and white matter; equal when there is no T1-weighted image, and its rules are left out.
    pub grey: f32,
    pub white: f32,
    pub priors: &'a TissuePriors,
}

impl T1Side<'_> {
    /// Whether grey and white matter differ, so that rules on T1 intensities can be applied.
    pub fn has_contrast(&self) -> bool {
        self.white > self.grey
    }
}
