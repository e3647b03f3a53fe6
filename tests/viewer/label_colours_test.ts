// covers: D2-3.3
import assert from "node:assert/strict";
import { coloursNotInTable, labelsNotDrawn } from "@/tests/viewer/label_colours.ts";

const wasm = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const module = await WebAssembly.compile(await Deno.readFile(wasm));

Deno.test("compose() at opacity 100 % draws only colours of the table; label 0 is transparent", () => {
  for (const values of [1, 105, 255, 256]) {
    assert.equal(coloursNotInTable(module, values), 0, `${values}`);
  }
});

Deno.test("pick() names the label whose colour is drawn, at 10,000 points of panes and zooms", () => {
  assert.equal(labelsNotDrawn(module, 10_000), 0);
});
