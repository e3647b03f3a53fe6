//! Cortical thickness from distances: at a grey voxel, the way to white matter plus the way to the outside.
//!
//! One hemisphere at a time on a 0.5 mm grid. A 1 mm voxel is cut into eight whose centres lie 0.25 mm to both sides of
//! its own, so that the nearest label is always that of the voxel itself, intensities are 3/4 and 1/4 of two neighbours,
//! and a mirrored head gives mirrored values.

use crate::atlas::OUTER_CSF;
use crate::component::keep_largest;
use crate::edt::squared_distance;
use crate::sulcus::mark_ridges;
use volume::Shape;

/// Part of the way from grey to white above which a voxel is white.
const WHITE_FRACTION: f32 = 0.6;
/// Fluid, with white matter at 1.
const FLUID: f32 = 0.25;
/// Part of the way from fluid to grey above which a voxel is not outside.
const GREY_FRACTION: f32 = 0.5;
/// (1.5 mm)² in voxels²: grey closer to white matter than this is measured, farther it may be the middle of a sulcus.
const NEAR: u16 = 9;
const HIGHEST_MM: f32 = 5.0;
/// 1 mm voxels around the hemisphere's box.
const MARGIN: usize = 2;
/// Radius in 1 mm voxels in which a cortical voxel without a value looks for one.
const BORROW: isize = 5;

const OUTSIDE: u8 = 0;
const GREY: u8 = 1;
const WHITE: u8 = 2;
const SULCUS: u8 = 3;

/// What to measure, all arrays of `shape` at 1 mm, i fastest.
pub struct Input<'a> {
    /// Final labels 0..105; 105 is fluid outside the brain.
    pub labels: &'a [u8],
    /// Labels before `boundary::refine_cortex`. Its fluid rule is made for counting voxels and takes cortex darker than
    /// 0.8 grey; the surface lies farther out, at half way to fluid. Cortex it took is therefore judged here by its own
    /// intensity; without this a cortex of 2.5 mm is read 0.25 to 0.4 mm too thin.
    pub unrefined: &'a [u8],
    /// Corrected intensities, white matter about 1.
    pub corrected: &'a [f32],
    pub shape: Shape,
    /// Means of cortex and of cerebral white matter on the scale of `corrected`.
    pub grey: f32,
    pub white: f32,
}

pub struct Thickness {
    /// Millimetres at the 1 mm voxels labelled cortex (37..104), 0 elsewhere.
    pub mm: Vec<f32>,
    /// By label; 0 where not measurable.
    pub mean_mm: [f64; 105],
    /// Left and right over all cortex; 0 where not measurable.
    pub side_mm: [f64; 2],
}

/// Measures both hemispheres, one after the other.
///
/// White = white matter or cortex of the side brighter than grey + 0.6 (white - grey), or its deep nuclei, ventricles and
/// the callosum; largest component. Outside = neither that nor cortex or white matter above half way between fluid and
/// grey, or the middle of a sulcus without visible fluid. t = distance to white + distance to outside - 0.5 mm, within
/// 0..5 (the 0.5 because centres lie a quarter of a millimetre beyond either boundary). A label's mean is over its grey
/// 0.5 mm voxels less than 1.5 mm from white matter; a map value is the mean over the grey ones of the eight.
///
/// # Panics
/// When the arrays do not fit `shape`.
///
/// # Exactness
/// The distances are exact between voxel centres; results do not depend on the number of threads. Peak memory 8 bytes
/// per 0.5 mm voxel of one hemisphere's box.
pub fn measure(input: &Input) -> Thickness {
    let count = input.shape.iter().product::<usize>();
    assert!([input.labels.len(), input.unrefined.len(), input.corrected.len()] == [count; 3]);
    let labels: Vec<u8> = input.labels.iter().zip(input.unrefined).map(|(&l, &u)| with_taken(l, u)).collect();
    let mut result = Thickness { mm: vec![0.0; count], mean_mm: [0.0; 105], side_mm: [0.0; 2] };
    for side in 0..2 {
        if let Some(hemisphere) = Hemisphere::new(input, &labels, side) {
            hemisphere.measure(&mut result);
            fill_gaps(input, side, &mut result);
        }
    }
    result.mm.iter_mut().zip(input.labels).filter(|(_, &l)| !is_cortex(l)).for_each(|(mm, _)| *mm = 0.0);
    result
}

