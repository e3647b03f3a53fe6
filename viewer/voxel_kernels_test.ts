import assert from "node:assert/strict";
import { affineFromRows, type Shape } from "@/model/geometry.ts";
import { type Composer, createComposer } from "@/viewer/slices/compose.ts";
import { gridOf } from "@/viewer/grid.ts";
import { createPicked, pick } from "@/viewer/slices/marks/pick.ts";
import { createPaneMapping, createScene, mapPane, PLANES } from "@/viewer/scene.ts";
import { sliceOf, valueUnder } from "@/viewer/voxel_kernels.ts";
import { npy_to_u8, VolumeDecoder } from "@/wasm/pkg/kernels/bind_browser.js";

const wasmUrl = new URL("../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const module = await WebAssembly.compile(await Deno.readFile(wasmUrl));

/** mulberry32: pseudorandom numbers, equal on all machines. */
function randomSource(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function randomComposer(
  random: () => number,
  most: number,
): { composer: Composer; values: Uint8Array } {
  const size = () => 1 + Math.floor(random() * most), shape: Shape = [size(), size(), size()];
  const composer = createComposer(module, shape);
  const values = Uint8Array.from({ length: shape[0] * shape[1] * shape[2] }, () => random() * 256);
  // every other volume has runs of one value, like a label map
  if (random() < 0.5) {
    for (let v = 1; v < values.length; v++) if (random() < 0.9) values[v] = values[v - 1]!;
  }
  composer.volume("labels").set(values);
  return { composer, values };
}

Deno.test("sliceOf() on the WASM build equals every voxel by its index", () => {
  const random = randomSource(32);
  for (let round = 0; round < 30; round++) {
    const { composer, values } = randomComposer(random, 12), [nx, ny] = composer.shape;
    for (const axis of [0, 1, 2]) {
      const index = Math.floor(random() * composer.shape[axis]!);
      const want = values.filter((_, v) =>
        [v % nx, Math.floor(v / nx) % ny, Math.floor(v / (nx * ny))][axis] === index
      );
      assert.deepEqual(sliceOf(composer, "labels", axis, index), want);
      assert.equal(sliceOf(composer, "labels", axis, composer.shape[axis]!).length, 0);
    }
    assert.equal(sliceOf(composer, "labels", 3, 0).length, 0);
    assert.equal(sliceOf(composer, "flair", 2, 0).length, 0);
    composer.close();
  }
});

Deno.test("valueUnder() is pick()'s label and the label whose colour is drawn", () => {
  const random = randomSource(33);
  for (let round = 0; round < 25; round++) {
    const { composer, values } = randomComposer(random, 14);
    const at = () => (random() < 0.5 ? -1 : 1) * (0.5 + random());
    const grid = gridOf(
      composer.shape,
      affineFromRows([[at(), 0, 0, 3], [0, at(), 0, -4], [0, 0, at(), 5]]),
    );
    const scene = createScene(grid), picked = createPicked();
    composer.volume("t1w").fill(0);
    const table = composer.table("parcellation");
    for (let value = 0; value < 256; value++) table[value] = value;
    scene.overlays.parcellation = { isVisible: true, opacityPercent: 100 };
    for (const plane of PLANES) {
      scene.views[plane].zoom = 0.5 + random() * 4;
      const mapping = createPaneMapping(plane);
      mapPane(mapping, scene, grid, 40, 30);
      composer.sizePane(0, 40, 30);
      composer.compose(0, mapping, scene);
      const drawn = new Uint32Array(composer.pixels(0).slice().buffer);
      for (let n = 0; n < 60; n++) {
        const x = Math.floor(random() * 40), y = Math.floor(random() * 30);
        pick(picked, mapping, grid, values, x + 0.5, y + 0.5);
        const value = valueUnder(composer, "labels", mapping, x + 0.5, y + 0.5);
        assert.equal(value, picked.isInside ? picked.label : -1);
        assert.equal(drawn[y * 40 + x]! & 0xffffff, Math.max(value, 0));
      }
    }
    assert.equal(valueUnder(composer, "flair", createPaneMapping("axial"), 0.5, 0.5), -1);
    composer.close();
  }
});

Deno.test("npy_to_u8() on the WASM build reads every version, type, byte and axis order like a DataView", () => {
  const random = randomSource(34);
  const types = ["b1", "u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"];
  const special = [
    0,
    -0,
    0.49,
    0.5,
    1.5,
    254.4,
    254.5,
    255,
    255.5,
    256,
    -0.5,
    -1,
    1e30,
    -1e30,
    NaN,
    Infinity,
    -Infinity,
  ];
  for (let round = 0; round < 240; round++) {
    const type = types[round % types.length]!,
      size = Number(type[1]),
      isBig = size > 1 && random() < 0.5;
    const shape = [1, 2, 3].map((most) => 1 + Math.floor(random() * random() * 30 * most)),
      isFortran = random() < 0.4;
    const [a, b, c] = shape as [number, number, number], length = a * b * c;
    const text = `{'descr':'${size === 1 ? "|" : isBig ? ">" : "<"}${type}',` +
      `'fortran_order':${isFortran ? "True" : "False"},'shape':(${shape.join(",")})}`;
    const body = new ArrayBuffer(length * size);
    const view = new DataView(body), bytes = new Uint8Array(body), want = new Uint8Array(length);
    const clean = (v: number) =>
      Number.isNaN(v) ? 0 : Math.min(Math.max(Math.floor(v + 0.5), 0), 255);
    for (let n = 0; n < length; n++) {
      const isSpecial = random() < 0.3, at = n * size;
      for (let b = 0; b < size; b++) bytes[at + b] = random() * 256;
      if (type[0] === "f") {
        // values just below a half may be rounded up
        const even = Math.round((random() * 300 - 20) * 64) / 64;
        const v = isSpecial ? special[Math.floor(random() * special.length)]! : even;
        size === 4 ? view.setFloat32(at, v, !isBig) : view.setFloat64(at, v, !isBig);
      } else if (isSpecial) bytes.fill(random() < 0.5 ? 0 : 255, at, at + size);
      want[n] = {
        b1: () => bytes[n]! > 0 ? 1 : 0,
        u1: () => bytes[n]!,
        i1: () => clean(view.getInt8(at)),
        u2: () => clean(view.getUint16(at, !isBig)),
        i2: () => clean(view.getInt16(at, !isBig)),
        u4: () => clean(view.getUint32(at, !isBig)),
        i4: () => clean(view.getInt32(at, !isBig)),
        f4: () => clean(view.getFloat32(at, !isBig)),
        f8: () => clean(view.getFloat64(at, !isBig)),
      }[type]!();
    }
    const version = 1 + Math.floor(random() * 3), lengths = version === 1 ? "\x00" : "\x00\x00\x00";
    const head = new TextEncoder().encode(
      `NUMPY${String.fromCharCode(version)}\x00${
        String.fromCharCode(text.length)
      }${lengths}${text}`,
    );
    const whole = new Uint8Array(1 + head.length + bytes.length);
    whole[0] = 0x93;
    whole.set(head, 1);
    whole.set(bytes, 1 + head.length);
    // index of element (x, y, z): z + c·(y + b·x), in Fortran order x + a·(y + b·z)
    const turned = want.map((_, n) =>
      want[isFortran ? Math.floor(n / (b * c)) + a * (Math.floor(n / c) % b + b * (n % c)) : n]!
    );
    assert.deepEqual(
      npy_to_u8(whole),
      turned,
      `${version} ${type} big ${isBig} Fortran ${isFortran}`,
    );
  }
});

Deno.test("VolumeDecoder on the WASM build makes signed bytes and truths what they mean, wherever few or many need it", () => {
  const random = randomSource(35), { memory } = createComposer(module, [1, 1, 1]);
  const shape: Shape = [61, 47, 29], length = shape[0] * shape[1] * shape[2];
  for (let round = 0; round < 12; round++) {
    const type = round % 2 === 0 ? "i1" : "b1";
    const usual = type === "i1" ? 128 : 2, part = [0, 1e-5, 1e-4, 1e-3, 0.02, 1][round >> 1]!;
    const bytes = Uint8Array.from({ length }, () => random() * (random() < part ? 256 : usual));
    // replaces a part by random bytes
    const from = Math.floor(random() * length), to = from + Math.floor(random() * 30_000);
    if (round % 3 === 0) bytes.subarray(from, to).forEach((_, n, all) => all[n] = random() * 256);
    const want = bytes.map((byte) => type === "b1" ? Math.min(byte, 1) : byte > 127 ? 0 : byte);
    const text = `{'descr':'|${type}','fortran_order':False,'shape':(${
      shape.toReversed().join(",")
    })}`;
    const head = new TextEncoder().encode(
      `NUMPY\x01\x00${String.fromCharCode(text.length)}\x00${text}`,
    );
    const file = new Uint8Array(1 + head.length + length);
    file[0] = 0x93;
    file.set(head, 1);
    file.set(bytes, 1 + head.length);
    const decoder = VolumeDecoder.create(0, ...shape)!;
    for (let at = 0; at < file.length;) {
      const size = Math.min(
        1 + Math.floor(random() * 65_536),
        decoder.input_bytes(),
        file.length - at,
      );
      new Uint8Array(memory.buffer, decoder.input_address(), size).set(
        file.subarray(at, at + size),
      );
      assert.equal(decoder.advance(size), 0);
      at += size;
    }
    assert.equal(decoder.finish(), 0);
    assert.deepEqual(
      new Uint8Array(memory.buffer, decoder.volume(), length),
      want,
      `${type}, ${part}`,
    );
    decoder.free();
  }
});
