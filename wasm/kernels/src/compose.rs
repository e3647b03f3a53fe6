//! The compositor: one pane from a base volume, a window/level and an overlay.

use crate::colours::{blend, overlay_colour, LABELS, OUTSIDE};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::compose_wide::{resample_row, shade_row};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::floats::Double;
use crate::mapping::Mapping;
use crate::slices::gather;
use crate::window::{Ramp, Window};
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::{colours::under_overlay, window::nearest_grey};
use alloc::vec::Vec;

/// A base volume and, where `labels` is not empty, its label map; both [nx, ny, nz], i fastest.
#[derive(Clone, Copy)]
pub struct Volumes<'a> {
    pub base: &'a [u8],
    pub labels: &'a [u8],
    pub shape: [usize; 3],
}

/// Work space for panes up to a width; made once, so that a frame allocates nothing.
#[derive(Default)]
pub struct Scratch {
    /// Of each pixel column of an aligned pane: the voxel before it, how far it is from there to the next, and the
    /// nearest.
    firsts: Vec<u32>,
    fractions: Vec<f32>,
    nearest: Vec<u32>,
    rows: [Vec<f32>; 2],
    pixel_overlays: Vec<u64>,
    /// One row of voxels as grey values, the last one twice, and one as overlays.
    values: Vec<f32>,
    overlays: Vec<u64>,
    /// Base and labels of a slice whose rows lie across memory.
    turned: [Vec<u8>; 2],
}

impl Scratch {
    /// Makes room for rows of `voxels` voxels; the compositor makes it itself where it is missing.
    ///
    /// # Errors
    /// When memory is short.
    pub fn reserve_line(&mut self, voxels: usize) -> Result<(), alloc::collections::TryReserveError> {
        lengthen(&mut self.values, voxels + 1)?;
        lengthen(&mut self.overlays, voxels)
    }

    /// Makes room for panes of `width` pixels.
    ///
    /// # Errors
    /// When memory is short; the old room stays usable.
    pub fn reserve(&mut self, width: usize) -> Result<(), alloc::collections::TryReserveError> {
        lengthen(&mut self.firsts, width)?;
        lengthen(&mut self.fractions, width)?;
        lengthen(&mut self.nearest, width)?;
        lengthen(&mut self.rows[0], width)?;
        lengthen(&mut self.rows[1], width)?;
        lengthen(&mut self.pixel_overlays, width)
    }
}

fn lengthen<T: Copy + Default>(
    room: &mut Vec<T>,
    length: usize,
) -> Result<(), alloc::collections::TryReserveError> {
    let more = length.saturating_sub(room.len());
    room.try_reserve_exact(more)?;
    room.resize(room.len() + more, T::default());
    Ok(())
}

/// Composes one pane: base with window/level, linear between voxels; overlay by nearest label.
///
/// `colours` is the table of [`crate::colours::effective_colours`]. `out` is RGBA as little-endian words, row by
/// row from the top, `width · height` long. A pixel outside the volume (nearer to no voxel) is opaque black; the half
/// voxel at the edge repeats the edge. `scratch` must have been reserved for `width`.
///
/// A pane along the grid whose mapping keeps to one slice (an integer index on the third axis) takes the fast path;
/// any other mapping is sampled trilinearly.
///
/// # Panics
/// When a slice is shorter than its shape says, or `scratch` is too small.
///
/// # Exactness
/// Grey within 1 of 255 of `naive` (rounding of f32 sums); labels exactly equal.
pub fn compose_slice(
    volumes: Volumes,
    mapping: &Mapping,
    window: Window,
    colours: &[u32; LABELS],
    width: usize,
    scratch: &mut Scratch,
    out: &mut [u32],
) {
    let [nx, ny, nz] = volumes.shape;
    assert!(volumes.base.len() == nx * ny * nz);
    assert!(volumes.labels.is_empty() || volumes.labels.len() == volumes.base.len());
    if width == 0 || out.is_empty() || volumes.base.is_empty() {
        out.fill(OUTSIDE);
        return;
    }
    match aligned_axes(mapping) {
        Some(axes) => compose_aligned(volumes, mapping, axes, window, colours, width, scratch, out),
        None => compose_oblique(volumes, mapping, window, colours, width, out),
    }
}

/// (across, down, through) axes when the pane lies along the grid on an integer slice.
fn aligned_axes(mapping: &Mapping) -> Option<[usize; 3]> {
    let only = |v: [f64; 3]| {
        let mut axes = (0..3).filter(|&a| v[a] != 0.0);
        axes.next().filter(|_| axes.next().is_none())
    };
    let (u, v) = (only(mapping.du)?, only(mapping.dv)?);
    let n = 3 - u - v;
    (u != v && mapping.origin[n] == mapping.origin[n].floor()).then_some([u, v, n])
}

