//! Brings a volume onto another grid.

use alloc::vec::Vec;
use core::ops::Range;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[path = "resample_wide.rs"]
mod wide;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use wide::Pairs;

/// Read one by one where there are no lanes.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub trait Pairs: Copy {}

/// A stored number.
pub trait Voxel: Pairs {
    fn value(self) -> f32;
}

macro_rules! voxel {
    ($($kind:ty),*) => { $(
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        impl Pairs for $kind {}
        impl Voxel for $kind {
        #[inline(always)]
        fn value(self) -> f32 {
            self as f32
        }
    })* };
}
voxel!(u8, i16, u16, f32);

/// A volume, [nx, ny, nz], i fastest.
#[derive(Clone, Copy)]
pub struct Source<'a, T> {
    pub voxels: &'a [T],
    pub shape: [usize; 3],
}

/// Where the voxels of the new grid lie in the old one: three rows of four numbers, index from index.
pub type FromTarget = [f64; 12];

/// byte = (value − low) · gain, within 0..=255.
#[derive(Clone, Copy)]
pub struct Scale {
    pub low: f32,
    pub gain: f32,
}

impl Scale {
    #[inline(always)]
    fn byte(self, value: f32) -> u8 {
        // what is no number becomes 0, which `clamp` would leave as it is
        #[allow(clippy::manual_clamp)]
        let within = ((value - self.low) * self.gain + 0.5).max(0.0).min(255.0);
        // SAFETY: a number of 0..=255.
        #[allow(unsafe_code)]
        let whole = unsafe { within.to_int_unchecked::<i32>() };
        whole as u8
    }
}

/// Columns of a row that lie well inside the old grid: every one of them, and the next voxel of each axis. `start` is the
/// place of column 0, `step` the way to the next one.
fn columns_inside(shape: [usize; 3], start: [f64; 3], step: [f64; 3], width: usize) -> Range<usize> {
    let (mut low, mut high) = (0i64, width as i64);
    for axis in 0..3 {
        // a little before the last voxel, so that rounding never reaches it
        let most = shape[axis] as f64 - 1.001;
        let (start, step) = (start[axis], step[axis]);
        if step.abs() < 1e-9 {
            if start < 1e-3 || start > most - 1e-3 {
                return 0..0;
            }
            continue;
        }
        let (one, other) = (-start / step, (most - start) / step);
        // two columns are left to the exact path on either side
        low = low.max(one.min(other) as i64 + 2);
        high = high.min(one.max(other) as i64 - 1);
    }
    if low < high {
        low as usize..high as usize
    } else {
        0..0
    }
}

/// Whole slices of a new grid, trilinear, as bytes; voxels of `out` outside the old volume stay as they are.
///
/// # Panics
/// When `source` is shorter than its shape says, or `out` than the slices.
///
/// # Exactness
/// Within 1 of `naive` (rounding of f32 sums).
pub fn resample<T: Voxel>(
    source: Source<T>,
    from_target: &FromTarget,
    target: [usize; 2],
    slices: Range<usize>,
    scale: Scale,
    out: &mut [u8],
) {
    let [nx, ny, nz] = source.shape;
    assert!(source.voxels.len() == nx * ny * nz && out.len() == target[0] * target[1] * slices.len());
    let row = |axis: usize| &from_target[4 * axis..4 * axis + 4];
    let step: [f64; 3] = core::array::from_fn(|axis| row(axis)[0]);
    for (k, slice) in slices.zip(out.chunks_exact_mut((target[0] * target[1]).max(1))) {
        for (j, line) in slice.chunks_exact_mut(target[0]).enumerate() {
            let start: [f64; 3] = core::array::from_fn(|axis| {
                let row = row(axis);
                row[1] * j as f64 + row[2] * k as f64 + row[3]
            });
            let inside = columns_inside(source.shape, start, step, line.len());
            row_inside(source, start, step, inside.start, scale, &mut line[inside.clone()]);
            // at the borders: half a voxel around the volume shows them
            for i in (0..inside.start).chain(inside.end..line.len()) {
                let place: [f64; 3] = core::array::from_fn(|axis| start[axis] + step[axis] * i as f64);
                if let Some(place) = clamped(source.shape, place) {
                    line[i] = scale.byte(at_border(source, place));
                }
            }
        }
    }
}

