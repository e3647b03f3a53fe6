//! Thin boundary between the browser and the image work of reading. A module of its own: a page fetches it when the reader
//! first compares, corrects or outlines, and a worker that resamples gives its memory back by ending.
#![allow(unsafe_code)]
#![cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), no_std)]

extern crate alloc;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[path = "../../bind_browser/src/memory.rs"]
mod memory;

use alloc::vec;
use alloc::vec::Vec;
use kernels::colours::LABELS;
use kernels::reading::brush::{self, Stroke};
use kernels::reading::difference::{difference, Sums};
use kernels::reading::region::{self, Outline, Pixels, Rows};
use kernels::reading::resample::{resample, resample_nearest, shown_range, FromTarget, Scale, Source};
use kernels::reading::{contour, moments};
use wasm_bindgen::prelude::wasm_bindgen;

/// Voxels as they are stored.
enum Stored {
    Bytes(Vec<u8>),
    Signed(Vec<i16>),
    Unsigned(Vec<u16>),
    Floats(Vec<f32>),
}

fn zeros<T: Clone + Default>(length: usize) -> Option<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(length).ok()?;
    room.resize(length, T::default());
    Some(room)
}

/// A volume that is brought onto another grid, some slices a call.
#[wasm_bindgen]
pub struct Resampler {
    stored: Stored,
    shape: [usize; 3],
}

#[wasm_bindgen]
impl Resampler {
    /// For a volume of a shape; `kind` 0 = unsigned bytes, 1 = signed and 2 = unsigned 16-bit numbers, 3 = 32-bit floats.
    /// `undefined` for another kind, an empty shape, or when memory is short.
    pub fn create(kind: usize, nx: usize, ny: usize, nz: usize) -> Option<Resampler> {
        let voxels = nx.checked_mul(ny)?.checked_mul(nz).filter(|n| (1..1 << 29).contains(n))?;
        let stored = match kind {
            0 => Stored::Bytes(zeros(voxels)?),
            1 => Stored::Signed(zeros(voxels)?),
            2 => Stored::Unsigned(zeros(voxels)?),
            3 => Stored::Floats(zeros(voxels)?),
            _ => return None,
        };
        Some(Resampler { stored, shape: [nx, ny, nz] })
    }

    /// Where JavaScript writes the voxels, i fastest.
    pub fn address(&mut self) -> usize {
        match &mut self.stored {
            Stored::Bytes(v) => v.as_mut_ptr() as usize,
            Stored::Signed(v) => v.as_mut_ptr() as usize,
            Stored::Unsigned(v) => v.as_mut_ptr() as usize,
            Stored::Floats(v) => v.as_mut_ptr() as usize,
        }
    }

    /// [`shown_range`] of the voxels; empty when none is a number.
    pub fn shown_range(&self) -> Vec<f32> {
        match &self.stored {
            Stored::Bytes(v) => shown_range(v),
            Stored::Signed(v) => shown_range(v),
            Stored::Unsigned(v) => shown_range(v),
            Stored::Floats(v) => shown_range(v),
        }
        .map_or(Vec::new(), |range| range.to_vec())
    }

    /// Slices `first..first + count` of a new grid as bytes, 0 outside; empty when the request makes no sense.
    ///
    /// `from_target` are three rows of four numbers, the old grid's index from the new one's; without `gain` the nearest
    /// voxel's byte, else (value - low) * gain between voxels.
    #[allow(clippy::too_many_arguments)]
    pub fn slices(
        &self,
        from_target: &[f64],
        width: usize,
        height: usize,
        first: usize,
        count: usize,
        low: f32,
        gain: Option<f32>,
    ) -> Vec<u8> {
        let Ok(from_target) = <&FromTarget>::try_from(from_target) else { return Vec::new() };
        let length = width.checked_mul(height).and_then(|n| n.checked_mul(count)).filter(|n| *n < 1 << 28);
        let Some(mut out) = length.and_then(zeros) else { return Vec::new() };
        let (target, slices, shape) = ([width, height], first..first + count, self.shape);
        let Some(gain) = gain else {
            let Stored::Bytes(voxels) = &self.stored else { return Vec::new() };
            resample_nearest(Source { voxels, shape }, from_target, target, slices, &mut out);
            return out;
        };
        let scale = Scale { low, gain };
        match &self.stored {
            Stored::Bytes(voxels) => {
                resample(Source { voxels, shape }, from_target, target, slices, scale, &mut out)
            }
            Stored::Signed(voxels) => {
                resample(Source { voxels, shape }, from_target, target, slices, scale, &mut out)
            }
            Stored::Unsigned(voxels) => {
                resample(Source { voxels, shape }, from_target, target, slices, scale, &mut out)
            }
            Stored::Floats(voxels) => {
                resample(Source { voxels, shape }, from_target, target, slices, scale, &mut out)
            }
        }
        out
    }
}

/// What changed between two volumes: parts of both are added first, and then drawn.
#[wasm_bindgen]
#[derive(Default)]
pub struct Difference {
    sums: Sums,
}

#[wasm_bindgen]
impl Difference {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Difference {
        Difference::default()
    }

