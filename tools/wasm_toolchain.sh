#!/usr/bin/env bash
# wasm_toolchain.sh: a plain `cargo build --target wasm32-unknown-unknown` on Debian 12, without rustup and without the crate registry.
#
# Debian ships rustc-web (1.9x, bookworm-security) without a wasm32 standard library. This script installs the packages,
# builds std for wasm32-unknown-unknown once from rust-web-src (offline, crates vendored by Debian) and puts the rlibs
# where rustc looks for them: $SYSROOT/lib/rustlib/wasm32-unknown-unknown/lib.
# Idempotent: a stamp records the compiler's commit and this script's STD_FLAGS; a second run does nothing.
#
#   sudo ./wasm_toolchain.sh            install into rustc's own sysroot (/usr)
#   ./wasm_toolchain.sh --prefix DIR    no root needed after the packages: writes DIR/sysroot (a copy-on-symlink sysroot)
#                                       and DIR/env.sh (RUSTC wrapper + PATH); source it before cargo / wasm-pack
#   --threads                           std built with +atomics,+bulk-memory (wasm threads); prefix mode only
set -euo pipefail
TARGET=wasm32-unknown-unknown
RUSTC=${RUSTC:-/usr/bin/rustc}; CARGO=${CARGO:-/usr/bin/cargo}
PREFIX=""; STD_FLAGS=""; START=$(date +%s)
while [ $# -gt 0 ]; do case $1 in
  --prefix) PREFIX=$(realpath -m "$2"); shift 2;;
  --threads) STD_FLAGS="-C target-feature=+atomics,+bulk-memory"; shift;;
  *) echo "unknown option $1" >&2; exit 2;;
esac; done
[ -z "$STD_FLAGS" ] || [ -n "$PREFIX" ] || { echo "--threads needs --prefix (it would change every other wasm build)" >&2; exit 2; }

# 1. packages (rust-web-llvm carries /usr/bin/rust-lld and is only a Recommends of rustc-web, so it is named here) ----
need=(); for p in rustc-web cargo-web rust-web-src rust-web-llvm lld-22; do dpkg -s "$p" >/dev/null 2>&1 || need+=("$p"); done
if [ ${#need[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] || { echo "missing packages: ${need[*]} (run: apt-get install ${need[*]})" >&2; exit 1; }
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null
fi
SYSROOT=$("$RUSTC" --print sysroot)
ID=$("$RUSTC" -vV | sed -n 's/^commit-hash: //p;s/^release: //p' | tr '\n' ' ')"flags:$STD_FLAGS"

# 2. where it goes --------------------------------------------------------------------------------------------------
if [ -n "$PREFIX" ]; then
  DEST=$PREFIX/sysroot/lib/rustlib/$TARGET
else
  DEST=$SYSROOT/lib/rustlib/$TARGET
fi
if [ "$(cat "$DEST/.stamp" 2>/dev/null || true)" = "$ID" ]; then echo "already installed: $DEST"; exit 0; fi

# 3. build std ------------------------------------------------------------------------------------------------------
WORK=$(mktemp -d); trap 'rm -rf "$WORK"' EXIT
mkdir -p "$WORK/src"; echo '#![no_std]' > "$WORK/src/lib.rs"
printf '[package]\nname = "std_seed"\nversion = "0.0.0"\nedition = "2021"\n[profile.release]\nopt-level = 3\ndebug = false\n' > "$WORK/Cargo.toml"
# embed-bitcode: cargo turns it off when the seed itself is not LTO, and then user crates with lto=true fail to link.
# std's own registry dependencies are vendored beside it; without this replacement cargo looks for cfg-if in the registry
mkdir -p "$WORK/.cargo"; printf '[source.crates-io]\nreplace-with = "std-vendor"\n[source.std-vendor]\ndirectory = "%s"\n' \
  "$SYSROOT/lib/rustlib/src/rust/library/vendor" > "$WORK/.cargo/config.toml"
( cd "$WORK" && env -u CARGO_HOME -u RUSTUP_TOOLCHAIN HOME="$WORK" CARGO_HOME="$WORK/home" RUSTC="$RUSTC" RUSTC_BOOTSTRAP=1 RUSTFLAGS="-C embed-bitcode=yes $STD_FLAGS" \
    "$CARGO" build --quiet --offline --release --target $TARGET -Z build-std=std,panic_abort )

# 4. install it atomically ------------------------------------------------------------------------------------------
mkdir -p "$(dirname "$DEST")"; rm -rf "$DEST.new"; mkdir -p "$DEST.new/lib"
find "$WORK/target/$TARGET/release/deps" -name 'lib*.rlib' ! -name 'libstd_seed*' -exec cp {} "$DEST.new/lib/" \;
echo "$ID" > "$DEST.new/.stamp"; rm -rf "$DEST"; mv "$DEST.new" "$DEST"

# 5. prefix mode: complete the sysroot with links to the host's parts and write the environment --------------------
if [ -n "$PREFIX" ]; then
  for e in "$SYSROOT"/lib/rustlib/*; do n=$(basename "$e"); [ "$n" = $TARGET ] || ln -sfn "$e" "$PREFIX/sysroot/lib/rustlib/$n"; done
  mkdir -p "$PREFIX/bin"
  printf '#!/bin/sh\nexec %s --sysroot %s "$@"\n' "$RUSTC" "$PREFIX/sysroot" > "$PREFIX/bin/rustc"; chmod +x "$PREFIX/bin/rustc"
  ln -sfn "$CARGO" "$PREFIX/bin/cargo"
  printf 'export PATH=%s/bin:/usr/bin:$PATH\nexport RUSTC=%s/bin/rustc\nunset RUSTUP_TOOLCHAIN\n' "$PREFIX" "$PREFIX" > "$PREFIX/env.sh"
fi
echo "installed $TARGET std for rustc $("$RUSTC" -V | cut -d' ' -f2) into $DEST: $(ls "$DEST/lib" | wc -l) crates, $(du -sh "$DEST" | cut -f1), $(( $(date +%s) - START )) s"
