//! Thin boundary between the browser and the image kernels. Volumes, colour table and panes live in WASM memory;
//! JavaScript writes and reads them through views, so a frame crosses the boundary with numbers only.
//!
//! In WebAssembly without the standard library: every viewer page fetches this module.
#![allow(unsafe_code)]
#![cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), no_std)]

extern crate alloc;

mod measure;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod memory;
mod surface;
mod volume;

use alloc::alloc::alloc_zeroed;
use alloc::vec;
use alloc::vec::Vec;
use core::alloc::Layout;
use kernels::centres::{label_bounds, label_centres};
use kernels::colours::{effective_colours, LABELS, OUTSIDE};
use kernels::compose::{compose_slice, Scratch, Volumes};
use kernels::mapping::Mapping;
use kernels::npy::read_layout;
use kernels::npy_decode::{decode, Target};
use kernels::window::Window;
use wasm_bindgen::prelude::wasm_bindgen;

/// Panes that one composer can hold.
const PANES: usize = 8;
/// Volumes of one grid that one composer can hold.
const SLOTS: usize = 5;
/// Overlay kinds: what is laid over what.
const KINDS: usize = 3;
/// Slots of (base, overlay) of each kind: T1w + labels, T1w + thickness, FLAIR + lesions.
const LAYERS: [(usize, usize); KINDS] = [(0, 1), (0, 2), (3, 4)];

#[derive(Default)]
struct Pane {
    pixels: Vec<u32>,
    width: usize,
}

/// The volumes of one patient and the panes that show them.
#[wasm_bindgen]
pub struct SliceComposer {
    /// Empty while there is no such volume.
    volumes: [Vec<u8>; SLOTS],
    shape: [usize; 3],
    tables: [[u32; LABELS]; KINDS],
    visible: [[u8; LABELS]; KINDS],
    colours: [u32; LABELS],
    /// origin, du, dv of the next `compose`
    mapping: [f64; 9],
    panes: [Pane; PANES],
    scratch: Scratch,
    /// Room of the last slice.
    slice: Vec<u8>,
}

#[wasm_bindgen]
impl SliceComposer {
    /// For volumes of a shape, none of them there yet; `undefined` when the shape is empty or too large.
    pub fn create(nx: usize, ny: usize, nz: usize) -> Option<SliceComposer> {
        nx.checked_mul(ny)?.checked_mul(nz).filter(|n| (1..1 << 30).contains(n))?;
        let mut scratch = Scratch::default();
        scratch.reserve_line(nx.max(ny).max(nz)).ok()?;
        Some(SliceComposer {
            volumes: Default::default(),
            shape: [nx, ny, nz],
            tables: [[0; LABELS]; KINDS],
            visible: [[1; LABELS]; KINDS],
            colours: [0; LABELS],
            mapping: [0.0; 9],
            panes: Default::default(),
            scratch,
            slice: Vec::new(),
        })
    }

    /// Address of a volume in WASM memory; zeros at first use. 0 when there is no such slot or memory is short.
    pub fn volume_address(&mut self, slot: usize) -> usize {
        let voxels = self.shape.iter().product();
        let Some(volume) = self.volumes.get_mut(slot) else { return 0 };
        if volume.is_empty() {
            let Some(zeros) = zeros(voxels) else { return 0 };
            *volume = zeros;
        }
        volume.as_mut_ptr() as usize
    }

