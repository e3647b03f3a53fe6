#!/usr/bin/env bash
# Compares two builds of the WebAssembly, byte for byte.
#
#   tools/compare_wasm.sh COMMITTED BUILT
#
# Ends with 1 and names the files that differ when both were made by the same tools (toolchain.txt beside them): then one of
# them is not what wasm/ gives. Builds of other tools cannot be compared: that is said, and which tools they were.
set -euo pipefail
committed=$1 built=$2
for folder in "$committed" "$built"; do
  [ -s "$folder/toolchain.txt" ] || { echo "$folder does not say what it was made with: no toolchain.txt" >&2; exit 1; }
done
if ! diff "$committed/toolchain.txt" "$built/toolchain.txt"; then
  echo "wasm/pkg was made with other tools than those of this machine: it cannot be compared here"
  exit 0
fi
if diff -rq "$committed" "$built"; then
  echo "wasm/pkg is what wasm/ gives, byte for byte"
else
  echo "wasm/pkg is not what wasm/ gives: run deno task wasm and commit it" >&2
  exit 1
fi
