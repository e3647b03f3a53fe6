use crate::colours::{blend, LABELS};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::compose_wide::{resample_row, shade_row};

/// Opaque black: what lies outside the volume.
pub const OUTSIDE: u32 = 0xff00_0000;

/// Where the pixels of a pane lie, in voxel indices: pixel (x, y) has its centre at `origin + x·du + y·dv`.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    pub origin: [f64; 3],
    pub du: [f64; 3],
    pub dv: [f64; 3],
}

/// Window width (≥ 1) and level (DICOM Window Center) in units of the base volume.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub width: f32,
    pub level: f32,
}

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
    colours: Vec<u32>,
    /// One row of voxels as numbers, the last one twice, and one as colours.
    values: Vec<f32>,
    hues: Vec<u32>,
}

impl Scratch {
    /// Makes room for rows of `voxels` voxels; the compositor makes it itself where it is missing.
    ///
    /// # Errors
    /// When memory is short.
    pub fn reserve_line(&mut self, voxels: usize) -> Result<(), std::collections::TryReserveError> {
        lengthen(&mut self.values, voxels + 1)?;
        lengthen(&mut self.hues, voxels)
    }

    /// Makes room for panes of `width` pixels.
    ///
    /// # Errors
    /// When memory is short; the old room stays usable.
    pub fn reserve(&mut self, width: usize) -> Result<(), std::collections::TryReserveError> {
        lengthen(&mut self.firsts, width)?;
        lengthen(&mut self.fractions, width)?;
        lengthen(&mut self.nearest, width)?;
        lengthen(&mut self.rows[0], width)?;
        lengthen(&mut self.rows[1], width)?;
        lengthen(&mut self.colours, width)
    }
}

fn lengthen<T: Copy + Default>(
    room: &mut Vec<T>,
    length: usize,
) -> Result<(), std::collections::TryReserveError> {
    let more = length.saturating_sub(room.len());
    room.try_reserve_exact(more)?;
    room.resize(room.len() + more, T::default());
    Ok(())
}

/// PS3.3 C.11.2.1.2.1 (LINEAR) as one multiplication: `(v − centre)·scale + offset`, clamped to 0..=255.
#[derive(Clone, Copy)]
pub(crate) struct Ramp {
    pub(crate) centre: f32,
    pub(crate) scale: f32,
    pub(crate) offset: f32,
}

impl Ramp {
    pub(crate) fn of(window: Window) -> Ramp {
        let centre = window.level - 0.5;
        // Width 1 is a threshold: at or below the centre black, above it white.
        if window.width <= 1.0 {
            return Ramp { centre, scale: 1e30, offset: 0.0 };
        }
        Ramp { centre, scale: 255.0 / (window.width - 1.0), offset: 127.5 }
    }

    #[inline(always)]
    pub(crate) fn grey(self, value: f32) -> u32 {
        let y = (value - self.centre) * self.scale + self.offset;
        // The sum with 2^23 has no room for a fraction: it is rounded, and its lowest byte is the integer.
        (y.clamp(0.0, 255.0) + 8_388_608.0).to_bits() & 255
    }
}

/// Composes one pane: base with window/level, linear between voxels; overlay by nearest label.
///
/// `colours` is the table of [`crate::colours::effective_colours`]. `out` is RGBA as little-endian words, row by
/// row from the top, `width · height` long. A pixel outside the volume (nearer to no voxel) is opaque black; the half
/// voxel at the edge repeats the edge. `scratch` must have been reserved for `width`.
///
/// A pane along the grid whose mapping keeps to one slice (an integer index on the third axis) takes the fast road;
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
    let slice_start = slice as usize * strides[n];
    if scratch.hues.len() < shape[u] && scratch.reserve_line(shape[u]).is_err() {
        out.fill(OUTSIDE);
        return;
    }
    let (left, right) = scratch.place_columns(width, mapping.origin[u], mapping.du[u], shape[u]);
    let Scratch { firsts, fractions, nearest: nearest_of, rows, colours: row_colours, values, hues } =
        scratch;
    let span = right - left;
    let (firsts, fractions, nearest_of) =
        (&firsts[left..right], &fractions[left..right], &nearest_of[left..right]);
    let row_colours = &mut row_colours[..span];
    let [even, odd] = rows;
    let (mut even, mut odd) = (&mut even[..span], &mut odd[..span]);
    // Voxels of a row that any of the columns looks at.
    let (low, high) = seen_range(firsts, shape[u]);
    let values = &mut values[..=shape[u]];
    let stride = strides[u];
    let read = |row: usize, values: &mut [f32]| {
        gather(&volumes.base[row + low * stride..], stride, &mut values[low..high], f32::from);
        values[high] = values[high - 1];
    };
    // Which source row `even` and `odd` hold, and which row the colours are of.
    let (mut in_even, mut in_odd) = (usize::MAX, usize::MAX);
    let mut colours_of = usize::MAX;
    let mut has_colour = false;
    let ramp = Ramp::of(window);
    for (y, out_row) in out.chunks_exact_mut(width).enumerate() {
        let at = mapping.origin[v] + y as f64 * mapping.dv[v];
        let Some((first, second, fraction, nearest)) = neighbours(at, shape[v]) else {
            out_row.fill(OUTSIDE);
            continue;
        };
        if in_even != first {
            if in_odd == first || in_even == second {
                std::mem::swap(&mut even, &mut odd);
                std::mem::swap(&mut in_even, &mut in_odd);
            }
            if in_even != first {
                read(slice_start + first * strides[v], values);
                resample_row(values, firsts, fractions, even);
                in_even = first;
            }
        }
        if in_odd != second {
            read(slice_start + second * strides[v], values);
            resample_row(values, firsts, fractions, odd);
            in_odd = second;
        }
        if !volumes.labels.is_empty() && colours_of != nearest {
            let from = &volumes.labels[slice_start + nearest * strides[v] + low * stride..];
            let mut seen = 0;
            gather(from, stride, &mut hues[low..high], |label| {
                let colour = colours[usize::from(label)];
                seen |= colour;
                colour
            });
            has_colour = seen >> 24 != 0;
            if has_colour {
                for (colour, &voxel) in row_colours.iter_mut().zip(nearest_of) {
                    *colour = hues[voxel as usize];
                }
            }
            colours_of = nearest;
        }
        out_row[..left].fill(OUTSIDE);
        out_row[right..].fill(OUTSIDE);
        let shown = has_colour.then_some(&*row_colours);
        shade_row(even, odd, fraction, ramp, shown, &mut out_row[left..right]);
    }
}

/// One row of pixels: between two rows of values, through the window, under the colours.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn shade_row(
    upper: &[f32],
    lower: &[f32],
    fraction: f32,
    ramp: Ramp,
    colours: Option<&[u32]>,
    out: &mut [u32],
) {
    let greys = upper.iter().zip(lower).map(|(&a, &b)| ramp.grey(a + (b - a) * fraction));
    match colours {
        Some(colours) => {
            out.iter_mut().zip(greys).zip(colours).for_each(|((pixel, g), &c)| *pixel = blend(g, c));
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

/// Reads voxels that lie `stride` apart into a row. Nothing else waits for the memory meanwhile, so that many of them are
/// under way at a time.
#[inline(always)]
fn gather<T>(from: &[u8], stride: usize, row: &mut [T], mut of: impl FnMut(u8) -> T) {
    if stride == 1 {
        row.iter_mut().zip(from).for_each(|(to, &voxel)| *to = of(voxel));
    } else {
        row.iter_mut().zip(from.iter().step_by(stride)).for_each(|(to, &voxel)| *to = of(voxel));
    }
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
