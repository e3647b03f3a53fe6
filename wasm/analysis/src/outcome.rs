//! What an analysis hands out, on the output grid.

use crate::atlas::{LABEL_COUNT, OUTER_CSF};
use crate::thickness::Thickness;
use crate::tissue::prior::Window;
use crate::tissue::Tissue;
use crate::voxels::conform::{Conformed, SIDE};
use crate::voxels::output::{display_table, Frame};
use volume::{Error, Grid};

/// Thickness of 255 in a thickness map, mm.
pub const THICKEST_MM: f32 = 5.0;

/// The label map, display intensities and thickness on the output grid, with volumes by label.
pub struct Outcome {
    pub frame: Frame,
    pub intensities: Vec<u8>,
    /// 0..104.
    pub labels: Vec<u8>,
    /// By label; background is 0.
    pub volumes_mm3: Vec<f64>,
    /// Millimetres times 51 at cortical voxels, at least 1; empty when thickness was not measured.
    pub thickness: Vec<u8>,
    /// 1 inside the dura, as the intracranial volume counts it.
    pub intracranial: Vec<u8>,
}

impl Outcome {
    /// # Arguments
    /// * `intracranial` - 1 inside the dura, 0 elsewhere, on the window of `tissue`
    ///
    /// # Errors
    /// `volume.affine_singular`.
    pub fn new(
        conformed: &Conformed,
        source: &Grid,
        tissue: &Tissue,
        thickness: Option<&Thickness>,
        intracranial: &[u8],
    ) -> Result<Self, Error> {
        let frame = Frame::new(&conformed.grid, source)?;
        let table = display_table(&conformed.voxels);
        let intensities = frame.map(|[i, j, k]| table[conformed.voxels[i + SIDE * (j + SIDE * k)] as usize]);
        let labels = on_frame(&frame, &tissue.window, |at| match tissue.labels[at] {
            OUTER_CSF => 0,
            label => label,
        });
        let mut volumes_mm3 = vec![0f64; LABEL_COUNT];
        labels.iter().filter(|&&l| l > 0).for_each(|&l| volumes_mm3[l as usize] += 1.0);
        let thickness = thickness.map_or_else(Vec::new, |t| {
            on_frame(&frame, &tissue.window, |at| match t.mm[at] {
                mm if mm > 0.0 => (mm / THICKEST_MM * 255.0).round().clamp(1.0, 255.0) as u8,
                _ => 0,
            })
        });
        let intracranial = on_frame(&frame, &tissue.window, |at| intracranial[at]);
        Ok(Self { frame, intensities, labels, volumes_mm3, thickness, intracranial })
    }
}

/// Values of a function of the window's index on the output grid; 0 outside the window.
pub fn on_frame(frame: &Frame, window: &Window, value: impl Fn(usize) -> u8 + Sync) -> Vec<u8> {
    frame.map(|ijk| {
        let p = [0, 1, 2].map(|a| ijk[a].wrapping_sub(window.low[a]));
        if (0..3).any(|a| p[a] >= window.shape[a]) {
            return 0;
        }
        value(p[0] + window.shape[0] * (p[1] + window.shape[1] * p[2]))
    })
}
