//! Our volume as MeshNet-50 wants it, and its classes on our window: intensities without the bias field, between
//! their 2nd and 98th percentile, in a box around the head. With the field left in, or with the whole empty grid
//! around the head, the network fails more often. Bright fat raises the 98th percentile: on a child it put white
//! matter at 0.54, and the network saw no brain at all; at the level of adults it agrees with us.

use crate::numbers::exp::exp;
use crate::numbers::percentile::percentile;
use crate::tissue::prior::Window;
use crate::voxels::conform::SIDE;
use crate::voxels::filter::gaussian;
use crate::voxels::morphology::{largest_component, open};
use crate::voxels::sample::trilinear_border;
use meshnet::{Layout, Network};
use volume::{Error, Shape};

/// Edge of the blocks in which the field is averaged, voxels.
const BLOCK: usize = 8;
const BLOCKS: Shape = [SIDE / BLOCK; 3];
/// How far the field reaches beyond the candidates, mm.
const FIELD_SIGMA_MM: f64 = 12.0;
/// Part of the brightness (98th percentile) above which a voxel belongs to the head.
const HEAD_PART: f32 = 0.1;
/// Largest upper limit over the mean of white matter: the 98th percentile of two adults' heads was 1.047.
const BRIGHTEST: f32 = 1.047;
/// Air kept around the head, voxels.
const MARGIN: usize = 2;
/// Height of the box from the top of the head, voxels: no neck.
const HEIGHT: usize = 204;

/// Layers of MeshNet-50.
pub fn layout() -> Layout {
    Layout { channels: 30, dilations: vec![1, 2, 4, 8, 16, 8, 4, 2, 1], classes: 50 }
}

/// The network's class of each voxel of `window`, 0 off the candidates.
///
/// # Shape
/// `conformed` is SIDE³; `corrected` is `window.shape`, 0 off the candidates, free of the bias field;
/// `white` is the mean of white matter in it.
///
/// # Errors
/// `internal` (misuse) as `Network::run`. Allocates about 0.6 GB for a head of usual size.
pub fn predict(
    network: &Network,
    conformed: &[u8],
    window: &Window,
    corrected: &[f32],
    white: f32,
) -> Result<Vec<u8>, Error> {
    let field = Field::new(conformed, window, corrected);
    let head = head_box(conformed, window);
    let mut values: Vec<f32> = (0..head.count())
        .map(|at| {
            let [i, j, k] = head.ijk(at);
            f32::from(conformed[i + SIDE * (j + SIDE * k)])
        })
        .collect();
    let row = head.shape[0];
    parallel::for_each_chunk(&mut values, row, |line, values| {
        let start = head.ijk(line * row);
        let scale = |step: usize| field.scale([start[0] + step, start[1], start[2]]);
        values.iter_mut().enumerate().for_each(|(step, v)| *v *= scale(step));
    });
    stretch(&mut values, BRIGHTEST * white);
    let wanted: Vec<bool> = (0..head.count())
        .map(|at| index(window, head.ijk(at)).is_some_and(|v| corrected[v] != 0.0))
        .collect();
    let classes = network.run(&values, head.shape, &wanted)?;
    let on_window = |at: usize| index(&head, window.ijk(at)).map_or(0, |v| classes[v]);
    Ok((0..window.count()).map(on_window).collect())
}

/// Place of a voxel of the grid in a box.
fn index(window: &Window, ijk: [usize; 3]) -> Option<usize> {
    let p = [0, 1, 2].map(|a| ijk[a].wrapping_sub(window.low[a]));
    let [nx, ny, _] = window.shape;
    (0..3).all(|a| p[a] < window.shape[a]).then(|| p[0] + nx * (p[1] + ny * p[2]))
}

