import assert from "node:assert/strict";
import { initSync, kernel_memory, SliceComposer } from "@/wasm/pkg/kernels/bind_browser.js";

const WASM = new URL("../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const ROUNDS = 400, ALIVE = 12;

/** A composer with one volume. */
interface Piece {
  composer: SliceComposer;
  address: number;
  voxels: number;
  value: number;
}

/** Composers of random sizes, made and freed in any order; each volume holds one value. */
function churn(next: () => number): void {
  const alive: Piece[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (alive.length === ALIVE || (alive.length > 0 && next() < 0.4)) {
      const [{ composer, address, voxels, value }] = alive.splice(Math.floor(next() * alive.length), 1) as [
        Piece,
      ];
      const bytes = new Uint8Array(kernel_memory().buffer, address, voxels);
      assert.ok(
        bytes.every((byte) => byte === value),
        `round ${round}: another piece was written into this one`,
      );
      composer.free();
    } else {
      const length = () => 1 + Math.floor(next() * 60), nx = length(), ny = length(), nz = length();
      const voxels = nx * ny * nz;
      const composer = SliceComposer.create(nx, ny, nz)!, address = composer.volume_address(0);
      const bytes = new Uint8Array(kernel_memory().buffer, address, voxels), value = 1 + round % 255;
      assert.ok(address > 0 && bytes.every((byte) => byte === 0), `round ${round}: no clear volume`);
      bytes.fill(value);
      alive.push({ composer, address, voxels, value });
    }
  }
  for (const { composer } of alive) composer.free();
}

Deno.test("kernel_memory pieces never overlap, and what is freed is used again", async () => {
  initSync({ module: await Deno.readFile(WASM) });
  let seed = 0x5eed;
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  churn(next);
  const { byteLength } = kernel_memory().buffer;
  for (let n = 0; n < 3; n++) churn(next);
  const most = kernel_memory().buffer.byteLength;
  assert.ok(most <= byteLength * 1.25, `${byteLength} bytes became ${most}`);
  // the largest volumes that fit stay the same: nothing is left behind between the pieces
  for (let n = 0; n < 20; n++) {
    const composer = SliceComposer.create(200, 200, 200)!;
    assert.ok(composer.volume_address(0) > 0);
    composer.free();
  }
  assert.ok(kernel_memory().buffer.byteLength <= most + 8e6 + 131072);
});
