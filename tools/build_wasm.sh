#!/usr/bin/env bash
# Builds every wasm/bind_* crate into wasm/pkg/<name> (bind_engine -> engine, bind_browser -> kernels), or into DIR/<name>.
#
#   tools/build_wasm.sh [DIR]
#
# Needs a Rust with the wasm32-unknown-unknown standard library (tools/wasm_toolchain.sh on Debian), wasm-pack and the
# wasm-bindgen of Cargo.lock's version. wasm-opt is not used: the result must not depend on which binaryen is installed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$(realpath -m "${1:-$root/wasm/pkg}")
# Debian's compiler first: rustup's has no wasm32 library unless the target was added.
if [ -x /usr/bin/rustc ] && [ -d "$(/usr/bin/rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown/lib" ]; then
  export PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc
  unset RUSTUP_TOOLCHAIN
fi
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
wanted=$(sed -n 's/^wasm-bindgen = "=\(.*\)"/\1/p' "$root/wasm/Cargo.toml")
have=$(wasm-bindgen --version | cut -d' ' -f2)
[ "$wanted" = "$have" ] || { echo "wasm-bindgen $wanted is needed, found $have: cargo install wasm-bindgen-cli --version =$wanted" >&2; exit 1; }
declare -A name=([bind_engine]=engine [bind_browser]=kernels)
cd "$root/wasm"
for crate in bind_*; do
  package=${name[$crate]:-${crate#bind_}}
  # Paths of this machine must not enter the module, or two machines build two modules.
  CARGO_TARGET_DIR="$root/wasm/target/wasm" \
  CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C target-feature=+simd128 --remap-path-prefix=$root=/sulcus --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo" \
    wasm-pack --quiet build "$crate" --target web --mode no-install --no-pack --out-dir "$out/$package" -- --locked
  rm -f "$out/$package/.gitignore"
  printf '%s %s bytes\n' "$package" "$(stat -c %s "$out/$package/${crate}_bg.wasm")"
done