/// The two voxels a coordinate lies between (clamped to the grid), the fraction, and the nearest voxel.
/// `None` outside the grid.
#[inline(always)]
fn neighbours(coordinate: f64, size: usize) -> Option<(usize, usize, f32, usize)> {
    let nearest = (coordinate + 0.5).floor();
    if !(nearest >= 0.0 && nearest < size as f64) {
        return None;
    }
    let inside = coordinate.clamp(0.0, (size - 1) as f64);
    let first = inside as usize;
    let second = (first + 1).min(size - 1);
    Some((first, second, (inside - first as f64) as f32, nearest as usize))
}

#[allow(clippy::too_many_arguments)]
fn compose_aligned(
    volumes: Volumes,
    mapping: &Mapping,
    [u, v, n]: [usize; 3],
    window: Window,
    colours: &[u32; LABELS],
    width: usize,
    scratch: &mut Scratch,
    out: &mut [u32],
) {
    let shape = volumes.shape;
    let strides = [1, shape[0], shape[0] * shape[1]];
    let slice = mapping.origin[n];
    if !(slice >= 0.0 && slice < shape[n] as f64) {
        out.fill(OUTSIDE);
        return;
    }
    if scratch.overlays.len() < shape[u] && scratch.reserve_line(shape[u]).is_err() {
        out.fill(OUTSIDE);
        return;
    }
    let mut turned = core::mem::take(&mut scratch.turned);
    let (mut start, mut stride) = (slice as usize * strides[n], strides[v]);
    let mut seen = [volumes.base, volumes.labels];
    if strides[u] != 1 {
        for (plane, volume) in turned.iter_mut().zip(&mut seen).filter(|(_, volume)| !volume.is_empty()) {
            if lengthen(plane, shape[u] * shape[v]).is_err() {
                out.fill(OUTSIDE);
                return;
            }
            *volume = turn(volume, start, [shape[u], shape[v]], [strides[u], strides[v]], plane);
        }
        (start, stride) = (0, shape[u]);
    }
    let [base, labels] = seen;
    let slice = Slice { base, labels, start, stride, rows: shape[v], columns: shape[u] };
    let (across, down) = ([mapping.origin[u], mapping.du[u]], [mapping.origin[v], mapping.dv[v]]);
    compose_rows(&slice, across, down, Ramp::of(window), colours, width, scratch, out);
    scratch.turned = turned;
}

/// Copies the rows of a slice one after another.
fn turn<'a>(
    volume: &[u8],
    start: usize,
    [columns, rows]: [usize; 2],
    [across, down]: [usize; 2],
    plane: &'a mut [u8],
) -> &'a [u8] {
    let plane = &mut plane[..columns * rows];
    if columns * across == down {
        gather(&volume[start..], across, plane);
    } else {
        for (row, line) in plane.chunks_exact_mut(columns).enumerate() {
            gather(&volume[start + row * down..], across, line);
        }
    }
    plane
}

/// A slice in memory: row r of base and labels begins at `start + r·stride`. `labels` may be empty.
struct Slice<'a> {
    base: &'a [u8],
    labels: &'a [u8],
    start: usize,
    stride: usize,
    rows: usize,
    columns: usize,
}

/// Composes a slice; `across` and `down` are the place of the first pixel and the step to the next one.
#[allow(clippy::too_many_arguments)]
fn compose_rows(
    slice: &Slice,
    across: [f64; 2],
    down: [f64; 2],
    ramp: Ramp,
    colours: &[u32; LABELS],
    width: usize,
    scratch: &mut Scratch,
    out: &mut [u32],
) {
    let overlay_of: [u64; LABELS] = core::array::from_fn(|label| overlay_colour(colours[label]));
    let (left, right) = scratch.place_columns(width, across[0], across[1], slice.columns);
    let Scratch { firsts, fractions, nearest: nearest_of, rows, pixel_overlays, values, overlays, .. } =
        scratch;
    let span = right - left;
    let (firsts, fractions, nearest_of) =
        (&firsts[left..right], &fractions[left..right], &nearest_of[left..right]);
    let pixel_overlays = &mut pixel_overlays[..span];
    let [even, odd] = rows;
    let (mut even, mut odd) = (&mut even[..span], &mut odd[..span]);
    // Voxels of a row that any of the columns looks at.
    let (low, high) = seen_range(firsts, slice.columns);
    let values = &mut values[..=slice.columns];
    let overlays = &mut overlays[..slice.columns];
    // Window/level is linear, so it may be applied before the interpolation.
    let mut read = |row: usize, out: &mut [f32]| {
        let from = slice.start + row * slice.stride;
        let voxels = slice.base[from + low..from + high].iter();
        values[low..high].iter_mut().zip(voxels).for_each(|(to, &v)| *to = ramp.place(f32::from(v)));
        values[high] = values[high - 1];
        resample_row(values, firsts, fractions, out);
    };
    // Which source row `even` and `odd` hold, and which row the overlays are of.
    let (mut in_even, mut in_odd) = (usize::MAX, usize::MAX);
    let mut overlays_row = usize::MAX;
    let mut has_colour = false;
    for (y, out_row) in out.chunks_exact_mut(width).enumerate() {
        let at = down[0] + y as f64 * down[1];
        let Some((first, second, fraction, nearest)) = neighbours(at, slice.rows) else {
            out_row.fill(OUTSIDE);
            continue;
        };
        if in_even != first {
            if in_odd == first || in_even == second {
                core::mem::swap(&mut even, &mut odd);
                core::mem::swap(&mut in_even, &mut in_odd);
            }
            if in_even != first {
                read(first, even);
                in_even = first;
            }
        }
        if in_odd != second {
            read(second, odd);
            in_odd = second;
        }
        if !slice.labels.is_empty() && overlays_row != nearest {
            let from = slice.start + nearest * slice.stride;
            let mut common = u64::MAX;
            for (to, &label) in overlays[low..high].iter_mut().zip(&slice.labels[from + low..from + high]) {
                *to = overlay_of[usize::from(label)];
                common &= *to;
            }
            // without opacity all of the grey value is left: 255, all bits
            has_colour = common >> 48 != 255;
            if has_colour {
                for (to, &voxel) in pixel_overlays.iter_mut().zip(nearest_of) {
                    *to = overlays[voxel as usize];
                }
            }
            overlays_row = nearest;
        }
        out_row[..left].fill(OUTSIDE);
        out_row[right..].fill(OUTSIDE);
        let shown = has_colour.then_some(&*pixel_overlays);
        shade_row(even, odd, fraction, shown, &mut out_row[left..right]);
    }
}

