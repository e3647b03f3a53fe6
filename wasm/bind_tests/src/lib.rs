//! What tests and benchmarks ask of the engine's parts for JavaScript. Nothing that runs at a site loads this module.

use analysis::atlas::Atlas;
use analysis::pipeline::Subject;
use analysis::vectors;
use network::{limit, Network};
use volume::{Affine, Error, Grid};
use wasm_bindgen::prelude::*;

fn text(error: Error) -> String {
    error.to_string()
}

fn shape_of(shape: &[u32]) -> Result<[usize; 3], String> {
    let shape: [u32; 3] = shape.try_into().map_err(|_| "not 3 numbers")?;
    Ok(shape.map(|n| n as usize))
}

/// Figures of one stage on seeded inputs; the native tests store what this build must reproduce.
#[wasm_bindgen]
pub fn test_vector(name: &str, seed: u32) -> Vec<f64> {
    vectors::vector(name, seed)
}

/// Parameters of the affine registration of one series: rotation vector (rad), translation (mm), log scales, shears. `atlas`
/// are the bytes of its three NPY files, one after another, and `ends` where the first two end.
#[wasm_bindgen]
pub fn affine_parameters(
    atlas: &[u8],
    ends: &[u32],
    voxels: &[i16],
    shape: &[u32],
    ras_from_ijk: &[f64],
) -> Result<Vec<f64>, String> {
    let [first, second] = <[u32; 2]>::try_from(ends).map_err(|_| "not 2 ends")?.map(|end| end as usize);
    let atlas = Atlas::from_npy(&atlas[..first], &atlas[first..second], &atlas[second..]).map_err(text)?;
    let affine = Affine(ras_from_ijk.try_into().map_err(|_| "not 16 numbers")?);
    let grid = Grid::new(shape_of(shape)?, affine).map_err(text)?;
    let registered = Subject::new(voxels, grid).and_then(|subject| subject.register(&atlas)).map_err(text)?;
    Ok(registered.registration().params.to_vec())
}

/// Our own network by itself.
#[wasm_bindgen]
pub struct BareNetwork {
    inner: Network,
}

#[wasm_bindgen]
impl BareNetwork {
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> Result<BareNetwork, String> {
        Ok(Self { inner: Network::new(weights).map_err(text)? })
    }

    /// Posteriors of a box, i fastest, then its classes.
    pub fn run(&self, input: &[f32], shape: &[u32]) -> Result<Vec<f32>, String> {
        self.inner.run(input, shape_of(shape)?).map_err(text)
    }

    /// Multiplications and additions of a run.
    pub fn operations(&self, shape: &[u32]) -> Result<f64, String> {
        Ok(self.inner.operations(shape_of(shape)?))
    }
}

/// Multiplications and additions in registers; a number that depends on all of them.
#[wasm_bindgen]
pub fn multiply_and_add(rounds: u32) -> f32 {
    limit::multiply_and_add(rounds, 0.999)
}

/// Operations of one round of `multiply_and_add`.
#[wasm_bindgen]
pub fn operations_of_a_round() -> f64 {
    limit::OPERATIONS
}