/// The label before refinement where cortex was given to fluid, else the final one.
fn with_taken(label: u8, unrefined: u8) -> u8 {
    if label == OUTER_CSF && is_cortex(unrefined) {
        unrefined
    } else {
        label
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Other,
    /// White matter or cortex: intensity decides.
    Matter,
    /// Inside the white surface whatever its intensity.
    Deep,
}

/// Left is 0, right 1; midline structures and white matter lesions (28) belong to both. The fourth ventricle and label
/// 27 (fluid of no fixed place) belong to neither.
fn kind_on(side: usize, label: u8) -> Kind {
    let own = usize::from(label % 2) != side;
    match label {
        1 | 2 | 37..=104 if own => Kind::Matter,
        7..=24 | 29 | 30 if own => Kind::Deep,
        25 | 28 | 32..=36 => Kind::Deep,
        _ => Kind::Other,
    }
}

fn is_cortex(label: u8) -> bool {
    (37..=104).contains(&label)
}

fn is_cortex_of(side: usize, label: u8) -> bool {
    is_cortex(label) && usize::from(label + 1) % 2 == side
}

struct Hemisphere<'a> {
    input: &'a Input<'a>,
    labels: &'a [u8],
    side: usize,
    kind: [Kind; 256],
    /// First voxel of the box in the window; may lie outside it.
    low: [isize; 3],
    /// Extent of the box, 1 mm voxels.
    shape: Shape,
}

/// Sum and number of the measured 0.5 mm voxels by label, and the map values of one 1 mm slice of the box.
struct Slice {
    sum: [f64; 105],
    count: [u32; 105],
    mm: Vec<f32>,
}

impl<'a> Hemisphere<'a> {
    /// `None` when the side has no white matter or no cortex.
    fn new(input: &'a Input<'a>, labels: &'a [u8], side: usize) -> Option<Self> {
        let kind: [Kind; 256] = std::array::from_fn(|label| kind_on(side, label as u8));
        let [nx, ny, _] = input.shape;
        let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
        for (row, line) in labels.chunks_exact(nx.max(1)).enumerate() {
            let Some(first) = line.iter().position(|&l| kind[l as usize] != Kind::Other) else { continue };
            let last = line.iter().rposition(|&l| kind[l as usize] != Kind::Other).unwrap_or(first);
            for (axis, [a, b]) in [[first, last], [row % ny; 2], [row / ny; 2]].into_iter().enumerate() {
                low[axis] = low[axis].min(a);
                high[axis] = high[axis].max(b);
            }
        }
        if low[0] == usize::MAX || !labels.iter().any(|&l| is_cortex_of(side, l)) {
            return None;
        }
        let shape = [0, 1, 2].map(|a| high[a] + 1 - low[a] + 2 * MARGIN);
        Some(Self { input, labels, side, kind, low: low.map(|l| l as isize - MARGIN as isize), shape })
    }

    fn measure(&self, result: &mut Thickness) {
        let fine = self.shape.map(|n| 2 * n);
        let mut marks = self.classify();
        let instead = |v: usize| {
            let place = [v % fine[0], v / fine[0] % fine[1], v / fine[0] / fine[1]].map(|p| p / 2);
            let label = self.row(place[1], place[2], place[0]..place[0] + 1).next();
            // What intensity called white stays inside the outer surface.
            label.map_or(OUTSIDE, |l| if self.kind[l as usize] == Kind::Matter { GREY } else { OUTSIDE })
        };
        if keep_largest(&mut marks, fine, WHITE, instead) == 0 {
            return;
        }
        let to_white = squared_distance(&marks, fine, |mark| mark == WHITE);
        mark_ridges(&mut marks, &to_white, fine, (GREY, SULCUS), NEAR);
        let to_outside = squared_distance(&marks, fine, |mark| mark == OUTSIDE || mark == SULCUS);
        let slices = parallel::map(self.shape[2], |k| self.gather(k, &marks, &to_white, &to_outside));
        let (mut sum, mut count) = ([0f64; 105], [0u64; 105]);
        for (k, slice) in slices.iter().enumerate() {
            for label in 0..105 {
                sum[label] += slice.sum[label];
                count[label] += u64::from(slice.count[label]);
            }
            self.write(k, &slice.mm, &mut result.mm);
        }
        for label in (0..105).filter(|&l| count[l] > 0) {
            result.mean_mm[label] = sum[label] / count[label] as f64;
        }
        let all = count.iter().sum::<u64>();
        result.side_mm[self.side] = if all > 0 { sum.iter().sum::<f64>() / all as f64 } else { 0.0 };
    }

