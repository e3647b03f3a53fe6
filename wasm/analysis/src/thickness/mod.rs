//! Cortical thickness: at a grey voxel near white matter, the way to white matter plus the grey matter on the way to the
//! outside (`column`), averaged over its neighbourhood.
//!
//! One hemisphere at a time on a 0.5 mm grid. A 1 mm voxel is cut into eight whose centres lie 0.25 mm to both sides of
//! its own, so that the nearest label is always that of the voxel itself, intensities are 3/4 and 1/4 of two neighbours,
//! and a mirrored head gives mirrored values.

pub mod column;
pub mod sulcus;

use crate::atlas::OUTER_CSF;
use crate::thickness::column::{Column, FULL};
use crate::thickness::sulcus::mark_ridges;
use crate::voxels::component::keep_largest;
use crate::voxels::edt::squared_distance;
use crate::voxels::filter::gaussian;
use volume::{Grid, Shape};

/// Part of the way from grey to white above which a voxel is white. Beyond the middle: the deep layers are brighter.
const WHITE_FRACTION: f32 = 0.65;
/// Part of the way from fluid to grey above which a voxel is not outside.
const GREY_FRACTION: f32 = 0.45;
/// (1.5 mm)² in voxels²: grey closer to white matter than this is measured, farther it may be the middle of a sulcus.
const NEAR: u16 = 9;
const HIGHEST_MM: f32 = 5.0;
/// What this way of measuring reads more than FreeSurfer 6, whose surfaces the norms are of, mm: mean of the four sites that no
/// constant was chosen with (+.287, +.298, +.231, +.147; eight people). It is taken away everywhere alike, so that a cortex that
/// thins by a millimetre is read a millimetre thinner. Limits of .55 instead of `WHITE_FRACTION` take .18 to .20 mm from every
/// head and leave the sites as far apart; see `docs/adr/analysis/0063-the-thickness-is-printed-as-freesurfer-reads-it.md`.
pub const OFFSET_MM: f64 = 0.24;
/// Least thickness of a voxel that is cortex, mm: 0 says that there is none.
const LEAST_MM: f32 = 0.1;
/// 1 mm voxels around the hemisphere's box.
const MARGIN: usize = 2;
/// Sigma of the neighbourhood that a value is the mean of, mm.
const NEIGHBOURHOOD_MM: f64 = 3.0;
/// Sum of the neighbourhood's weights below which it is empty.
const LEAST_WEIGHT: f32 = 1e-3;
/// A source with a longer side to its voxels shows too little of the cortex, mm; the rest is rounding of headers.
const LARGEST_VOXEL_MM: f64 = 1.5 + 1e-3;

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
    /// Means of cortex, of cerebral white matter and of fluid on the scale of `corrected`.
    pub grey: f32,
    pub white: f32,
    pub fluid: f32,
}

pub struct Thickness {
    /// Millimetres at the 1 mm voxels labelled cortex (37..104), 0 elsewhere.
    pub mm: Vec<f32>,
    /// Mean of the map by label; 0 where not measurable.
    pub mean_mm: [f64; 105],
    /// Mean of the map left and right; 0 where not measurable.
    pub side_mm: [f64; 2],
}

/// Whether the cortex of a source can be measured: no side of its voxels is longer than 1.5 mm.
pub fn is_measurable(source: &Grid) -> bool {
    source.ras_from_ijk.spacing_mm().iter().all(|&mm| mm <= LARGEST_VOXEL_MM)
}

