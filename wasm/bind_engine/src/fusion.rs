//! Our own network beside the atlas. See `analysis::fusion`.

use crate::{Engine, EngineFailure};
use analysis::fusion::Fusion;
use wasm_bindgen::prelude::*;

/// What came of asking the network.
#[wasm_bindgen]
pub struct EngineFusion {
    inner: Fusion,
}

#[wasm_bindgen]
impl EngineFusion {
    /// Version of the weights.
    #[wasm_bindgen(getter)]
    pub fn version(&self) -> String {
        self.inner.version.clone()
    }

    #[wasm_bindgen(getter)]
    pub fn used(&self) -> bool {
        self.inner.is_used
    }

    /// `agreed`, or what refused it.
    #[wasm_bindgen(getter)]
    pub fn reason(&self) -> String {
        self.inner.reason.into()
    }

    /// Part of the atlas's deep structures that the network saw, its mean entropy and its Dice with the atlas.
    #[wasm_bindgen(getter)]
    pub fn figures(&self) -> Vec<f64> {
        vec![self.inner.coverage, self.inner.entropy, self.inner.agreement]
    }
}

#[wasm_bindgen]
impl Engine {
    /// Asks the network with these weights; what came of it.
    pub fn fuse(&mut self, weights: &[u8]) -> Result<EngineFusion, EngineFailure> {
        Ok(EngineFusion { inner: self.pipeline.fuse(weights)?.clone() })
    }
}

/// The network by itself, for the benchmark.
#[wasm_bindgen]
pub struct EngineNetwork {
    inner: network::Network,
}

#[wasm_bindgen]
impl EngineNetwork {
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> Result<EngineNetwork, EngineFailure> {
        Ok(Self { inner: network::Network::new(weights)? })
    }

    /// Posteriors of a box, i fastest, then its classes.
    pub fn run(&self, input: &[f32], shape: &[u32]) -> Result<Vec<f32>, EngineFailure> {
        Ok(self.inner.run(input, crate::shape_of(shape)?)?)
    }

    /// Multiplications and additions of a run.
    pub fn operations(&self, shape: &[u32]) -> Result<f64, EngineFailure> {
        Ok(self.inner.operations(crate::shape_of(shape)?))
    }
}

/// Multiplications and additions in registers, for the benchmark; a number that depends on all of them.
#[wasm_bindgen]
pub fn multiply_and_add(rounds: u32) -> f32 {
    network::limit::multiply_and_add(rounds, 0.999)
}

/// Operations of one round of `multiply_and_add`.
#[wasm_bindgen]
pub fn operations_of_a_round() -> f64 {
    network::limit::OPERATIONS
}
