// covers: D2-3.3, D2-9.3
import assert from "node:assert/strict";
import { REGIONS } from "@/model/regions/regions.ts";
import {
  DEEP,
  isWithinThreshold,
  jet,
  PERIVENTRICULAR,
  TABLE_SIZE,
  writeLesionColours,
  writeRegionColours,
  writeThicknessColours,
} from "@/viewer/colours.ts";

// covers: D2-3.5
Deno.test("writeRegionColours() gives each label the bytes of its colour, opaque", () => {
  const table = new Uint32Array(TABLE_SIZE), bytes = new Uint8Array(table.buffer);
  writeRegionColours(table);
  for (const { label, rgb } of REGIONS) {
    assert.deepEqual(
      [...bytes.subarray(4 * label, 4 * label + 4)],
      [...rgb, 255],
      `label ${label}`,
    );
  }
});

Deno.test("jet() runs from dark blue over cyan, yellow to dark red", () => {
  assert.deepEqual(jet(0), [0, 0, 128]);
  assert.deepEqual(jet(0.375), [0, 255, 255]);
  assert.deepEqual(jet(0.625), [255, 255, 0]);
  assert.deepEqual(jet(1), [128, 0, 0]);
});

// covers: D2-9.1
Deno.test("writeThicknessColours() has 256 different neighbours, writeLesionColours() two colours", () => {
  assert.deepEqual([PERIVENTRICULAR, DEEP], [1, 2]);
  const table = new Uint32Array(TABLE_SIZE);
  writeThicknessColours(table);
  for (let value = 1; value < TABLE_SIZE; value++) assert.notEqual(table[value], table[value - 1]);
  writeLesionColours(table);
  assert.equal(new Set(table).size, 3);
  assert.notEqual(table[PERIVENTRICULAR], table[DEEP]);
});

// covers: D2-4.5
Deno.test("isWithinThreshold() reads 100 − p for fluid, and nothing without a norm", () => {
  assert.ok(isWithinThreshold(19, 20, 20) && !isWithinThreshold(19, 20.1, 20));
  for (const label of [15, 16, 17, 18, 25, 26, 27, 28]) {
    assert.ok(
      isWithinThreshold(label, 80, 20) && !isWithinThreshold(label, 79.9, 20),
      `label ${label}`,
    );
  }
  for (const label of [14, 19, 24, 29]) {
    assert.ok(!isWithinThreshold(label, 80, 20), `label ${label}`);
  }
  assert.ok(!isWithinThreshold(19, null, 20) && !isWithinThreshold(15, NaN, 20));
});
