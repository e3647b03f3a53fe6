//! What our own network said, for JavaScript.

use analysis::network::fusion::Fusion;
use wasm_bindgen::prelude::*;

/// What came of asking our own network beside the atlas. See `analysis::network::fusion`.
#[wasm_bindgen]
pub struct EngineFusion {
    version: String,
    pub used: bool,
    reason: &'static str,
    /// Part of the atlas's deep structures that the network saw.
    pub coverage: f64,
    /// Mean entropy of the network's answer.
    pub entropy: f64,
    /// Dice of the deep grey matter of network and atlas.
    pub agreement: f64,
}

impl From<&Fusion> for EngineFusion {
    fn from(fusion: &Fusion) -> Self {
        Self {
            version: fusion.version.clone(),
            used: fusion.is_used,
            reason: fusion.reason,
            coverage: fusion.coverage,
            entropy: fusion.entropy,
            agreement: fusion.agreement,
        }
    }
}

#[wasm_bindgen]
impl EngineFusion {
    /// Version of the weights.
    #[wasm_bindgen(getter)]
    pub fn version(&self) -> String {
        self.version.clone()
    }

    /// `agreed`, or what refused it.
    #[wasm_bindgen(getter)]
    pub fn reason(&self) -> String {
        self.reason.into()
    }
}
