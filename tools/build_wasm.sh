#!/usr/bin/env bash
# Builds the wasm/bind_* crates into wasm/pkg/<name> (bind_engine -> engine, bind_browser -> kernels,
# bind_reading -> reading, bind_tests -> tests, which only tests and benchmarks load), or into DIR/<name>.
#
#   tools/build_wasm.sh [DIR [engine|kernels|reading|tests]]
#
# Needs a Rust with the wasm32-unknown-unknown standard library, once plain (for the browser's kernels) and once with
# atomics (for the engine's threads): tools/wasm_toolchain.sh on Debian. Also wasm-pack and the wasm-bindgen of
# Cargo.lock's version. wasm-opt is not used: the result must not depend on which binaryen is installed. The same tools
# give the same bytes, wherever the checkout, cargo's home and the library with atomics lie: DIR/toolchain.txt names them,
# and CI compares (tools/compare_wasm.sh).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$(realpath -m "${1:-$root/wasm/pkg}")
only=${2:-}
threads=${SULCUS_WASM_THREADS:-/opt/sulcus-threads}
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
wanted=$(sed -n 's/^wasm-bindgen = .*"=\([0-9.]*\)".*/\1/p' "$root/wasm/Cargo.toml")
have=$(wasm-bindgen --version | cut -d' ' -f2)
[ "$wanted" = "$have" ] || { echo "wasm-bindgen $wanted is needed, found $have: cargo install wasm-bindgen-cli --version =$wanted" >&2; exit 1; }
[ -f "$threads/env.sh" ] || { echo "no wasm32 library with atomics in $threads: tools/wasm_toolchain.sh --prefix $threads --threads" >&2; exit 1; }
# Debian's compiler first: rustup's has no wasm32 library unless the target was added.
if [ -x /usr/bin/rustc ] && [ -d "$(/usr/bin/rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown/lib" ]; then
  export PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc
  unset RUSTUP_TOOLCHAIN
fi
# Paths of this machine must not enter the module, or two machines build two modules.
remap="--remap-path-prefix=$root=/sulcus --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
# 1 199 964 160 bytes: an analysis that needs more fails by itself instead of the machine.
shared="-C link-arg=--shared-memory -C link-arg=--import-memory -C link-arg=--max-memory=1199964160"
for symbol in __wasm_init_tls __tls_size __tls_align __tls_base; do shared+=" -C link-arg=--export=$symbol"; done

# build CRATE PACKAGE FLAGS
build() {
  [ -z "$only" ] || [ "$only" = "$2" ] || return 0
  (
    cd "$root/wasm"
    CARGO_TARGET_DIR="${SULCUS_WASM_TARGET:-$root/wasm/target}/$2" CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$3 $remap" \
      wasm-pack --quiet build "$1" --target web --mode no-install --no-pack --out-dir "$out/$2" -- --locked
  )
  rm -f "$out/$2/.gitignore"
  printf '%s %s bytes\n' "$2" "$(stat -c %s "$out/$2/$1_bg.wasm")"
}
# Every page of the viewer fetches the kernels: names of functions stay behind.
build bind_browser kernels "-C target-feature=+simd128 -C strip=symbols"
build bind_reading reading "-C target-feature=+simd128 -C strip=symbols"
# Classes that a page does not use fall out of its files, once nothing marks them as having side effects.
for script in kernels/bind_browser reading/bind_reading; do
  [ -n "$only" ] && [ "$only" != "${script%%/*}" ] ||
    sed -i -e '/^if (Symbol.dispose)/d' -e 's#: new FinalizationRegistry(#: /* @__PURE__ */ new FinalizationRegistry(#' \
      "$out/$script.js"
done
build bind_tests tests "-C target-feature=+simd128"
. "$threads/env.sh"
build bind_engine engine "-C target-feature=+simd128,+atomics,+bulk-memory $shared"
[ -n "$only" ] || {
  rustc --version --verbose | grep -E '^(rustc|LLVM)'
  cargo --version
  rust-lld -flavor wasm --version 2>/dev/null || true
  dpkg-query --show --showformat '${Package} ${Version}\n' rustc-web rust-web-src rust-web-llvm 2>/dev/null || true
  wasm-bindgen --version
  wasm-pack --version
} > "$out/toolchain.txt"
