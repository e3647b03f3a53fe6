import assert from "node:assert/strict";
import { ToolState } from "@/viewer/session/tool_state.ts";

Deno.test("ToolState.place() makes rulers of two places and angles of three, on one plane", () => {
  const state = new ToolState();
  state.place("ruler", "axial", [0, 0, 0]);
  state.place("ruler", "axial", [3, 4, 0]);
  state.place("angle", "coronal", [1, 0, 0]);
  state.place("angle", "coronal", [0, 0, 0]);
  state.place("angle", "coronal", [0, 0, 1]);
  assert.deepEqual(state.measurements.value.map(({ kind, pointsMm }) => [kind, pointsMm.length / 3]), [
    ["ruler", 2],
    ["angle", 3],
  ]);
});

Deno.test("ToolState.place() drops what was begun on another plane or with another tool", () => {
  const state = new ToolState();
  state.place("ruler", "axial", [0, 0, 0]);
  state.place("ruler", "coronal", [1, 1, 1]);
  assert.deepEqual(state.measurements.value.map(({ plane }) => plane), ["coronal"]);
  state.place("angle", "coronal", [2, 2, 2]);
  assert.deepEqual(state.measurements.value.map(({ kind }) => kind), ["angle"]);
  state.discardUnfinished();
  assert.deepEqual(state.measurements.value, []);
});

Deno.test("ToolState.move() and undo() change one measurement", () => {
  const state = new ToolState();
  state.place("ruler", "axial", [0, 0, 0]);
  state.place("ruler", "axial", [3, 4, 0]);
  state.move(0, 1, [6, 8, 0]);
  assert.deepEqual(state.measurements.value[0]!.pointsMm, [0, 0, 0, 6, 8, 0]);
  assert.deepEqual([state.undo(), state.undo(), state.measurements.value.length], [true, false, 0]);
});
