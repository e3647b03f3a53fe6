// covers: D2-2.4, S-47
import assert from "node:assert/strict";
import type { Measurement } from "@/viewer/slices/marks/measure.ts";
import { readView, type ViewState, writeView } from "@/viewer/view_address.ts";

const START: ViewState = {
  tab: "parcellation",
  at: [0, 0, 0],
  window: [256, 128],
  convention: "radiological",
  division: 4,
  isOverlayVisible: false,
  opacityPercent: 100,
  threshold: 20,
  basis: "region",
  thickness: [0, 5],
  isDeepVisible: false,
  isPeriVisible: false,
  isWmhOnly: false,
  hidden: [],
  selected: 0,
  smallPanes: "stacked",
  large: "axial",
  full: null,
  camera: null,
  views: {
    axial: { zoom: 1, panXMm: 0, panYMm: 0 },
    coronal: { zoom: 1, panXMm: 0, panYMm: 0 },
    sagittal: { zoom: 1, panXMm: 0, panYMm: 0 },
  },
  isCrosshairVisible: true,
  measurements: [],
  mosaic: null,
};

const CHANGED: ViewState = {
  tab: "wmh",
  at: [-12.3, 45.6, 7],
  window: [180, -20],
  convention: "neurological",
  division: 3,
  isOverlayVisible: true,
  opacityPercent: 55,
  threshold: null,
  basis: "icv",
  thickness: [1.5, 3.2],
  isDeepVisible: true,
  isPeriVisible: true,
  isWmhOnly: true,
  hidden: [3, 4, 5, 9, 104],
  selected: 19,
  smallPanes: "sideBySide",
  large: "coronal",
  full: "surface",
  camera: [-118.5, 20, 1.75, 0, -12.3, 40],
  views: {
    axial: { zoom: 2.5, panXMm: -12.3, panYMm: 4 },
    coronal: { zoom: 0.5, panXMm: 0, panYMm: 100 },
    sagittal: { zoom: 12, panXMm: 1, panYMm: 2 },
  },
  isCrosshairVisible: false,
  measurements: [
    { kind: "ruler", plane: "axial", pointsMm: [-1, 2, 3.5, 4, 5, 3.5] },
    { kind: "angle", plane: "sagittal", pointsMm: [0, 1, 2, 0, 3, 4, 0, 5, 6] },
  ],
  mosaic: { plane: "coronal", count: 30 },
};

// covers: D2-9.2
Deno.test("readView() gives back what writeView() wrote; other keys stay", () => {
  const params = new URLSearchParams("renderer=canvas&tab=parcellation&hidden=7");
  writeView(params, CHANGED, START);
  assert.deepEqual(readView(new URLSearchParams(params.toString())), CHANGED);
  assert.equal(params.get("renderer"), "canvas");
  assert.equal(params.get("hidden"), "3-5.9.104");
});

Deno.test("writeView() leaves out what is as at the start", () => {
  const params = new URLSearchParams("tab=wmh&at=1_2_3&opacity=3");
  writeView(params, START, START);
  assert.equal(params.toString(), "");
});

Deno.test("writeView() leaves out what is not ended yet, and carries as many measurements as an address can", () => {
  const ruler: Measurement = { kind: "ruler", plane: "axial", pointsMm: [0, 0, 0, 1, 1, 0] };
  const params = new URLSearchParams();
  writeView(params, { ...START, measurements: [ruler, { ...ruler, pointsMm: [0, 0, 0] }] }, START);
  assert.deepEqual(readView(params), { measurements: [ruler] });
  writeView(params, { ...START, measurements: Array(50).fill(ruler) }, START);
  assert.equal(readView(params).measurements!.length, 20);
});

Deno.test("readView() leaves out what makes no sense", () => {
  const nonsense =
    "tab=x&at=1_2&window=0_1&convention=&division=5&overlay=yes&opacity=101&threshold=21&basis=age" +
    "&thickness=4_2&lesions=q&wmhonly=2&hidden=9-3&region=999&small=x&large=surface&full=all&camera=1_2_3" +
    "&axial=99_0_0&coronal=2_1&crosshair=x&measured=ruler_axial_1_2_3&mosaic=oblique_20";
  assert.deepEqual(readView(new URLSearchParams(nonsense)), {});
  assert.deepEqual(readView(new URLSearchParams("hidden=1-999&at=NaN_1_2&window=1e3_2")), {});
  assert.deepEqual(readView(new URLSearchParams("")), {});
  assert.deepEqual(readView(new URLSearchParams("threshold=all&lesions=")), {
    threshold: null,
    isDeepVisible: false,
    isPeriVisible: false,
  });
});
