import assert from "node:assert/strict";
import { ToolState } from "@/viewer/session/tool_state.ts";

Deno.test("ToolState.place() makes rulers of two places and angles of three, on one plane", () => {
  const state = new ToolState();
  state.place("ruler", "axial", [0, 0, 0]);
  state.place("ruler", "axial", [3, 4, 0]);
  state.place("angle", "coronal", [1, 0, 0]);
  state.place("angle", "coronal", [0, 0, 0]);
  state.place("angle", "coronal", [0, 0, 1]);
  assert.deepEqual(
    state.measurements.value.map(({ kind, pointsMm }) => [kind, pointsMm.length / 3]),
    [
      ["ruler", 2],
      ["angle", 3],
    ],
  );
});

Deno.test("ToolState.place() keeps the series that a measurement was made on", () => {
  const state = new ToolState();
  state.place("ruler", "axial", [0, 0, 0], "t1");
  state.place("ruler", "axial", [3, 4, 0], "t1");
  state.place("rectangle", "axial", [0, 0, 0], "t2");
  assert.deepEqual(state.measurements.value.map(({ series }) => series), ["t1", "t2"]);
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

Deno.test("ToolState.moved() tells of a stored measurement alone, and undoMove() puts it back", () => {
  const state = new ToolState(), told: [number, number][] = [];
  state.onMoved = (before, after) => {
    told.push([before.pointsMm[3]!, after.pointsMm[3]!]);
    state.measurements.value = state.measurements.value.map((one) =>
      one.id === after.id ? after : one
    );
  };
  const ruler = { kind: "ruler", plane: "axial", pointsMm: [0, 0, 0, 3, 4, 0] } as const;
  state.measurements.value = [{ ...ruler, pointsMm: [...ruler.pointsMm], id: 7 }, {
    ...ruler,
    pointsMm: [...ruler.pointsMm],
  }];
  for (const at of [0, 1]) {
    const before = state.measurements.value[at]!;
    state.move(at, 1, [6, 8, 0]);
    state.moved(at, before);
  }
  assert.equal(state.measurements.value[0]!.id, 7);
  assert.deepEqual(told, [[3, 6]]);
  assert.equal(state.undoMove(), true);
  assert.deepEqual(told[1], [6, 3]);
  assert.equal(state.undoMove(), false);
});

Deno.test("ToolState.moved() puts a measurement back whose places were brought together: nothing has 0 mm", () => {
  const pointsMm = {
    ruler: [0, 0, 0, 30, 40, 0],
    angle: [9, 0, 0, 0, 0, 0, 0, 9, 0],
    ellipse: [0, 0, 0, 30, 40, 0],
    rectangle: [0, 0, 0, 30, 40, 0],
  };
  for (const kind of ["ruler", "angle", "ellipse", "rectangle"] as const) {
    const state = new ToolState(), told: unknown[] = [];
    state.onMoved = (...move) => told.push(move);
    const before = { kind, plane: "axial" as const, pointsMm: pointsMm[kind], id: 7 };
    state.measurements.value = [before];
    state.move(0, 1, pointsMm[kind].slice(0, 3));
    state.moved(0, before);
    assert.deepEqual([state.measurements.value, told], [[before], []], kind);
  }
  // an ellipse without height has no area either
  const state = new ToolState(), flat = { kind: "ellipse" as const, plane: "axial" as const };
  const before = { ...flat, pointsMm: pointsMm.ellipse };
  state.measurements.value = [before];
  state.move(0, 1, [30, 0.2, 0]);
  state.moved(0, before);
  assert.deepEqual(state.measurements.value, [before]);
});
