//! Results on the grid the viewer shows: axes right, anterior, superior, 1 mm, cut to the source's field of view.

use crate::numbers::percentile::percentile_of_histogram;
use crate::voxels::conform::SIDE;
use volume::{Affine, Error, Grid};

/// A grid that is a flip and permutation of the conformed grid, cut to a box.
pub struct Frame {
    pub grid: Grid,
    /// Index of the first voxel in the uncut flipped grid.
    low: [usize; 3],
}

impl Frame {
    /// Smallest box that holds the source's voxels (their outer faces), inside the conformed grid.
    pub fn new(conformed: &Grid, source: &Grid) -> Result<Self, Error> {
        let full = flipped(conformed);
        let inverse = full.invert()?;
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for corner in 0..8 {
            let ijk =
                [0, 1, 2].map(|a| if corner >> a & 1 == 1 { source.shape[a] as f64 - 0.5 } else { -0.5 });
            let p = inverse.apply(source.ras_from_ijk.apply(ijk));
            for a in 0..3 {
                low[a] = low[a].min(p[a]);
                high[a] = high[a].max(p[a]);
            }
        }
        let last = SIDE as f64 - 1.0;
        let low = low.map(|v| (v + 1e-6).round().clamp(0.0, last) as usize);
        let high = high.map(|v| (v - 1e-6).round().clamp(0.0, last) as usize);
        let mut ras_from_ijk = full;
        let origin = full.apply(low.map(|v| v as f64));
        ras_from_ijk.0[12..15].copy_from_slice(&origin);
        let shape = [0, 1, 2].map(|a| high[a].max(low[a]) - low[a] + 1);
        Ok(Self { grid: Grid { shape, ras_from_ijk }, low })
    }

    /// Index on the conformed grid of a voxel of this grid.
    pub fn conformed_ijk(&self, ijk: [usize; 3]) -> [usize; 3] {
        let p = [0, 1, 2].map(|a| ijk[a] + self.low[a]);
        [SIDE - 1 - p[0], SIDE - 1 - p[2], p[1]]
    }

    /// Values of a function of the conformed index, i fastest.
    pub fn map<T: Clone + Default + Send>(&self, value: impl Fn([usize; 3]) -> T + Sync) -> Vec<T> {
        let mut out = vec![T::default(); self.grid.count()];
        let [nx, ny, _] = self.grid.shape;
        parallel::for_each_chunk(&mut out, nx * ny, |k, slice| {
            for (at, voxel) in slice.iter_mut().enumerate() {
                *voxel = value(self.conformed_ijk([at % nx, at / nx, k]));
            }
        });
        out
    }
}

/// The conformed affine with its axes put in the order right, anterior, superior.
fn flipped(conformed: &Grid) -> Affine {
    let last = SIDE as f64 - 1.0;
    let origin = conformed.ras_from_ijk.apply([last, last, 0.0]);
    Affine::from_parts([[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]], origin)
}

/// Table from the bytes of a volume to display bytes: the 1st and the 99.9th percentile inside the head become 0 and 255.
/// The head is everything brighter than a fifth of the 98th percentile of the non-zero voxels.
pub fn display_table(voxels: &[u8]) -> [u8; 256] {
    let mut counts = [0u64; 256];
    voxels.iter().for_each(|&v| counts[v as usize] += 1);
    counts[0] = 0;
    let level = 0.2 * percentile_of_histogram(&counts, 98.0).unwrap_or(0.0);
    counts.iter_mut().enumerate().filter(|(v, _)| (*v as f64) < level).for_each(|(_, c)| *c = 0);
    let low = percentile_of_histogram(&counts, 1.0).unwrap_or(0.0);
    let high = percentile_of_histogram(&counts, 99.9).unwrap_or(255.0).max(low + 1.0);
    let mut table = [0; 256];
    for (v, out) in table.iter_mut().enumerate() {
        *out = ((v as f64 - low) / (high - low) * 255.0).clamp(0.0, 255.0).round() as u8;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxels::conform::conformed_grid;

    #[test]
    fn frame_keeps_every_voxel_at_its_place_in_the_patient() {
        let turn =
            Affine::from_parts([[0.1, -0.8, 0.2], [0.9, 0.1, 0.1], [0.1, 0.2, 1.1]], [60.0, -70.0, -80.0]);
        let source = Grid::new([150, 170, 140], turn).unwrap();
        let conformed = conformed_grid(&source);
        let frame = Frame::new(&conformed, &source).unwrap();
        assert!(frame.grid.shape.iter().all(|&n| n < SIDE));
        for ijk in [[0, 0, 0], [3, 50, 7], [frame.grid.shape[0] - 1, 0, frame.grid.shape[2] - 1]] {
            let a = frame.grid.ras_from_ijk.apply(ijk.map(|v| v as f64));
            let b = conformed.ras_from_ijk.apply(frame.conformed_ijk(ijk).map(|v| v as f64));
            assert!((0..3).all(|c| (a[c] - b[c]).abs() < 1e-9));
        }
        let inverse = frame.grid.ras_from_ijk.invert().unwrap();
        for corner in [[0, 0, 0], [149, 169, 139], [149, 0, 139], [0, 169, 0]] {
            let p = inverse.apply(source.ras_from_ijk.apply(corner.map(|v| v as f64)));
            assert!((0..3).all(|a| p[a] > -0.5 && p[a] < frame.grid.shape[a] as f64 - 0.5));
        }
    }

    #[test]
    fn frame_of_an_aligned_source_is_the_source() {
        let source = Grid::new(
            [100, 120, 90],
            Affine::from_parts([[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]], [-50., -60., -45.]),
        )
        .unwrap();
        let frame = Frame::new(&conformed_grid(&source), &source).unwrap();
        let offset: Vec<f64> =
            (12..15).map(|a| frame.grid.ras_from_ijk.0[a] - source.ras_from_ijk.0[a]).collect();
        assert!(offset.iter().all(|d| d.abs() < 1e-9), "{offset:?}");
        assert_eq!(frame.grid.shape, source.shape);
    }

    #[test]
    fn display_table_rises_from_0_to_255() {
        let voxels: Vec<u8> = (0..4096).map(|v| if v < 2000 { 3 } else { (v % 200) as u8 }).collect();
        let table = display_table(&voxels);
        assert_eq!((table[0], table[255]), (0, 255));
        assert!(table.windows(2).all(|w| w[0] <= w[1]));
    }
}
