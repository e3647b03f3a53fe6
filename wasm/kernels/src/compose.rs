use crate::colours::{blend, LABELS};

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

/// One pixel column of an aligned pane: the two voxels it lies between and the nearest one.
#[derive(Clone, Copy, Default)]
struct Column {
    first: u32,
    second: u32,
    nearest: u32,
    fraction: f32,
}

/// Work space for panes up to a width; made once, so that a frame allocates nothing.
#[derive(Default)]
pub struct Scratch {
    columns: Vec<Column>,
    rows: [Vec<f32>; 2],
    colours: Vec<u32>,
    grey: Vec<u32>,
}

impl Scratch {
    /// Makes room for panes of `width` pixels.
    ///
    /// # Errors
    /// When memory is short; the old room stays usable.
    pub fn reserve(&mut self, width: usize) -> Result<(), std::collections::TryReserveError> {
        let more = width.saturating_sub(self.columns.len());
        self.columns.try_reserve_exact(more)?;
        self.rows[0].try_reserve_exact(more)?;
        self.rows[1].try_reserve_exact(more)?;
        self.colours.try_reserve_exact(more)?;
        self.grey.try_reserve_exact(more)?;
        if more > 0 {
            self.columns.resize(width, Column::default());
            self.rows[0].resize(width, 0.0);
            self.rows[1].resize(width, 0.0);
            self.colours.resize(width, 0);
            self.grey.resize(width, 0);
        }
        Ok(())
    }
}

/// PS3.3 C.11.2.1.2.1 (LINEAR) as one multiplication: `(v − centre)·scale + offset`, clamped to 0..=255.
#[derive(Clone, Copy)]
pub(crate) struct Ramp {
    centre: f32,
    scale: f32,
    offset: f32,
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
        // Through i32: the one conversion that four lanes do at once.
        (y.clamp(0.0, 255.0) + 0.5) as i32 as u32
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
    let Scratch { columns, rows, colours: row_colours, grey } = scratch;
    let (left, right) =
        fill_columns(&mut columns[..width], mapping.origin[u], mapping.du[u], shape[u], strides[u]);
    let columns = &columns[left..right];
    let span = right - left;
    let (grey, row_colours) = (&mut grey[..span], &mut row_colours[..span]);
    let [even, odd] = rows;
    let (mut even, mut odd) = (&mut even[..span], &mut odd[..span]);
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
                resample_row(&volumes.base[slice_start + first * strides[v]..], columns, even);
                in_even = first;
            }
        }
        if in_odd != second {
            resample_row(&volumes.base[slice_start + second * strides[v]..], columns, odd);
            in_odd = second;
        }
        if !volumes.labels.is_empty() && colours_of != nearest {
            let labels = &volumes.labels[slice_start + nearest * strides[v]..];
            has_colour = colour_row(labels, columns, colours, row_colours);
            colours_of = nearest;
        }
        window_row(even, odd, fraction, ramp, grey);
        out_row[..left].fill(OUTSIDE);
        out_row[right..].fill(OUTSIDE);
        let pixels = &mut out_row[left..right];
        if has_colour {
            for ((pixel, &g), &colour) in pixels.iter_mut().zip(&*grey).zip(&*row_colours) {
                *pixel = blend(g, colour);
            }
        } else {
            for (pixel, &g) in pixels.iter_mut().zip(&*grey) {
                *pixel = OUTSIDE | (g * 0x0001_0101);
            }
        }
    }
}

/// Fills the pixel columns; gives the range of those that lie in the grid (it has no holes).
fn fill_columns(
    columns: &mut [Column],
    origin: f64,
    step: f64,
    size: usize,
    stride: usize,
) -> (usize, usize) {
    let (mut left, mut right) = (0, 0);
    for (x, column) in columns.iter_mut().enumerate() {
        if let Some((first, second, fraction, nearest)) = neighbours(origin + x as f64 * step, size) {
            if right == 0 {
                left = x;
            }
            right = x + 1;
            *column = Column {
                first: (first * stride) as u32,
                second: (second * stride) as u32,
                nearest: (nearest * stride) as u32,
                fraction,
            };
        }
    }
    (left, right)
}

fn resample_row(voxels: &[u8], columns: &[Column], out: &mut [f32]) {
    for (value, column) in out.iter_mut().zip(columns) {
        let a = f32::from(voxels[column.first as usize]);
        let b = f32::from(voxels[column.second as usize]);
        *value = a + (b - a) * column.fraction;
    }
}

/// Colours of one row of labels; true when any of them is visible.
fn colour_row(labels: &[u8], columns: &[Column], colours: &[u32; LABELS], out: &mut [u32]) -> bool {
    let mut seen = 0;
    for (colour, column) in out.iter_mut().zip(columns) {
        *colour = colours[usize::from(labels[column.nearest as usize])];
        seen |= *colour;
    }
    seen >> 24 != 0
}

fn window_row(upper: &[f32], lower: &[f32], fraction: f32, ramp: Ramp, grey: &mut [u32]) {
    for ((g, &a), &b) in grey.iter_mut().zip(upper).zip(lower) {
        *g = ramp.grey(a + (b - a) * fraction);
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
