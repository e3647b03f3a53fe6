import assert from "node:assert/strict";
import type { BenchResult } from "@/viewer/bench/cases.ts";
import { USUAL_SIZES } from "@/viewer/bench/cases.ts";
import {
  browserName,
  didTheSame,
  machineOf,
  partOfRoof,
  recordOf,
} from "@/viewer/bench/machines.ts";

const results: BenchResult[] = [{
  name: "slice",
  kernelMs: 2,
  plainMs: 8,
  ratio: 0.25,
  interval: [0.24, 0.26],
  isNoisy: false,
  pairs: [[2, 8], [2, 7.9], [2, 8.1]],
  isRight: true,
}];
const machine = {
  name: "here",
  measuredAt: "2026-11-23T08:00:00.000Z",
  copyBytesPerSecond: 1e10,
  kernels: "kernels-0123abcd.wasm",
  seed: 7,
  program: "1.2.3",
  processor: "x86 64",
  sizes: USUAL_SIZES,
  isOwn: false,
  results,
};
const about = {
  userAgent: "Mozilla/5.0 (X11) Chrome/139.0.0.0 Safari/537.36",
  cores: 4,
  pixelRatio: 1,
};

Deno.test("machineOf() reads what recordOf() writes, and names the machine by its file", () => {
  assert.deepEqual(machineOf(recordOf(machine, about), "ward-3.json"), {
    ...machine,
    name: "ward-3 (Chrome 139, 4)",
  });
});

Deno.test("machineOf() reads files of before, which have the best times alone", () => {
  const record = JSON.parse(recordOf(machine, about));
  delete record.kernels;
  for (const key of ["seed", "program", "processor", "sizes"]) delete record[key];
  for (const key of ["ratio_low", "ratio_high", "pairs"]) delete record.rows[0][key];
  const older = machineOf(JSON.stringify(record), "x.json");
  assert.deepEqual([older.kernels, older.seed, older.program, older.isOwn], [
    null,
    null,
    null,
    false,
  ]);
  assert.deepEqual(older.sizes, USUAL_SIZES);
  assert.deepEqual(older.results[0]!.interval, [0.25, 0.25]);
});

Deno.test("machineOf() calls a kernel noisy whose interval is wider than a fifth", () => {
  const record = JSON.parse(recordOf(machine, about));
  record.rows[0].ratio_high = 0.3;
  assert.equal(machineOf(JSON.stringify(record), "x.json").results[0]!.isNoisy, true);
});

Deno.test("machineOf() refuses other files by name, and leaves kernels out that it does not know", () => {
  const record = JSON.parse(recordOf(machine, about));
  for (
    const text of [
      "",
      "[]",
      JSON.stringify({ ...record, suite: "pages" }),
      JSON.stringify({ ...record, rows: [{ ...record.rows[0], value: -1 }] }),
      JSON.stringify({ ...record, rows: Array(101).fill(record.rows[0]) }),
      JSON.stringify({ ...record, rows: [{ ...record.rows[0], name: "constructor" }] }),
    ]
  ) assert.throws(() => machineOf(text, "x.json"), /Cannot read figures of kernels in x\.json/);
  record.rows.push({ ...record.rows[0], name: "of another version" });
  assert.equal(machineOf(JSON.stringify(record), "x.json").results.length, 1);
});

Deno.test("browserName() is the browser and not what it pretends to be", () => {
  assert.equal(browserName(about.userAgent), "Chrome 139");
  assert.equal(browserName("Mozilla/5.0 Chrome/139.0 Safari/537.36 Edg/139.0"), "Edge 139");
  assert.equal(
    browserName("Mozilla/5.0 (X11; rv:140.0) Gecko/20100101 Firefox/140.0"),
    "Firefox 140",
  );
  assert.equal(
    browserName("Mozilla/5.0 (Macintosh) AppleWebKit/605 Version/18.5 Safari/605"),
    "Safari 18",
  );
  assert.equal(browserName(""), "?");
});

Deno.test("partOfRoof() is the part of the copy's speed, and nothing for what arithmetic bounds", () => {
  // 192 · 160 voxels, each with a cache line of 64 bytes read and one byte written, in 2 ms
  assert.equal(partOfRoof(results[0]!, machine)!.toFixed(4), "0.0998");
  assert.equal(partOfRoof({ ...results[0]!, name: "rasterise" }, machine), null);
  assert.equal(partOfRoof(results[0]!, { ...machine, copyBytesPerSecond: null }), null);
});

Deno.test("didTheSame() compares kernels whose inputs are alike", () => {
  const shape: [number, number, number] = [160, 192, 170];
  const finer = {
    ...machine,
    sizes: { ...USUAL_SIZES, shape, file: shape, dtype: "<f4" },
    isOwn: true,
  };
  const wider = { ...machine, sizes: { ...USUAL_SIZES, pane: 1024 } };
  const compared = (other: typeof machine) =>
    (["axial", "slice", "decode", "rasterise"] as const).map((name) =>
      didTheSame(name, machine, other)
    );
  assert.deepEqual(compared(machine), [true, true, true, true]);
  assert.deepEqual(compared(finer), [false, false, false, true]);
  assert.deepEqual(compared(wider), [false, true, true, true]);
});
