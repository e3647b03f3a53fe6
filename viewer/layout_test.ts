// covers: D2-2.5, D2-2.8
import assert from "node:assert/strict";
import { layoutOf, type LayoutState, panesToLoad, zoomTo } from "@/viewer/layout.ts";

const START: LayoutState = {
  type: "parcellation",
  division: 4,
  smallPanes: "stacked",
  large: "axial",
  full: null,
  isWmhOnly: false,
};

Deno.test("layoutOf() gives division 4 four quarters, and division 3 one large axial pane and two small ones", () => {
  assert.deepEqual(layoutOf(START), {
    grid: "quarters",
    places: { axial: "cell", coronal: "cell", sagittal: "cell", surface: "cell" },
  });
  const three = { axial: "large", coronal: "small", sagittal: "small", surface: "hidden" };
  assert.deepEqual(layoutOf({ ...START, division: 3 }), { grid: "stacked", places: three });
  assert.deepEqual(layoutOf({ ...START, division: 3, smallPanes: "sideBySide" }), {
    grid: "sideBySide",
    places: three,
  });
});

Deno.test("zoomTo() fills the viewer with a pane of division 4, and gives the room back", () => {
  for (const pane of ["axial", "coronal", "sagittal", "surface"] as const) {
    const zoomed = { ...START, ...zoomTo(START, pane) };
    const layout = layoutOf(zoomed);
    assert.equal(layout.grid, "single");
    assert.deepEqual(Object.values(layout.places).sort(), ["full", "hidden", "hidden", "hidden"]);
    assert.equal(layout.places[pane], "full");
    assert.deepEqual({ ...zoomed, ...zoomTo(zoomed, pane) }, START);
  }
});

Deno.test("zoomTo() in division 3 swaps a small pane with the large one, and fills the viewer with the large one", () => {
  const three: LayoutState = { ...START, division: 3 };
  const swapped = { ...three, ...zoomTo(three, "coronal") };
  assert.deepEqual(layoutOf(swapped).places, {
    axial: "small",
    coronal: "large",
    sagittal: "small",
    surface: "hidden",
  });
  assert.equal(zoomTo(swapped, "coronal").full, "coronal");
  assert.deepEqual({ ...swapped, ...zoomTo(swapped, "axial") }, three);
});

// covers: D2-2.6
Deno.test("layoutOf() shows no surface beside lesions, and one pane in the WMH-only view", () => {
  const wmh: LayoutState = { ...START, type: "wmh" };
  assert.equal(layoutOf(wmh).places.surface, "hidden");
  assert.equal(layoutOf({ ...wmh, full: "surface" }).places.axial, "large");
  assert.deepEqual(layoutOf({ ...wmh, isWmhOnly: true }), {
    grid: "single",
    places: { axial: "full", coronal: "hidden", sagittal: "hidden", surface: "hidden" },
  });
  assert.deepEqual(zoomTo({ ...wmh, isWmhOnly: true }, "axial"), { large: "axial", full: null });
  assert.equal(layoutOf({ ...START, isWmhOnly: true }).grid, "quarters", "only in its own tab");
});

// covers: D2-4.3
Deno.test("panesToLoad() waits for three panes, for one with WMH, and never for a hidden one", () => {
  assert.equal(panesToLoad(START), 3);
  assert.equal(panesToLoad({ ...START, division: 3, type: "corticalThickness" }), 3);
  assert.equal(panesToLoad({ ...START, type: "wmh" }), 1);
  assert.equal(panesToLoad({ ...START, type: "wmh", isWmhOnly: true }), 1);
  assert.equal(panesToLoad({ ...START, full: "axial" }), 1);
  assert.equal(
    panesToLoad({ ...START, full: "surface" }),
    0,
    "the surface says itself when it is there",
  );
});

Deno.test("layoutOf() gives the same places to both halves of a comparison, and none to the surface", () => {
  const shown = (state: Partial<LayoutState>) => {
    const { grid, places } = layoutOf({ ...START, ...state });
    return [
      grid,
      ...Object.entries(places).filter(([, place]) => place !== "hidden").map(([pane]) => pane),
    ];
  };
  assert.deepEqual(shown({ compare: "1x2" }), ["single", "axial"]);
  assert.deepEqual(shown({ compare: "1x2", large: "sagittal" }), ["single", "sagittal"]);
  assert.deepEqual(shown({ compare: "2x2" }), ["column", "axial", "coronal"]);
  assert.deepEqual(shown({ compare: "2x2", large: "coronal" }), ["column", "axial", "coronal"]);
  assert.deepEqual(shown({ compare: "2x3", type: "wmh" }), ["row", "axial", "coronal", "sagittal"]);
  // in the flip layout, the same layout as without a comparison
  assert.deepEqual(layoutOf({ ...START, compare: "flip" }), layoutOf(START));
  // a pane that fills the viewer also does so during a comparison
  assert.deepEqual(shown({ compare: "2x3", full: "coronal" }), ["single", "coronal"]);
});
