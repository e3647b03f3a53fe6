//! Marks of the halfway grid on the voxels of a series.

use volume::{Affine, Error, Grid};

/// Part of a voxel's volume that a mark fills, at least.
const FILLED: f64 = 0.5;

/// Marks on the voxels of a series: those that a lesion fills by half, and if there is none, the one that it fills most.
///
/// # Arguments
/// * `marks` - 0 or 1 + a lesion's number, on `grid`
/// * `source_from_grid` - mm of the grid's space to scanner mm of the series
///
/// # Errors
/// `volume.affine_singular`.
pub fn on_source(
    marks: &[u8],
    grid: &Grid,
    source_from_grid: &Affine,
    source: &Grid,
    lesions: usize,
) -> Result<Vec<u8>, Error> {
    let map = source.ras_from_ijk.invert()?.compose(source_from_grid).compose(&grid.ras_from_ijk);
    let [nx, ny, _] = grid.shape;
    let mut hits: Vec<Vec<usize>> = vec![Vec::new(); lesions];
    for (v, &mark) in marks.iter().enumerate().filter(|(_, &mark)| mark > 0) {
        let p = map.apply([v % nx, v / nx % ny, v / (nx * ny)].map(|c| c as f64)).map(|c| (c + 0.5).floor());
        if (0..3).all(|a| p[a] >= 0.0 && p[a] < source.shape[a] as f64) {
            hits[usize::from(mark) - 1].push(source.index(p[0] as usize, p[1] as usize, p[2] as usize));
        }
    }
    let whole = source.ras_from_ijk.determinant().abs() / grid.ras_from_ijk.determinant().abs();
    let mut out = vec![0u8; source.count()];
    for (n, mut hits) in hits.into_iter().enumerate() {
        hits.sort_unstable();
        let filled: Vec<(usize, usize)> =
            hits.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
        let most = filled.iter().map(|f| f.1).max().unwrap_or(0);
        let least = (FILLED * whole).min(most as f64);
        for (at, _) in filled.into_iter().filter(|f| f.1 as f64 >= least) {
            out[at] = n as u8 + 1;
        }
    }
    Ok(out)
}