    /// Labels of a range of the box's row; 0 beyond the window.
    fn row(&self, j: usize, k: usize, range: std::ops::Range<usize>) -> impl Iterator<Item = u8> + '_ {
        let [nx, ny, nz] = self.input.shape.map(|n| n as isize);
        let (y, z) = (self.low[1] + j as isize, self.low[2] + k as isize);
        let inside = (0..ny).contains(&y) && (0..nz).contains(&z);
        range.map(move |i| {
            let x = self.low[0] + i as isize;
            if inside && (0..nx).contains(&x) {
                self.labels[(x + nx * (y + ny * z)) as usize]
            } else {
                0
            }
        })
    }

    /// Marks of the 0.5 mm grid from labels and intensities, before the largest component.
    fn classify(&self) -> Vec<u8> {
        let [cx, cy, cz] = self.shape;
        let &Input { grey, white, .. } = self.input;
        let [bright, dim] = [grey + WHITE_FRACTION * (white - grey), FLUID + GREY_FRACTION * (grey - FLUID)];
        let mut marks = vec![OUTSIDE; 8 * cx * cy * cz];
        parallel::for_each_chunk(&mut marks, 8 * cx * cy, |k, slab| {
            let mut row = vec![0f32; cx + 2];
            let mut line = vec![0f32; 2 * cx];
            for (half, plane) in slab.chunks_exact_mut(4 * cx * cy).enumerate() {
                for (j, rows) in plane.chunks_exact_mut(4 * cx).enumerate() {
                    let kinds = || self.row(j, k, 0..cx).map(|l| self.kind[l as usize]);
                    if kinds().all(|kind| kind == Kind::Other) {
                        continue;
                    }
                    for (part, out) in rows.chunks_exact_mut(2 * cx).enumerate() {
                        self.mix_rows(j, k, [part, half], &mut row);
                        for (pair, near) in line.chunks_exact_mut(2).zip(row.windows(3)) {
                            pair[0] = 0.75 * near[1] + 0.25 * near[0];
                            pair[1] = 0.75 * near[1] + 0.25 * near[2];
                        }
                        for ((pair, y), kind) in
                            out.chunks_exact_mut(2).zip(line.chunks_exact(2)).zip(kinds())
                        {
                            for (mark, &y) in pair.iter_mut().zip(y) {
                                *mark = match kind {
                                    Kind::Deep => WHITE,
                                    Kind::Matter if y > bright => WHITE,
                                    Kind::Matter if y > dim => GREY,
                                    _ => OUTSIDE,
                                };
                            }
                        }
                    }
                }
            }
        });
        marks
    }

    /// Intensities of one 0.5 mm row at the 1 mm places of the box and one beyond either end, edges repeated; `parts`
    /// says which half of voxel j and of voxel k the row lies in.
    fn mix_rows(&self, j: usize, k: usize, parts: [usize; 2], row: &mut [f32]) {
        let [nx, ny, nz] = self.input.shape;
        let clamped = |at: isize, n: usize| at.clamp(0, n as isize - 1) as usize;
        let place = |axis: usize, at: usize, part: usize| {
            let here = self.low[axis] + at as isize;
            [here, here + 2 * part as isize - 1]
        };
        let ys = place(1, j, parts[0]).map(|y| clamped(y, ny));
        let zs = place(2, k, parts[1]).map(|z| clamped(z, nz));
        let [[a, b], [c, d]] = ys.map(|y| zs.map(|z| &self.input.corrected[nx * (y + ny * z)..][..nx]));
        let mix = |x: usize| 0.75 * (0.75 * a[x] + 0.25 * b[x]) + 0.25 * (0.75 * c[x] + 0.25 * d[x]);
        let from = clamped(self.low[0] - 1, nx);
        let skip = (from as isize - (self.low[0] - 1)) as usize;
        let end = (row.len() - skip).min(nx - from);
        row[..skip].fill(mix(from));
        row[skip..skip + end].iter_mut().enumerate().for_each(|(at, v)| *v = mix(from + at));
        let last = row[skip + end - 1];
        row[skip + end..].fill(last);
    }

    fn gather(&self, k: usize, marks: &[u8], to_white: &[u16], to_outside: &[u16]) -> Slice {
        let [cx, cy, _] = self.shape;
        let mut slice = Slice { sum: [0.0; 105], count: [0; 105], mm: vec![0.0; cx * cy] };
        for j in 0..cy {
            for (i, label) in self.row(j, k, 0..cx).enumerate() {
                if !is_cortex_of(self.side, label) {
                    continue;
                }
                let (mut sum, mut count) = (0f32, 0u8);
                for corner in 0..8 {
                    let [x, y, z] = [2 * i + corner % 2, 2 * j + corner / 2 % 2, 2 * k + corner / 4];
                    let v = x + 2 * cx * (y + 2 * cy * z);
                    if marks[v] != GREY && marks[v] != SULCUS {
                        continue;
                    }
                    let steps = f32::from(to_white[v]).sqrt() + f32::from(to_outside[v]).sqrt();
                    let mm = (0.5 * steps - 0.5).clamp(0.0, HIGHEST_MM);
                    sum += mm;
                    count += 1;
                    if to_white[v] < NEAR {
                        slice.sum[label as usize] += f64::from(mm);
                        slice.count[label as usize] += 1;
                    }
                }
                slice.mm[i + cx * j] = if count > 0 { sum / f32::from(count) } else { 0.0 };
            }
        }
        slice
    }

    /// Carries the values of one slice of the box to the window.
    fn write(&self, k: usize, values: &[f32], mm: &mut [f32]) {
        let [nx, ny, _] = self.input.shape;
        let [cx, _, _] = self.shape;
        for (at, &value) in values.iter().enumerate().filter(|(_, &value)| value > 0.0) {
            let place = [at % cx, at / cx, k];
            let [x, y, z] = [0, 1, 2].map(|a| (self.low[a] + place[a] as isize) as usize);
            mm[x + nx * (y + ny * z)] = value;
        }
    }
}

