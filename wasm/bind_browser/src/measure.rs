//! What is read from single slices and voxels.

use crate::SliceComposer;
use kernels::mapping::pick_voxel;
use kernels::slices::extract_slice;
use wasm_bindgen::prelude::wasm_bindgen;

/// What is read from single slices and voxels. Results stay in WASM memory until the next call.
#[wasm_bindgen]
impl SliceComposer {
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