    /// Takes the same part of both for the levels.
    pub fn add(&mut self, now: &[u8], then: &[u8]) {
        self.sums.add(now, then);
    }

    /// 128 where a part is alike, more where it is brighter now, less where darker; empty for parts of two lengths.
    pub fn of(&self, now: &[u8], then: &[u8]) -> Vec<u8> {
        if now.len() != then.len() {
            return Vec::new();
        }
        let mut out = vec![0; now.len()];
        difference(now, then, &self.sums.matched(), &mut out);
        out
    }
}

/// Whether a slice is whole rows.
const fn is_rows(length: usize, width: usize) -> bool {
    width > 0 && length.is_multiple_of(width)
}

/// [`contour::contours`] of a slice; empty when it is no whole rows, or `shown` has not 256 flags.
#[wasm_bindgen]
pub fn contours(slice: &[u8], width: usize, shown: &[u8], is_one: bool) -> Vec<f32> {
    let Ok(shown) = <&[u8; LABELS]>::try_from(shown) else { return Vec::new() };
    if !is_rows(slice.len(), width) {
        return Vec::new();
    }
    contour::contours(slice, width, &shown.map(|flag| flag != 0), is_one)
}

/// [`contour::outline`] of a slice; empty when it is no whole rows.
#[wasm_bindgen]
pub fn outline(mask: &[u8], width: usize) -> Vec<f32> {
    if is_rows(mask.len(), width) {
        contour::outline(mask, width)
    } else {
        Vec::new()
    }
}

/// [`brush::cells_under`]: `stroke` are mm of a cell across and down, where it begins and ends, across and down, and mm
/// across the brush. Empty for other than 7 numbers.
#[wasm_bindgen]
pub fn cells_under(columns: usize, rows: usize, stroke: &[f64]) -> Vec<u32> {
    let Ok(&[sx, sy, x0, y0, x1, y1, diameter_mm]) = <&[f64; 7]>::try_from(stroke) else { return Vec::new() };
    let isnt_sound = !(sx > 0.0 && sy > 0.0) || columns.saturating_mul(rows) >= 1 << 30;
    if isnt_sound {
        return Vec::new();
    }
    brush::cells_under(&Stroke {
        cells: [columns, rows],
        spacing: [sx, sy],
        from: [x0, y0],
        to: [x1, y1],
        diameter_mm,
    })
}

/// [`brush::fill_between`]; empty when the slices are no whole rows of one size.
#[wasm_bindgen]
pub fn fill_between(first: &[u8], last: &[u8], width: usize, between: usize, value: u8) -> Vec<u32> {
    if first.len() != last.len() || !is_rows(first.len(), width) {
        return Vec::new();
    }
    brush::fill_between(first, last, width, between, value)
}

/// [`moments::moments`] of whole slices, the first of them slice `first`; empty when they are none.
#[wasm_bindgen]
pub fn label_moments(labels: &[u8], nx: usize, ny: usize, first: usize, value: u8) -> Vec<f64> {
    if !is_rows(labels.len(), nx.saturating_mul(ny)) {
        return Vec::new();
    }
    moments::moments(labels, [nx, ny], first, value).to_vec()
}

/// [`region::region_voxels`]. `kind` 0 = ellipse and 1 = rectangle, of two places, 2 = a free outline of three or more;
/// `places` are pairs of mm along `in_plane`, `range` the first and last index on each axis. Empty when the request makes
/// no sense.
#[allow(clippy::too_many_arguments)]
#[wasm_bindgen]
pub fn region_voxels(
    kind: usize,
    places: &[f64],
    in_plane: &[u32],
    mm_from_ijk: &[f64],
    range: &[u32],
    volume_from_mm: &[f64],
    shape: &[u32],
) -> Vec<u32> {
    let (places, _) = places.as_chunks::<2>();
    let outline = match (kind, places) {
        (0, &[a, b]) => Outline::Ellipse(a, b),
        (1, &[a, b]) => Outline::Rectangle(a, b),
        (2, [_, _, _, ..]) => Outline::Free(places),
        _ => return Vec::new(),
    };
    let (Ok(mm_from_ijk), Ok(volume_from_mm)) =
        (<&Rows>::try_from(mm_from_ijk), <&Rows>::try_from(volume_from_mm))
    else {
        return Vec::new();
    };
    let (&[a, b], &[i0, j0, k0, i1, j1, k1], &[nx, ny, nz]) = (in_plane, range, shape) else {
        return Vec::new();
    };
    let numbers = |three: [u32; 3]| three.map(|n| n as usize);
    if a > 2 || b > 2 {
        return Vec::new();
    }
    let pixels = Pixels {
        mm_from_ijk,
        first: numbers([i0, j0, k0]),
        last: numbers([i1, j1, k1]),
        in_plane: [a as usize, b as usize],
        volume_from_mm,
        shape: numbers([nx, ny, nz]),
    };
    region::region_voxels(&outline, &pixels)
}

/// [`region::statistics`] of values: their number, mean, sum of squares around it, least and greatest.
#[wasm_bindgen]
pub fn value_statistics(values: &[f64]) -> Vec<f64> {
    region::statistics(values).to_vec()
}