/// Columns of a row from `first` on, all of which [`columns_inside`] names.
#[inline(always)]
fn row_inside<T: Voxel>(
    source: Source<T>,
    start: [f64; 3],
    step: [f64; 3],
    first: usize,
    scale: Scale,
    out: &mut [u8],
) {
    let start: [f32; 3] = core::array::from_fn(|axis| (start[axis] + step[axis] * first as f64) as f32);
    let step = step.map(|step| step as f32);
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    let done = wide::row_inside(source, start, step, scale, out);
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    let done = 0;
    for (i, to) in out.iter_mut().enumerate().skip(done) {
        let place = core::array::from_fn(|axis| start[axis] + step[axis] * i as f32);
        *to = scale.byte(between(source, place));
    }
}

/// A place of the old grid, clamped to its voxels; `None` farther than half a voxel outside.
#[inline(always)]
fn clamped(shape: [usize; 3], place: [f64; 3]) -> Option<[f64; 3]> {
    (0..3)
        .all(|axis| place[axis] >= -0.5 && place[axis] < shape[axis] as f64 - 0.5)
        .then(|| core::array::from_fn(|axis| place[axis].clamp(0.0, shape[axis] as f64 - 1.0)))
}

/// Between the eight voxels around a place, all of which are there.
#[inline(always)]
fn between<T: Voxel>(Source { voxels, shape: [nx, ny, _] }: Source<T>, [x, y, z]: [f32; 3]) -> f32 {
    // SAFETY: places of the grid, whose axes are far shorter than 2^31; rounding may leave them a little below 0.
    #[allow(unsafe_code)]
    let [i, j, k] = [x, y, z].map(|place| unsafe { place.to_int_unchecked::<i32>() });
    let (fx, fy, fz) = (x - i as f32, y - j as f32, z - k as f32);
    let (i, j, k) = (i as usize, j as usize, k as usize);
    let (layer, first) = (nx * ny, i + nx * (j + ny * k));
    assert!(first + layer + nx + 1 < voxels.len());
    let line = |from: usize| {
        // SAFETY: no farther than the last of the eight, which was checked.
        #[allow(unsafe_code)]
        let (a, b) = unsafe { (voxels.get_unchecked(from).value(), voxels.get_unchecked(from + 1).value()) };
        a + (b - a) * fx
    };
    let plane = |from: usize| {
        let (a, b) = (line(from), line(from + nx));
        a + (b - a) * fy
    };
    let (a, b) = (plane(first), plane(first + layer));
    a + (b - a) * fz
}

/// The same where the last voxel of an axis has no next one, and no part of it is asked for.
fn at_border<T: Voxel>(Source { voxels, shape: [nx, ny, nz] }: Source<T>, [x, y, z]: [f64; 3]) -> f32 {
    let (i, j, k) = (x as usize, y as usize, z as usize);
    let (fx, fy, fz) = ((x - i as f64) as f32, (y - j as f64) as f32, (z - k as f64) as f32);
    let (dx, dy) = (usize::from(i + 1 < nx), nx * usize::from(j + 1 < ny));
    let (dz, first) = (nx * ny * usize::from(k + 1 < nz), i + nx * (j + ny * k));
    let line = |from: usize| {
        let (a, b) = (voxels[from].value(), voxels[from + dx].value());
        a + (b - a) * fx
    };
    let plane = |from: usize| {
        let (a, b) = (line(from), line(from + dy));
        a + (b - a) * fy
    };
    let (a, b) = (plane(first), plane(first + dz));
    a + (b - a) * fz
}

