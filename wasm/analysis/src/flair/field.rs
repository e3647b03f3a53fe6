//! The smooth drift of brightness that a receiving coil leaves in a FLAIR series: at the vertex, next to the coil, normal
//! tissue is otherwise as bright as lesions elsewhere.

use super::stack::Place;
use super::Flair;
use crate::numbers::exp::exp;
use crate::numbers::percentile::percentile;
use crate::voxels::filter::gaussian;
use crate::voxels::sample::trilinear_border;
use volume::Shape;

/// Side of a block of voxels that shares a value of the field, mm.
const BLOCK_MM: f64 = 4.0;
/// Least priors, of 255, of white matter and of cortex whose level is known.
const WHITE: u8 = 216;
const CORTEX: u8 = 128;
/// Farthest logarithm of a ratio to the tissue's level that counts, a pass each: a lesion or the fluid of a sulcus is
/// farther once the field is nearly known.
const LIMITS: [f32; 3] = [0.5, 0.25, 0.15];
/// Weight of the assumption that there is no drift, in voxels of tissue per block: without tissue nearby the field is 1.
const FLAT: f32 = 1e-3;

/// Tissue whose brightness is about the same in the whole brain: 0 white matter, 1 cortex.
fn tissue_of(p: &Place) -> Option<usize> {
    match p.label {
        1 | 2 if p.white > WHITE => Some(0),
        37..=104 if p.cortex > CORTEX => Some(1),
        _ => None,
    }
}

/// The series divided by its field, at the places; 0 elsewhere. The field is a Gaussian mean over `sigma_mm` of the
/// logarithm by which known tissue differs from its level in the whole brain.
pub fn flattened(flair: &Flair, places: &[Place], fluid: &[Place], sigma_mm: f64) -> Vec<f32> {
    let mut flat = vec![0f32; flair.grid.count()];
    let all = || places.iter().chain(fluid);
    all().for_each(|p| flat[p.at as usize] = flair.voxels[p.at as usize]);
    let known: Vec<(u32, usize)> =
        places.iter().filter_map(|p| tissue_of(p).map(|tissue| (p.at, tissue))).collect();
    let blocks = Blocks::new(flair);
    for limit in LIMITS {
        let levels = [0, 1].map(|wanted| {
            let mut found: Vec<f32> =
                known.iter().filter(|k| k.1 == wanted).map(|k| flat[k.0 as usize]).collect();
            percentile(&mut found, 50.0).unwrap_or(0.0) as f32
        });
        let residual = known.iter().filter_map(|&(at, tissue)| {
            let (value, level) = (flat[at as usize], levels[tissue]);
            (value > 0.0 && level > 0.0).then(|| (at, f64::from(value / level).ln() as f32))
        });
        let field = blocks.smooth(residual.filter(|(_, r)| r.abs() < limit), sigma_mm);
        let nx = flair.grid.shape[0];
        let slice = nx * flair.grid.shape[1];
        for p in all() {
            let at = p.at as usize;
            flat[at] /= exp(blocks.value(&field, [at % nx, at % slice / nx, at / slice]));
        }
    }
    flat
}

/// The grid of the field.
struct Blocks {
    /// Voxels of a block along each axis.
    step: [usize; 3],
    shape: Shape,
    from: Shape,
    /// Side of a block, mm.
    mm: [f64; 3],
}

impl Blocks {
    fn new(flair: &Flair) -> Self {
        let spacing = flair.grid.ras_from_ijk.spacing_mm();
        let step = spacing.map(|mm| ((BLOCK_MM / mm).round() as usize).max(1));
        let from = flair.grid.shape;
        let shape = [0, 1, 2].map(|a| from[a].div_ceil(step[a]));
        Self { step, shape, from, mm: [0, 1, 2].map(|a| step[a] as f64 * spacing[a]) }
    }

    /// Gaussian mean of values at voxels, by block.
    fn smooth(&self, values: impl Iterator<Item = (u32, f32)>, sigma_mm: f64) -> Vec<f32> {
        let count = self.shape.iter().product();
        let (mut sum, mut weight) = (vec![0f32; count], vec![0f32; count]);
        let [nx, ny, _] = self.from;
        for (at, value) in values {
            let at = at as usize;
            let [i, j, k] = [at % nx, at / nx % ny, at / (nx * ny)];
            let block =
                i / self.step[0] + self.shape[0] * (j / self.step[1] + self.shape[1] * (k / self.step[2]));
            sum[block] += value;
            weight[block] += 1.0;
        }
        let sigma = self.mm.map(|mm| sigma_mm / mm);
        gaussian(&mut sum, self.shape, sigma, 1);
        gaussian(&mut weight, self.shape, sigma, 1);
        sum.iter().zip(&weight).map(|(s, w)| s / (w + FLAT)).collect()
    }

    /// A field at a voxel.
    fn value(&self, field: &[f32], voxel: [usize; 3]) -> f32 {
        let p = [0, 1, 2].map(|a| (voxel[a] as f64 + 0.5) / self.step[a] as f64 - 0.5);
        trilinear_border(field, self.shape, p)
    }
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