    /// Frees a volume's memory.
    pub fn drop_volume(&mut self, slot: usize) {
        if let Some(volume) = self.volumes.get_mut(slot) {
            *volume = Vec::new();
        }
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

    /// Addresses in WASM memory: colour tables and visibility, 256 values a kind one after another, and the mapping.
    pub fn tables_address(&mut self) -> *mut u32 {
        self.tables.as_mut_ptr().cast()
    }
    pub fn visible_address(&mut self) -> *mut u8 {
        self.visible.as_mut_ptr().cast()
    }
    pub fn mapping_address(&mut self) -> *mut f64 {
        self.mapping.as_mut_ptr()
    }
    /// Address of a pane's RGBA pixels; 0 when there is no such pane.
    pub fn pane_address(&mut self, pane: usize) -> usize {
        self.panes.get_mut(pane).map_or(0, |p| p.pixels.as_mut_ptr() as usize)
    }

    /// Composes a pane from the mapping written at `mapping_address`. `opacity` is 0..=255; 0 hides the overlay. A base
    /// that is not there is black, an overlay that is not there is not drawn.
    pub fn compose(&mut self, pane: usize, kind: usize, window_width: f32, window_level: f32, opacity: u8) {
        let mapping = self.next_mapping();
        let (Some(target), Some(&(base, overlay))) = (self.panes.get_mut(pane), LAYERS.get(kind)) else {
            return;
        };
        let base = &self.volumes[base];
        if base.is_empty() {
            target.pixels.fill(OUTSIDE);
            return;
        }
        effective_colours(&self.tables[kind], &self.visible[kind], opacity, &mut self.colours);
        let window = Window { width: window_width, level: window_level };
        let labels = if opacity == 0 { &[][..] } else { &self.volumes[overlay][..] };
        compose_slice(
            Volumes { base, labels, shape: self.shape },
            &mapping,
            window,
            &self.colours,
            target.width,
            &mut self.scratch,
            &mut target.pixels,
        );
    }
}

/// Zeros that nobody has written: memory that is new takes no room before it is written. `None` when memory is short.
fn zeros(bytes: usize) -> Option<Vec<u8>> {
    let layout = Layout::array::<u8>(bytes).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout is not empty; the vector gets a piece of exactly this layout, all of it written with zeros.
    unsafe {
        let piece = alloc_zeroed(layout);
        (!piece.is_null()).then(|| Vec::from_raw_parts(piece, bytes, bytes))
    }
}

impl SliceComposer {
    /// The mapping that JavaScript wrote last.
    fn next_mapping(&self) -> Mapping {
        let m = &self.mapping;
        Mapping { origin: [m[0], m[1], m[2]], du: [m[3], m[4], m[5]], dv: [m[6], m[7], m[8]] }
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

/// Layout of an NPY file: [0, offset, kind, bytes per element, n0, n1, n2, big-endian, Fortran order], or
/// [error number].
///
/// `head` is the beginning of the file, `total` its length.
#[wasm_bindgen]
pub fn npy_layout(head: &[u8], total: usize) -> Vec<u32> {
    match read_layout(head, total) {
        Ok(layout) => {
            let [a, b, c] = layout.shape.map(|n| n as u32);
            let element = layout.element;
            let (big, fortran) = (element.is_big_endian.into(), layout.is_fortran.into());
            vec![0, layout.offset as u32, element.kind.into(), element.bytes.into(), a, b, c, big, fortran]
        }
        Err(error) => vec![error as u32],
    }
}

/// Elements of an NPY file in C order, as unsigned bytes; empty when the file is refused ([`npy_layout`] says why) or
/// memory is short.
#[wasm_bindgen]
pub fn npy_to_u8(file: &[u8]) -> Vec<u8> {
    decoded(file)
}

/// The same as 32-bit floats.
#[wasm_bindgen]
pub fn npy_to_f32(file: &[u8]) -> Vec<f32> {
    decoded(file)
}

/// The same as unsigned 32-bit numbers.
#[wasm_bindgen]
pub fn npy_to_u32(file: &[u8]) -> Vec<u32> {
    decoded(file)
}

fn decoded<T: Target>(file: &[u8]) -> Vec<T> {
    let mut out = Vec::new();
    let Ok(layout) = read_layout(file, file.len()) else { return out };
    if out.try_reserve_exact(layout.count()).is_ok() {
        out.resize(layout.count(), T::default());
        if decode(&file[layout.offset..], &layout, &mut out).is_err() {
            out.clear();
        }
    }
    out
}