/// Whole slices of a new grid by the nearest voxel; voxels of `out` outside the old volume stay as they are.
///
/// # Panics
/// As [`resample`].
pub fn resample_nearest(
    source: Source<u8>,
    from_target: &FromTarget,
    target: [usize; 2],
    slices: Range<usize>,
    out: &mut [u8],
) {
    let [nx, ny, nz] = source.shape;
    assert!(source.voxels.len() == nx * ny * nz && out.len() == target[0] * target[1] * slices.len());
    let mut all = out.iter_mut();
    for k in slices {
        for j in 0..target[1] {
            for (i, to) in all.by_ref().take(target[0]).enumerate() {
                let place = core::array::from_fn(|axis| {
                    let row = &from_target[4 * axis..4 * axis + 4];
                    row[0] * i as f64 + row[1] * j as f64 + row[2] * k as f64 + row[3]
                });
                if let Some(place) = clamped(source.shape, place) {
                    // never negative: what is behind the point falls off
                    let [i, j, k] = place.map(|index| (index + 0.5) as usize);
                    *to = source.voxels[i + nx * (j + ny * k)];
                }
            }
        }
    }
}

/// Voxels that are looked at for a range.
const SAMPLE: usize = 20_000;

/// The values that 1 and 99.5 of 100 voxels do not exceed, of some voxels in equal steps; `None` without a voxel that is a
/// number.
pub fn shown_range<T: Voxel>(voxels: &[T]) -> Option<[f32; 2]> {
    let step = (voxels.len() / SAMPLE).max(1);
    let mut sample: Vec<f32> =
        voxels.iter().step_by(step).map(|voxel| voxel.value()).filter(|value| !value.is_nan()).collect();
    let last = sample.len().checked_sub(1)?;
    sample.sort_unstable_by(f32::total_cmp);
    Some([sample[last / 100], sample[last * 995 / 1000]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Weighted sum over all voxels, as the definition of trilinear says; `None` outside.
    fn naive(source: Source<f32>, place: [f64; 3]) -> Option<f64> {
        let [nx, ny, nz] = source.shape;
        if (0..3).any(|a| place[a] < -0.5 || place[a] >= source.shape[a] as f64 - 0.5) {
            return None;
        }
        let at: [f64; 3] = core::array::from_fn(|a| place[a].clamp(0.0, source.shape[a] as f64 - 1.0));
        let mut sum = 0.0;
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    let weight: f64 = [i, j, k]
                        .iter()
                        .zip(at)
                        .map(|(&n, p)| (1.0 - (n as f64 - p).abs()).max(0.0))
                        .product();
                    sum += f64::from(source.voxels[i + nx * (j + ny * k)]) * weight;
                }
            }
        }
        Some(sum)
    }

    fn place_of(m: &FromTarget, ijk: [usize; 3]) -> [f64; 3] {
        core::array::from_fn(|a| {
            m[4 * a] * ijk[0] as f64
                + m[4 * a + 1] * ijk[1] as f64
                + m[4 * a + 2] * ijk[2] as f64
                + m[4 * a + 3]
        })
    }

    #[test]
    fn resample_is_trilinear_at_the_moved_place_and_leaves_what_is_outside() {
        let mut random = Random(17);
        for _ in 0..30 {
            let shape = [0; 3].map(|_: usize| 1 + random.below(13));
            let target = [1 + random.below(16), 1 + random.below(8)];
            let values: Vec<f32> =
                (0..shape.iter().product()).map(|_| random.between(-200.0, 800.0) as f32).collect();
            let mut m: FromTarget = core::array::from_fn(|_| random.between(-0.4, 0.4));
            for axis in 0..3 {
                m[5 * axis] =
                    random.between(0.4, 1.2) * if axis == 0 && random.below(3) == 0 { -1.0 } else { 1.0 };
                m[4 * axis + 3] = random.between(-1.5, 1.5) + if m[5 * axis] < 0.0 { 10.0 } else { 0.0 };
            }
            let slices = random.below(3)..4;
            let scale = Scale { low: -200.0, gain: 0.2 };
            let mut out = vec![7; target[0] * target[1] * slices.len()];
            let source = Source { voxels: &values[..], shape };
            resample(source, &m, target, slices.clone(), scale, &mut out);
            for (at, &got) in out.iter().enumerate() {
                let ijk =
                    [at % target[0], at / target[0] % target[1], slices.start + at / target[0] / target[1]];
                match naive(source, place_of(&m, ijk)) {
                    None => assert_eq!(got, 7),
                    Some(value) => {
                        let wanted = ((value + 200.0) * 0.2 + 0.5).clamp(0.0, 255.0).floor();
                        assert!((f64::from(got) - wanted).abs() <= 1.0, "{ijk:?}: {got}, {wanted}");
                    }
                }
            }
        }
    }

    #[test]
    fn resample_gives_stored_values_of_every_kind_on_their_own_grid() {
        let (shape, m) = ([3, 2, 2], [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.]);
        let scale = Scale { low: 0.0, gain: 1.0 };
        let bytes: Vec<u8> = (0..12).map(|n| n * 20).collect();
        let mut out = vec![0; 12];
        resample(Source { voxels: &bytes, shape }, &m, [3, 2], 0..2, scale, &mut out);
        assert_eq!(out, bytes);
        let signed: Vec<i16> = bytes.iter().map(|&b| i16::from(b) - 100).collect();
        let scale = Scale { low: -100.0, gain: 1.0 };
        resample(Source { voxels: &signed, shape }, &m, [3, 2], 0..2, scale, &mut out);
        assert_eq!(out, bytes);
        // beyond a byte, and what is no number
        let odd = [-1e9f32, 1e9, f32::NAN];
        let mut three = [9; 3];
        let scale = Scale { low: 0.0, gain: 1.0 };
        resample(Source { voxels: &odd, shape: [3, 1, 1] }, &m, [3, 1], 0..1, scale, &mut three);
        assert_eq!([three[0], three[2]], [0, 0]);
    }

    #[test]
    fn resample_nearest_is_the_voxel_of_the_least_distance() {
        let mut random = Random(5);
        for _ in 0..30 {
            let shape = [0; 3].map(|_: usize| 1 + random.below(7));
            let labels: Vec<u8> = (0..shape.iter().product()).map(|_| random.below(256) as u8).collect();
            let mut m: FromTarget = core::array::from_fn(|_| random.between(-0.3, 0.3));
            for axis in 0..3 {
                m[5 * axis] = random.between(0.4, 1.4);
            }
            let mut out = vec![0; 5 * 6 * 4];
            resample_nearest(Source { voxels: &labels, shape }, &m, [5, 6], 0..4, &mut out);
            for (at, &got) in out.iter().enumerate() {
                let place = place_of(&m, [at % 5, at / 5 % 6, at / 30]);
                let inside = (0..3).all(|a| place[a] >= -0.5 && place[a] < shape[a] as f64 - 0.5);
                let mut best = (f64::INFINITY, 0);
                for (voxel, &label) in labels.iter().enumerate() {
                    let ijk = [voxel % shape[0], voxel / shape[0] % shape[1], voxel / shape[0] / shape[1]];
                    let far: f64 = (0..3).map(|a| (place[a] - ijk[a] as f64).powi(2)).sum();
                    if far < best.0 {
                        best = (far, label);
                    }
                }
                assert_eq!(got, if inside { best.1 } else { 0 });
            }
        }
    }

    #[test]
    fn shown_range_leaves_out_the_ends_and_what_is_no_number() {
        let values: Vec<f32> = (0..1001).map(|n| if n == 500 { f32::NAN } else { n as f32 }).collect();
        assert_eq!(shown_range(&values), Some([9.0, 995.0]));
        assert_eq!(shown_range::<f32>(&[]), None);
        assert_eq!(shown_range(&[f32::NAN]), None);
        assert_eq!(shown_range(&[4u8]), Some([4.0, 4.0]));
    }
}
