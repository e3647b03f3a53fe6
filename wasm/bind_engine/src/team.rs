//! The threads of one analysis, for the workers that are them. See `parallel::team`.

use wasm_bindgen::prelude::*;

/// Makes the calling worker a helper; returns when the team is closed. Blocks its thread.
#[wasm_bindgen]
pub fn join_team() {
    parallel::team::join();
}

/// Threads of the team, the main worker included.
#[wasm_bindgen]
pub fn team_size() -> usize {
    parallel::team::size()
}

/// Lets the helpers return.
#[wasm_bindgen]
pub fn close_team() {
    parallel::team::close();
}

/// Makes `parallel` use this team. Called once by the main worker.
#[wasm_bindgen]
pub fn lead_team() {
    parallel::team::lead();
}
