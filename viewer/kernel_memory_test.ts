import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createComposer, writeVoxels } from "@/viewer/slices/compose.ts";
import { initSync, kernel_memory, SliceComposer } from "@/wasm/pkg/kernels/bind_browser.js";

const WASM = new URL("../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const module = new WebAssembly.Module(await Deno.readFile(WASM));
const ROUNDS = 400, ALIVE = 12;

/** A composer with one volume, and the value of all its voxels. */
interface Piece {
  composer: SliceComposer;
  address: number;
  voxels: number;
  value: number;
}

/** Creates and frees composers of random sizes in any order; each volume holds one value. */
function churn(next: () => number): void {
  const alive: Piece[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (alive.length === ALIVE || (alive.length > 0 && next() < 0.4)) {
      const [{ composer, address, voxels, value }] = alive.splice(
        Math.floor(next() * alive.length),
        1,
      ) as [
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
      const bytes = new Uint8Array(kernel_memory().buffer, address, voxels),
        value = 1 + round % 255;
      assert.ok(
        address > 0 && bytes.every((byte) => byte === 0),
        `round ${round}: no clear volume`,
      );
      bytes.fill(value);
      alive.push({ composer, address, voxels, value });
    }
  }
  for (const { composer } of alive) composer.free();
}

/**
 * Physical memory, bytes, that the operating system has given to the kernels' memory.
 * The kernels' memory is found by its length, which no other mapping of the process may have.
 */
async function residentBytes({ buffer }: WebAssembly.Memory): Promise<number> {
  const kilobytes = (name: string, text: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]);
  const mappings = (await Deno.readTextFile("/proc/self/smaps")).split(
    /^(?=[0-9a-f]+-[0-9a-f]+ )/m,
  );
  const own = mappings.filter((text) => kilobytes("Size", text) * 1024 === buffer.byteLength);
  assert.equal(own.length, 1, "no mapping of the memory's length");
  return kilobytes("Rss", own[0]!) * 1024;
}

/** The operating system gives memory in pages of 4096 bytes, and reports their number. */
const HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled";
const missing = Deno.build.os !== "linux"
  ? "no /proc"
  : existsSync(HUGE_PAGES) && Deno.readTextFileSync(HUGE_PAGES).includes("[always]")
  ? "huge pages"
  : "";

Deno.test({
  name:
    "kernel_memory of a volume is taken where something was written, and cleared when it is used again" +
    (missing && ` (skipped: ${missing})`),
  ignore: missing !== "",
  async fn() {
    // a size of memory that no other test uses
    const [nx, ny, nz] = [251, 241, 104] as const, slice = nx * ny, voxels = slice * nz;
    const composer = createComposer(module, [nx, ny, nz]), { memory } = composer;
    assert.equal(composer.volume("labels").length, voxels);
    const before = await residentBytes(memory);
    assert.ok(
      before < voxels / 2,
      `${before} bytes for a volume of ${voxels} that nobody has written`,
    );
    const labels = new Uint8Array(slice * 4);
    for (let k = 0; k < nz; k += 4) {
      labels.fill(k > 20 && k < 80 ? 19 : 0, 80 * nx, 160 * nx);
      writeVoxels(composer.volume("labels"), k * slice, labels);
    }
    const taken = await residentBytes(memory) - before, written = 80 * nx * 14;
    assert.ok(
      taken >= written && taken < written + 200_000,
      `${taken} bytes for ${written} of ${voxels}`,
    );
    assert.equal(composer.volume("labels").filter((label) => label === 19).length, written);
    composer.drop("labels");
    assert.ok(
      composer.volume("labels").every((label) => label === 0),
      "labels of the last use are left",
    );
    composer.close();
  },
});

Deno.test("kernel_memory pieces never overlap, and what is freed is used again", () => {
  initSync({ module });
  let seed = 0x5eed;
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  churn(next);
  const { byteLength } = kernel_memory().buffer;
  for (let n = 0; n < 3; n++) churn(next);
  const most = kernel_memory().buffer.byteLength;
  assert.ok(most <= byteLength * 1.25, `${byteLength} bytes became ${most}`);
  // the same largest volumes still fit: freed composers leave no memory behind
  for (let n = 0; n < 20; n++) {
    const composer = SliceComposer.create(200, 200, 200)!;
    assert.ok(composer.volume_address(0) > 0);
    composer.free();
  }
  assert.ok(kernel_memory().buffer.byteLength <= most + 8e6 + 131072);
});
