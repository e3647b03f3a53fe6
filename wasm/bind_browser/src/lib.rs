//! Thin boundary between the browser and the image kernels. Volumes, colour table and panes live in WASM memory;
//! JavaScript writes and reads them through views, so a frame crosses the boundary with numbers only.
#![allow(unsafe_code)]

use kernels::centres::{label_bounds, label_centres};
use kernels::colours::{effective_colours, LABELS};
use kernels::compose::{compose_slice, Mapping, Scratch, Volumes, Window};
use kernels::npy::read_layout;
use wasm_bindgen::prelude::wasm_bindgen;

/// Panes that one composer can hold.
const PANES: usize = 4;

#[derive(Default)]
struct Pane {
    pixels: Vec<u32>,
    width: usize,
}

/// The volumes of one patient and the panes that show them.
#[wasm_bindgen]
pub struct SliceComposer {
    base: Vec<u8>,
    labels: Vec<u8>,
    shape: [usize; 3],
    table: [u32; LABELS],
    visible: [u8; LABELS],
    colours: [u32; LABELS],
    /// origin, du, dv of the next `compose`
    mapping: [f64; 9],
    panes: [Pane; PANES],
    scratch: Scratch,
}

#[wasm_bindgen]
impl SliceComposer {
    /// Makes room for two volumes of a shape; `undefined` when the shape is empty or memory is short.
    pub fn create(nx: usize, ny: usize, nz: usize) -> Option<SliceComposer> {
        let voxels = nx.checked_mul(ny)?.checked_mul(nz).filter(|n| (1..1 << 30).contains(n))?;
        let (mut base, mut labels) = (Vec::new(), Vec::new());
        base.try_reserve_exact(voxels).ok()?;
        labels.try_reserve_exact(voxels).ok()?;
        base.resize(voxels, 0);
        labels.resize(voxels, 0);
        Some(SliceComposer {
            base,
            labels,
            shape: [nx, ny, nz],
            table: [0; LABELS],
            visible: [1; LABELS],
            colours: [0; LABELS],
            mapping: [0.0; 9],
            panes: Default::default(),
            scratch: Scratch::default(),
        })
    }

    /// Sizes a pane in device pixels; false when there is no such pane or memory is short.
    pub fn size_pane(&mut self, pane: usize, width: usize, height: usize) -> bool {
        let Some(length) = width.checked_mul(height).filter(|n| *n < 1 << 26) else {
            return false;
        };
        let Some(target) = self.panes.get_mut(pane) else {
            return false;
        };
        let more = length.saturating_sub(target.pixels.len());
        if target.pixels.try_reserve_exact(more).is_err() || self.scratch.reserve(width).is_err() {
            return false;
        }
        target.pixels.resize(length, 0);
        target.width = width;
        true
    }

    /// Addresses in WASM memory: base, labels, colour table, visibility, mapping.
    pub fn base_address(&mut self) -> *mut u8 {
        self.base.as_mut_ptr()
    }
    pub fn labels_address(&mut self) -> *mut u8 {
        self.labels.as_mut_ptr()
    }
    pub fn table_address(&mut self) -> *mut u32 {
        self.table.as_mut_ptr()
    }
    pub fn visible_address(&mut self) -> *mut u8 {
        self.visible.as_mut_ptr()
    }
    pub fn mapping_address(&mut self) -> *mut f64 {
        self.mapping.as_mut_ptr()
    }
    /// Address of a pane's RGBA pixels; 0 when there is no such pane.
    pub fn pane_address(&mut self, pane: usize) -> usize {
        self.panes.get_mut(pane).map_or(0, |p| p.pixels.as_mut_ptr() as usize)
    }

    /// Composes a pane from the mapping written at `mapping_address`. `opacity` is 0..=255; 0 hides the overlay.
    pub fn compose(&mut self, pane: usize, window_width: f32, window_level: f32, opacity: u8) {
        let Some(target) = self.panes.get_mut(pane) else {
            return;
        };
        effective_colours(&self.table, &self.visible, opacity, &mut self.colours);
        let m = &self.mapping;
        let mapping = Mapping { origin: [m[0], m[1], m[2]], du: [m[3], m[4], m[5]], dv: [m[6], m[7], m[8]] };
        let window = Window { width: window_width, level: window_level };
        let labels = if opacity == 0 { &[][..] } else { &self.labels[..] };
        compose_slice(
            Volumes { base: &self.base, labels, shape: self.shape },
            &mapping,
            window,
            &self.colours,
            target.width,
            &mut self.scratch,
            &mut target.pixels,
        );
    }
}

/// Where the labels are: for every label value (0..=255) the index of a voxel in its middle, 2^32 - 1 where it does
/// not occur; then first and last index on each axis of all labels together, if there are any. Empty when `labels` is
/// not `nx·ny·nz` long.
#[wasm_bindgen]
pub fn label_places(labels: &[u8], nx: usize, ny: usize, nz: usize) -> Vec<u32> {
    if labels.is_empty() || nx.checked_mul(ny).and_then(|n| n.checked_mul(nz)) != Some(labels.len()) {
        return Vec::new();
    }
    let mut places = label_centres(labels, [nx, ny, nz]).to_vec();
    places.extend(label_bounds(labels, [nx, ny, nz]).iter().flatten());
    places
}

/// Layout of an NPY file: [0, offset, kind, bytes per element, n0, n1, n2], or [refusal number].
///
/// `head` is the beginning of the file, `total` its length.
#[wasm_bindgen]
pub fn npy_layout(head: &[u8], total: usize) -> Vec<u32> {
    match read_layout(head, total) {
        Ok(layout) => {
            let [a, b, c] = layout.shape.map(|n| n as u32);
            let element = layout.element;
            vec![0, layout.offset as u32, element.kind.into(), element.bytes.into(), a, b, c]
        }
        Err(refusal) => vec![refusal as u32],
    }
}