/// Measures both hemispheres, one after the other.
///
/// White = white matter or cortex of the side brighter than grey + 0.65 (white - grey), or its deep nuclei, ventricles
/// and the callosum; largest component. Outside = neither that nor cortex or white matter above fluid + 0.45 (grey -
/// fluid), or the middle of a sulcus without visible fluid. Each 0.5 mm grey voxel less than 1.5 mm from white matter is
/// read: t = distance to white - 0.25 mm (its centres lie a quarter of a millimetre beyond the boundary) + grey matter on
/// the way to the nearest outside, within 0..5. The map at a cortical voxel is their mean around it (Gaussian, sigma
/// 3 mm, of the same hemisphere) less `OFFSET_MM`; the value of a label is the mean of its map.
///
/// # Panics
/// When the arrays do not fit `shape`.
///
/// # Exactness
/// The distances are exact between voxel centres; results do not depend on the number of threads. Peak memory 9 bytes
/// per 0.5 mm voxel of one hemisphere's box.
///
/// # Source
/// The grey matter on a path as its content by linear partial volume, as in Dahnke et al. 2013, NeuroImage 65, 336-348:
/// blur moves it along the path and does not change it.
pub fn measure(input: &Input) -> Thickness {
    let count = input.shape.iter().product::<usize>();
    assert!([input.labels.len(), input.unrefined.len(), input.corrected.len()] == [count; 3]);
    let labels: Vec<u8> = input.labels.iter().zip(input.unrefined).map(|(&l, &u)| with_taken(l, u)).collect();
    let mut result = Thickness { mm: vec![0.0; count], mean_mm: [0.0; 105], side_mm: [0.0; 2] };
    for side in 0..2 {
        if let Some(hemisphere) = Hemisphere::new(input, &labels, side) {
            hemisphere.measure(&mut result.mm);
        }
    }
    let (mut sum, mut count) = ([0f64; 105], [0u32; 105]);
    for (&label, &mm) in input.labels.iter().zip(&result.mm).filter(|(_, &mm)| mm > 0.0) {
        sum[label as usize] += f64::from(mm);
        count[label as usize] += 1;
    }
    let mean = |sum: f64, count: u32| if count > 0 { sum / f64::from(count) } else { 0.0 };
    result.mean_mm = std::array::from_fn(|label| mean(sum[label], count[label]));
    result.side_mm = [0, 1].map(|side| {
        let own = || (37..105).skip(side).step_by(2);
        mean(own().map(|label| sum[label]).sum(), own().map(|label| count[label]).sum())
    });
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

/// What was read in the 1 mm voxels of the box, or of one slice of it.
#[derive(Default)]
struct Readings {
    /// Sum over the 0.5 mm voxels, mm.
    sum: Vec<f32>,
    /// Number of them.
    count: Vec<f32>,
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

    fn measure(&self, mm: &mut [f32]) {
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
        let content = self.content();
        let column = Column { shape: fine, content: &content, to_white: &to_white, to_outside: &to_outside };
        let mut read = Readings::default();
        for slice in parallel::map(self.shape[2], |k| self.gather(k, &marks, &column)) {
            read.sum.extend(slice.sum);
            read.count.extend(slice.count);
        }
        self.spread(read, mm);
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
        let &Input { grey, white, fluid, .. } = self.input;
        let [bright, dim] = [grey + WHITE_FRACTION * (white - grey), fluid + GREY_FRACTION * (grey - fluid)];
        self.fine(|kind, y| match kind {
            Kind::Deep => WHITE,
            Kind::Matter if y > bright => WHITE,
            Kind::Matter if y > dim => GREY,
            _ => OUTSIDE,
        })
    }

    /// Grey matter in the voxels of the 0.5 mm grid, by linear partial volume with fluid.
    fn content(&self) -> Vec<u8> {
        let &Input { grey, fluid, .. } = self.input;
        let scale = f32::from(FULL) / (grey - fluid);
        self.fine(|_, y| (scale * (y - fluid)).clamp(0.0, f32::from(FULL)).round() as u8)
    }

    /// A function of kind and intensity at the voxels of the 0.5 mm grid; `OUTSIDE` in rows of other kinds.
    fn fine(&self, value: impl Fn(Kind, f32) -> u8 + Sync) -> Vec<u8> {
        let [cx, cy, cz] = self.shape;
        let mut values = vec![OUTSIDE; 8 * cx * cy * cz];
        parallel::for_each_chunk(&mut values, 8 * cx * cy, |k, slab| {
            let mut row = vec![0f32; cx + 2];
            for (half, plane) in slab.chunks_exact_mut(4 * cx * cy).enumerate() {
                for (j, rows) in plane.chunks_exact_mut(4 * cx).enumerate() {
                    let kinds = || self.row(j, k, 0..cx).map(|l| self.kind[l as usize]);
                    if kinds().all(|kind| kind == Kind::Other) {
                        continue;
                    }
                    for (part, out) in rows.chunks_exact_mut(2 * cx).enumerate() {
                        self.mix_rows(j, k, [part, half], &mut row);
                        for ((pair, near), kind) in out.chunks_exact_mut(2).zip(row.windows(3)).zip(kinds()) {
                            pair[0] = value(kind, 0.75 * near[1] + 0.25 * near[0]);
                            pair[1] = value(kind, 0.75 * near[1] + 0.25 * near[2]);
                        }
                    }
                }
            }
        });
        values
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

    /// Reads the grey voxels of a 1 mm slice that lie near white matter.
    fn gather(&self, k: usize, marks: &[u8], column: &Column) -> Readings {
        let [cx, cy, _] = self.shape;
        let mut read = Readings { sum: vec![0.0; cx * cy], count: vec![0.0; cx * cy] };
        for j in 0..cy {
            for (i, label) in self.row(j, k, 0..cx).enumerate() {
                if !is_cortex_of(self.side, label) {
                    continue;
                }
                for corner in 0..8 {
                    let place = [2 * i + corner % 2, 2 * j + corner / 2 % 2, 2 * k + corner / 4];
                    let v = place[0] + 2 * cx * (place[1] + 2 * cy * place[2]);
                    if marks[v] != GREY || column.to_white[v] >= NEAR {
                        continue;
                    }
                    let Some(beyond) = column.beyond(place) else { continue };
                    let steps = f32::from(column.to_white[v]).sqrt() - 0.5 + beyond;
                    read.sum[i + cx * j] += (0.5 * steps).clamp(0.0, HIGHEST_MM);
                    read.count[i + cx * j] += 1.0;
                }
            }
        }
        read
    }

    /// Writes the mean of the readings around each cortical voxel, or the hemisphere's where there are none, less the offset.
    fn spread(&self, mut read: Readings, mm: &mut [f32]) {
        let [nx, ny, _] = self.input.shape;
        let [cx, cy, cz] = self.shape;
        let total = |values: &[f32]| values.iter().map(|&v| f64::from(v)).sum::<f64>();
        let (sum, count) = (total(&read.sum), total(&read.count));
        if count == 0.0 {
            return;
        }
        gaussian(&mut read.sum, self.shape, [NEIGHBOURHOOD_MM; 3], 1);
        gaussian(&mut read.count, self.shape, [NEIGHBOURHOOD_MM; 3], 1);
        for k in MARGIN..cz - MARGIN {
            for j in MARGIN..cy - MARGIN {
                for i in MARGIN..cx - MARGIN {
                    let [x, y, z] =
                        [(0, i), (1, j), (2, k)].map(|(a, at)| (self.low[a] + at as isize) as usize);
                    let (v, at) = (x + nx * (y + ny * z), i + cx * (j + cy * k));
                    if !is_cortex_of(self.side, self.input.labels[v]) {
                        continue;
                    }
                    let is_empty = read.count[at] < LEAST_WEIGHT;
                    let read = if is_empty { (sum / count) as f32 } else { read.sum[at] / read.count[at] };
                    mm[v] = (read - OFFSET_MM as f32).max(LEAST_MM);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "thickness_tests.rs"]
mod tests;
