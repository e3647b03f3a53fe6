//! The engine for JavaScript: an `Engine` per study, a `LongitudinalEngine` per comparison of visits. Arrays are copied across
//! the border; failures are thrown as `EngineFailure`.

mod change;
mod engine;
mod failure;
mod flair;
mod fusion;
mod longitudinal;
mod resample;
mod surface;
mod team;

use wasm_bindgen::prelude::*;

/// Every error code the engine can report, joined by commas.
#[wasm_bindgen]
pub fn error_codes() -> String {
    volume::CODES.join(",")
}

/// Version of the engine; stored with every result.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}