/// Linear to 0..1 between the 2nd and the 98th percentile (at most `brightest`), cut off outside.
fn stretch(values: &mut [f32], brightest: f32) {
    let mut sorted = values.to_vec();
    let mut rank = |percent: f64| percentile(&mut sorted, percent).unwrap_or(0.0) as f32;
    let (low, high) = (rank(2.0), rank(98.0).min(brightest));
    let scale = 1.0 / (high - low).max(1e-6);
    values.iter_mut().for_each(|v| *v = ((*v - low) * scale).clamp(0.0, 1.0));
}

/// The bias field known at the candidates, carried on to the rest of the head.
struct Field {
    /// Natural logarithm, by block.
    log: Vec<f32>,
}

impl Field {
    fn new(conformed: &[u8], window: &Window, corrected: &[f32]) -> Self {
        let count = BLOCKS.iter().product();
        let (mut log, mut weight) = (vec![0f32; count], vec![0f32; count]);
        for (at, &y) in corrected.iter().enumerate() {
            let [i, j, k] = window.ijk(at);
            let value = conformed[i + SIDE * (j + SIDE * k)];
            if y > 0.2 && value > 0 {
                let block = i / BLOCK + BLOCKS[0] * (j / BLOCK + BLOCKS[1] * (k / BLOCK));
                log[block] += (f32::from(value) / y).ln();
                weight[block] += 1.0;
            }
        }
        let (sum, n) = log
            .iter()
            .zip(&weight)
            .fold((0f64, 0f64), |s, (&l, &w)| (s.0 + f64::from(l), s.1 + f64::from(w)));
        let mean = (sum / n.max(1.0)) as f32;
        // A little of the mean everywhere, so that the field fades to it far from the brain.
        let least = 1e-3 * (BLOCK as f32).powi(3);
        for values in [&mut log, &mut weight] {
            gaussian(values, BLOCKS, [FIELD_SIGMA_MM / BLOCK as f64; 3], 1);
        }
        let log = log.iter().zip(&weight).map(|(&l, &w)| (l + least * mean) / (w + least)).collect();
        Self { log }
    }

    /// Factor that removes the field at a voxel of the grid.
    fn scale(&self, ijk: [usize; 3]) -> f32 {
        let at = ijk.map(|v| (v as f64 + 0.5) / BLOCK as f64 - 0.5);
        exp(-trilinear_border(&self.log, BLOCKS, at))
    }
}

/// Box of the bright body around the brain, without the neck; holds `window`.
fn head_box(conformed: &[u8], window: &Window) -> Window {
    let side = SIDE / 2;
    let shape = [side; 3];
    let at = |v: usize| [v % side, v / side % side, v / (side * side)].map(|c| 2 * c);
    let coarse: Vec<f32> = (0..side.pow(3))
        .map(|v| {
            let [i, j, k] = at(v);
            f32::from(conformed[i + SIDE * (j + SIDE * k)])
        })
        .collect();
    let mut bright: Vec<f32> = coarse.iter().copied().filter(|&v| v > 0.0).collect();
    let level = HEAD_PART * percentile(&mut bright, 98.0).unwrap_or(0.0) as f32;
    let head = largest_component(&open(&coarse.iter().map(|&v| v > level).collect::<Vec<_>>(), shape), shape);
    let mut low = window.low;
    let mut high = [0, 1, 2].map(|a| window.low[a] + window.shape[a]);
    let top = head.iter().enumerate().filter(|(_, &h)| h).map(|(v, _)| at(v)[1]).min().unwrap_or(low[1]);
    for p in head.iter().enumerate().filter(|(_, &h)| h).map(|(v, _)| at(v)).filter(|p| p[1] < top + HEIGHT) {
        for a in 0..3 {
            low[a] = low[a].min(p[a].saturating_sub(MARGIN));
            high[a] = high[a].max((p[a] + 2 + MARGIN).min(SIDE));
        }
    }
    Window { low, shape: [0, 1, 2].map(|a| high[a] - low[a]) }
}

#[cfg(test)]
#[path = "network_input_tests.rs"]
mod tests;
