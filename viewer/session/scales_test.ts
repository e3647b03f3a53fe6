import assert from "node:assert/strict";
import { fromUnits, inUnits, pageWindow } from "@/viewer/session/scales.ts";

Deno.test("inUnits() and fromUnits() turn bytes into the series' values and back; without a scale they stay", () => {
  const scale = { slope: 4, intercept: 50, window: { width: 800, level: 450 } };
  assert.deepEqual([inUnits(scale, "width", 200), inUnits(scale, "level", 100)], [800, 450]);
  assert.deepEqual([fromUnits(scale, "width", 800), fromUnits(scale, "level", 450)], [200, 100]);
  assert.deepEqual([inUnits(null, "level", 100), fromUnits(null, "width", 100)], [100, 100]);
  assert.deepEqual(pageWindow(scale), { width: 200, level: 100 });
});

Deno.test("pageWindow() leaves a header's window that would show nothing", () => {
  const all = { width: 256, level: 128 };
  assert.deepEqual(pageWindow(null), all);
  assert.deepEqual(pageWindow({ slope: 4, intercept: 0, window: null }), all);
  assert.deepEqual(
    pageWindow({ slope: 4, intercept: 0, window: { width: 100, level: 5000 } }),
    all,
  );
  assert.deepEqual(pageWindow({ slope: 4, intercept: 0, window: { width: 1, level: 400 } }), all);
});