/// Gives cortical voxels of the side without a value the mean of the nearest ones that have one, or the side's mean when
/// there is none within 5 mm.
fn fill_gaps(input: &Input, side: usize, result: &mut Thickness) {
    let [nx, ny, nz] = input.shape.map(|n| n as isize);
    let span = -BORROW..=BORROW;
    let mut offsets: Vec<(isize, [isize; 3])> = span
        .clone()
        .flat_map(|z| span.clone().flat_map(move |y| (-BORROW..=BORROW).map(move |x| [x, y, z])))
        .map(|d| (d.iter().map(|c| c * c).sum(), d))
        .filter(|&(squared, _)| squared <= BORROW * BORROW)
        .collect();
    offsets.sort_unstable();
    let mm = &result.mm;
    let is_open = |v: usize| is_cortex_of(side, input.labels[v]) && mm[v] <= 0.0;
    let nearest = |v: usize| {
        let at = v as isize;
        let place = [at % nx, at / nx % ny, at / nx / ny];
        let (mut sum, mut count, mut reach) = (0f32, 0u32, isize::MAX);
        for &(squared, d) in offsets.iter().take_while(|(squared, _)| *squared <= BORROW * BORROW) {
            if squared > reach {
                break;
            }
            let [x, y, z] = [0, 1, 2].map(|a| place[a] + d[a]);
            if (0..nx).contains(&x) && (0..ny).contains(&y) && (0..nz).contains(&z) {
                let n = (x + nx * (y + ny * z)) as usize;
                if mm[n] > 0.0 && is_cortex_of(side, input.labels[n]) {
                    (sum, count, reach) = (sum + mm[n], count + 1, squared);
                }
            }
        }
        if count > 0 {
            sum / count as f32
        } else {
            result.side_mm[side] as f32
        }
    };
    let found: Vec<(usize, f32)> =
        (0..input.labels.len()).filter(|&v| is_open(v)).map(|v| (v, nearest(v))).collect();
    found.into_iter().for_each(|(v, value)| result.mm[v] = value);
}

#[cfg(test)]
#[path = "thickness_tests.rs"]
mod tests;