/// One row of pixels: between two rows of grey values, under the overlays.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn shade_row(upper: &[f32], lower: &[f32], fraction: f32, overlays: Option<&[u64]>, out: &mut [u32]) {
    let greys = upper.iter().zip(lower).map(|(&a, &b)| nearest_grey(a + (b - a) * fraction));
    match overlays {
        Some(overlays) => {
            out.iter_mut()
                .zip(greys)
                .zip(overlays)
                .for_each(|((pixel, g), &overlay)| *pixel = under_overlay(g, overlay));
        }
        None => out.iter_mut().zip(greys).for_each(|(pixel, g)| *pixel = OUTSIDE | (g * 0x0001_0101)),
    }
}

impl Scratch {
    /// Places the pixel columns; gives the range of those that lie in the grid (it has no holes).
    fn place_columns(&mut self, width: usize, origin: f64, step: f64, size: usize) -> (usize, usize) {
        let (mut left, mut right) = (0, 0);
        for x in 0..width {
            if let Some((first, _, fraction, nearest)) = neighbours(origin + x as f64 * step, size) {
                if right == 0 {
                    left = x;
                }
                right = x + 1;
                self.firsts[x] = first as u32;
                self.fractions[x] = fraction;
                self.nearest[x] = nearest as u32;
            }
        }
        (left, right)
    }
}

/// First and last (exclusive) voxel of a row that any of the columns looks at; they run along it one way or the other.
fn seen_range(firsts: &[u32], size: usize) -> (usize, usize) {
    let (Some(&a), Some(&b)) = (firsts.first(), firsts.last()) else { return (0, 1) };
    (a.min(b) as usize, (a.max(b) as usize + 2).min(size))
}

/// `values` has one more than the largest of `firsts` asks for.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn resample_row(values: &[f32], firsts: &[u32], fractions: &[f32], out: &mut [f32]) {
    for ((value, &first), &fraction) in out.iter_mut().zip(firsts).zip(fractions) {
        let (a, b) = (values[first as usize], values[first as usize + 1]);
        *value = a + (b - a) * fraction;
    }
}

fn compose_oblique(
    volumes: Volumes,
    mapping: &Mapping,
    window: Window,
    colours: &[u32; LABELS],
    width: usize,
    out: &mut [u32],
) {
    let [nx, ny, _] = volumes.shape;
    let ramp = Ramp::of(window);
    for (y, out_row) in out.chunks_exact_mut(width).enumerate() {
        for (x, pixel) in out_row.iter_mut().enumerate() {
            let at = |a: usize| {
                let c = mapping.origin[a] + x as f64 * mapping.du[a] + y as f64 * mapping.dv[a];
                neighbours(c, volumes.shape[a])
            };
            let (Some(i), Some(j), Some(k)) = (at(0), at(1), at(2)) else {
                *pixel = OUTSIDE;
                continue;
            };
            let voxel = |i: usize, j: usize, k: usize| f32::from(volumes.base[i + nx * (j + ny * k)]);
            let line = |j, k| {
                let (a, b) = (voxel(i.0, j, k), voxel(i.1, j, k));
                a + (b - a) * i.2
            };
            let plane = |k| {
                let (a, b) = (line(j.0, k), line(j.1, k));
                a + (b - a) * j.2
            };
            let (a, b) = (plane(k.0), plane(k.1));
            let grey = ramp.grey(a + (b - a) * k.2);
            let colour = if volumes.labels.is_empty() {
                0
            } else {
                colours[usize::from(volumes.labels[i.3 + nx * (j.3 + ny * k.3)])]
            };
            *pixel = blend(grey, colour);
        }
    }
}

#[cfg(test)]
mod tests;
