//! Two FLAIR series of one patient for JavaScript.

use crate::failure::{grid, EngineFailure};
use analysis::atlas::Atlas;
use analysis::change::find::ChangedLesion;
use analysis::change::{compare, FlairChange};
use analysis::flair::Flair;
use volume::Grid;
use wasm_bindgen::prelude::*;

/// Takes two series, the older one first, and compares them.
#[wasm_bindgen]
pub struct ChangeEngine {
    atlas: Atlas,
    series: Vec<(Vec<f32>, Grid)>,
}

#[wasm_bindgen]
impl ChangeEngine {
    /// From the bytes of the three NPY files of the atlas.
    #[wasm_bindgen(constructor)]
    pub fn new(template: &[u8], labels: &[u8], weights: &[u8]) -> Result<ChangeEngine, EngineFailure> {
        Ok(Self { atlas: Atlas::from_npy(template, labels, weights)?, series: Vec::new() })
    }

    /// Adds a series; what is not a number becomes 0.
    pub fn add(
        &mut self,
        mut voxels: Vec<f32>,
        shape: &[u32],
        ras_from_ijk: &[f64],
    ) -> Result<(), EngineFailure> {
        voxels.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = 0.0);
        self.series.push((voxels, grid(shape, ras_from_ijk)?));
        Ok(())
    }

    /// Compares them, and consumes them.
    pub fn compare(self) -> Result<EngineChange, EngineFailure> {
        let [first, second] = self.series.as_slice() else {
            return Err(volume::Error::misuse("Cannot compare: two series are needed").into());
        };
        if [first, second].into_iter().any(|(voxels, grid)| voxels.len() != grid.count()) {
            return Err(
                volume::Error::unsupported("shape", "Cannot compare: voxel count and shape differ").into()
            );
        }
        let series =
            [Flair { voxels: &first.0, grid: &first.1 }, Flair { voxels: &second.0, grid: &second.1 }];
        Ok(EngineChange { inner: compare(series, &self.atlas)? })
    }
}

/// What changed.
#[wasm_bindgen]
pub struct EngineChange {
    inner: FlairChange,
}

#[wasm_bindgen]
impl EngineChange {
    /// Twelve numbers a lesion, the surest first: kind (1 new, 2 enlarging, 3 shrinking, 4 gone), 1 when it is sure, changed,
    /// before and after in mm³, z, and its centre in scanner mm of the first and of the second series.
    pub fn lesions(&self) -> Vec<f64> {
        let flat = |l: &ChangedLesion| {
            let [a, b] = l.centre_mm;
            let kind = f64::from(l.kind as u8);
            let sure = f64::from(u8::from(l.is_sure));
            [
                kind,
                sure,
                l.changed_mm3,
                l.before_mm3,
                l.after_mm3,
                f64::from(l.z),
                a[0],
                a[1],
                a[2],
                b[0],
                b[1],
                b[2],
            ]
        };
        self.inner.list.iter().flat_map(flat).collect()
    }

    /// 0, or 1 + the lesion's number, on the grid of the first (0) or the second (1) series; what has been taken is empty.
    pub fn take_marks(&mut self, visit: usize) -> Vec<u8> {
        self.inner.marks.get_mut(visit).map(std::mem::take).unwrap_or_default()
    }

    pub fn ncc(&self) -> f64 {
        self.inner.ncc
    }

    /// Of the difference where the image is flat, parts of normal white matter.
    pub fn noise(&self) -> f64 {
        f64::from(self.inner.noise)
    }

    /// Scanner mm of the first series to those of the second, 16 numbers column by column.
    pub fn second_from_first(&self) -> Vec<f64> {
        self.inner.second_from_first.0.to_vec()
    }
}
