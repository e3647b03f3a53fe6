#!/usr/bin/env bash
# Format, lints and module cycles of the Rust workspace. rustup's cargo is preferred: it brings rustfmt and clippy of its own version,
# and npx puts /usr/bin in front of it.
set -euo pipefail
cd "$(dirname "$0")/../wasm"
[ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ] && PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
cargo fmt --check
deno run --allow-read ../tools/rust_modules.ts
CARGO_TARGET_DIR=target/clippy cargo clippy --locked --release --workspace --all-targets --quiet -- -D warnings
