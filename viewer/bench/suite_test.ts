import assert from "node:assert/strict";
import { BENCH_CASES } from "@/viewer/bench/cases.ts";
import { measureKernels } from "@/viewer/bench/suite.ts";

const wasm = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);

Deno.test("measureKernels() gives every case once, each with the right answer", async () => {
  const results = await Array.fromAsync(
    measureKernels(await WebAssembly.compile(await Deno.readFile(wasm)), 20261128),
  );
  assert.deepEqual(
    results.map(({ name, isRight }) => [name, isRight]),
    BENCH_CASES.map((name) => [name, true]),
  );
  assert.ok(
    results.every(({ kernelMs, plainMs, ratio, interval: [low, high], pairs }) =>
      kernelMs > 0 && plainMs > 0 && low <= ratio && ratio <= high && pairs.length >= 25
    ),
  );
});
