// covers: S-44
import assert from "node:assert/strict";
import { affineFromRows, type Shape } from "@/model/geometry.ts";
import { writeRegionColours, writeThicknessColours } from "@/viewer/colours.ts";
import { gridOf } from "@/viewer/grid.ts";
import { type ColourState, vertexLabels, writeVertexColours } from "@/viewer/surface/colours.ts";
import type { SurfaceMesh } from "@/viewer/surface/kernel.ts";
import { shownThickness } from "@/viewer/visibility.ts";

const regions = new Uint32Array(256), thickness = new Uint32Array(256);
writeRegionColours(regions);
writeThicknessColours(thickness);
const PLAIN = 0xffb8bec4, RIM = 0xffffffff;

/** A strip of triangles along x at z = 0, with normals upwards. */
const strip: SurfaceMesh = {
  positions: Float32Array.from([0, 0, 0, 4, 0, 0, 8, 0, 0, 12, 0, 0, 16, 0, 0]),
  normals: Float32Array.from(Array.from({ length: 5 }, () => [0, 0, 1]).flat()),
  faces: Uint32Array.from([0, 1, 2, 1, 2, 3, 2, 3, 4]),
  values: Float32Array.from([0, 2.5, 5, 7, NaN]),
};
const LABELS = Uint8Array.from([60, 60, 60, 61, 61]);

function colours(state: Partial<ColourState>, labels = LABELS): number[] {
  const out = new Uint32Array(5), all = new Uint8Array(256).fill(1);
  const given = {
    type: "parcellation",
    isVisible: true,
    opacityPercent: 100,
    selected: 0,
  } as const;
  writeVertexColours(
    out,
    strip,
    labels,
    { ...given, table: regions, shown: all, ...state },
    regions,
  );
  return [...out];
}

Deno.test("vertexLabels() looks a little inside, and takes white matter only when nothing else is near", () => {
  const shape: Shape = [20, 8, 12], labels = new Uint8Array(20 * 8 * 12);
  const grid = gridOf(shape, affineFromRows([[1, 0, 0, -2], [0, 1, 0, -4], [0, 0, 1, -8]]));
  const set = (x: number, z: number, label: number) =>
    labels[(x + 2) + 20 * (4 + 8 * (z + 8))] = label;
  set(0, -1, 60); // just below the vertex
  set(4, -1, 2); // white matter, with cortex deeper
  set(4, -3, 61);
  set(8, -2, 1); // white matter alone
  set(12, 1, 70); // outside only
  assert.deepEqual([...vertexLabels(strip, labels, grid)], [60, 61, 1, 70, 0]);
});

Deno.test("writeVertexColours() shows regions by visibility and opacity", () => {
  assert.deepEqual(colours({}), [...LABELS].map((label) => regions[label]));
  assert.deepEqual(colours({ isVisible: false }), Array(5).fill(PLAIN));
  assert.deepEqual(colours({ opacityPercent: 0 }), Array(5).fill(PLAIN));
  const shown = new Uint8Array(256).fill(1);
  shown[60] = 0;
  assert.deepEqual(colours({ shown }), [PLAIN, PLAIN, PLAIN, regions[61], regions[61]]);
  const half = colours({ opacityPercent: 50 })[0]! & 255;
  assert.ok(Math.abs(half - ((regions[60]! & 255) + 196) / 2) <= 1);
  assert.deepEqual(
    colours({}, new Uint8Array()),
    Array(5).fill(PLAIN),
    "before the labels are there",
  );
});

Deno.test("writeVertexColours() shows thickness on 0..5 mm, and grey outside the range", () => {
  const state = {
    type: "corticalThickness",
    table: thickness,
    shown: shownThickness(0, 5),
  } as const;
  assert.deepEqual(colours(state), [PLAIN, thickness[128], thickness[255], thickness[255], PLAIN]);
  const upTo3 = colours({ ...state, shown: shownThickness(1, 3) });
  assert.deepEqual(upTo3, [PLAIN, thickness[128], PLAIN, PLAIN, PLAIN]);
});

Deno.test("writeVertexColours() leaves the surface plain under lesions", () => {
  assert.deepEqual(colours({ type: "wmh", selected: 60 }), Array(5).fill(PLAIN));
});

Deno.test("a chosen region keeps its colour with a white rim, whether or not the overlay shows", () => {
  for (const isVisible of [true, false]) {
    const [first, second, third, fourth] = colours({ isVisible, selected: 60 });
    assert.deepEqual([first, second, third], [regions[60], RIM, RIM]);
    assert.notEqual(fourth, isVisible ? regions[61] : PLAIN, "the others step back");
  }
  assert.deepEqual(
    colours({ selected: 99 }),
    colours({}),
    "a region that the surface does not show",
  );
});
