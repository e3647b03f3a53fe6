//! What is read from whole volumes and single slices.

use crate::SliceComposer;
use alloc::vec::Vec;
use kernels::colours::LABELS;
use kernels::mapping::pick_voxel;
use kernels::mask::{histogram, labels_within, mask_labels, mask_values};
use kernels::slices::extract_slice;
use kernels::window::{window_values, Window};
use wasm_bindgen::prelude::wasm_bindgen;

/// What is read from whole volumes and single slices. Results lie in WASM memory until the next call.
#[wasm_bindgen]
impl SliceComposer {
    /// Marks the voxels of `low..=high`; gives their number. The marks (255 or 0) are at `mask_address`. 2^32 - 1 when
    /// the volume is not there or memory is short.
    pub fn mask_values(&mut self, slot: usize, low: u8, high: u8) -> u32 {
        self.masked(slot, |volume, mask| mask_values(volume, low, high, mask))
    }

    /// Marks the voxels whose label's percentile, of 256, lies in `0..=threshold`; 15-18 and 25-28 count from the other
    /// end, NaN and label 0 never lie in it.
    pub fn mask_percentiles(&mut self, slot: usize, percentiles: &[f32], threshold: f32) -> u32 {
        let Ok(percentiles) = <&[f32; LABELS]>::try_from(percentiles) else { return u32::MAX };
        let chosen = labels_within(percentiles, threshold);
        self.masked(slot, |volume, mask| mask_labels(volume, &chosen, mask))
    }

    pub fn mask_address(&self) -> *const u8 {
        self.mask.as_ptr()
    }

    fn masked(&mut self, slot: usize, mark: impl Fn(&[u8], &mut [u8]) -> usize) -> u32 {
        let Some(volume) = self.volumes.get(slot).filter(|v| !v.is_empty()) else { return u32::MAX };
        if self.mask.try_reserve_exact(volume.len().saturating_sub(self.mask.len())).is_err() {
            return u32::MAX;
        }
        self.mask.resize(volume.len(), 0);
        mark(volume, &mut self.mask) as u32
    }

    /// Frees the mask's memory.
    pub fn drop_mask(&mut self) {
        self.mask = Vec::new();
    }

    /// How often each of the 256 values occurs; empty when the volume is not there.
    pub fn histogram(&self, slot: usize) -> Vec<u32> {
        self.volumes.get(slot).filter(|v| !v.is_empty()).map_or(Vec::new(), |v| histogram(v).to_vec())
    }

    /// Copies the slice `index` along `axis` to `slice_address`; its number of voxels, 0 when there is no such slice.
    pub fn extract(&mut self, slot: usize, axis: usize, index: usize) -> usize {
        let Some(volume) = self.volumes.get(slot).filter(|v| !v.is_empty() && axis < 3) else { return 0 };
        let voxels = volume.len() / self.shape[axis];
        if self.slice.try_reserve_exact(voxels.saturating_sub(self.slice.len())).is_err() {
            return 0;
        }
        self.slice.resize(voxels, 0);
        if extract_slice(volume, self.shape, axis, index, &mut self.slice) {
            voxels
        } else {
            0
        }
    }

    /// The same with window/level.
    pub fn extract_windowed(
        &mut self,
        slot: usize,
        axis: usize,
        index: usize,
        width: f32,
        level: f32,
    ) -> usize {
        let voxels = self.extract(slot, axis, index);
        window_values(&mut self.slice, Window { width, level });
        voxels
    }

    pub fn slice_address(&self) -> *const u8 {
        self.slice.as_ptr()
    }

    /// Value of a volume under a point of a pane, whose mapping is at `mapping_address`; -1 outside, and when the volume
    /// is not there.
    pub fn value_at(&self, slot: usize, x: f64, y: f64) -> i32 {
        let place = pick_voxel(&self.next_mapping(), self.shape, x, y);
        let value = place.zip(self.volumes.get(slot)).and_then(|(voxel, volume)| volume.get(voxel));
        value.map_or(-1, |&value| value.into())
    }
}
