import assert from "node:assert/strict";
import {
  choosePreset,
  createCamera,
  DEFAULT_HEIGHT,
  DEFAULT_WIDTH,
  FAR,
  FIELD_OF_VIEW_DEG,
  focalPixels,
  MIN_DISTANCE,
  mmPerPixel,
  NEAR,
  orbit,
  pan,
  placeCamera,
  presetOf,
  PRESETS,
  PRESSED_MS,
  projectMm,
  RELEASED_MS,
  resetCamera,
  unprojectMm,
  VIEW_LENGTH,
  viewOfCamera,
  writeProjectionMatrix,
  writeView,
  writeViewMatrix,
  zoom,
  ZOOM_SPEED,
  zoomBy,
} from "@/viewer/surface/camera.ts";
import { surfaceLetters } from "@/viewer/surface/marks.ts";

const ends = Float32Array.from([-60, 0, 0, 80, 0, 0, 10, -90, 0, 10, 70, 0, 10, 0, -50, 10, 0, 70]);
const place = (
  camera: ReturnType<typeof createCamera>,
  rasMm: number[],
  width = 640,
  height = 480,
) => {
  const out = new Float64Array(3);
  projectMm(out, camera, rasMm, width, height);
  return [...out] as [number, number, number];
};

// covers: D2-4.7
Deno.test("the camera has the document's constants", () => {
  assert.deepEqual([FIELD_OF_VIEW_DEG, NEAR, FAR, ZOOM_SPEED, MIN_DISTANCE], [
    60,
    0.1,
    100,
    2,
    0.2,
  ]);
  assert.deepEqual([PRESSED_MS, RELEASED_MS, DEFAULT_WIDTH, DEFAULT_HEIGHT], [
    20,
    20_000,
    1280,
    720,
  ]);
  // a field of view of 60° over the smaller side
  assert.ok(Math.abs(focalPixels(1280, 720) - 360 * Math.sqrt(3)) < 1e-9);
});

Deno.test("viewOfCamera() says nothing at the start, and placeCamera() takes what it says, within the limits", () => {
  const camera = createCamera(ends), other = createCamera(ends);
  assert.equal(viewOfCamera(camera), null);
  orbit(camera, 40, -25, 640, 480);
  zoom(camera, 2);
  pan(camera, 30, 12, 640, 480);
  placeCamera(other, viewOfCamera(camera)!);
  for (const point of [[10, 0, 0], [-60, 0, 0], [10, 10, 70]]) {
    const [a, b] = [place(camera, point), place(other, point)];
    assert.ok(a.every((value, at) => Math.abs(value - b[at]!) < 1e-6), `${a}; ${b}`);
  }
  placeCamera(other, [0, 200, 0, 9999, 0, 0]);
  assert.ok(other.distance === MIN_DISTANCE && other.elevationRad === Math.PI / 2);
  assert.ok(other.targetMm[0]! - other.centreMm[0]! < 200);
  resetCamera(camera);
  assert.equal(viewOfCamera(camera), null);
});

Deno.test("createCamera() takes the middle and the radius of the surface", () => {
  const { centreMm, radiusMm, targetMm } = createCamera(ends);
  assert.deepEqual(centreMm, [10, -10, 10]);
  assert.ok(Math.abs(radiusMm - Math.hypot(80, 10)) < 1e-9);
  assert.deepEqual([...targetMm], centreMm);
  assert.equal(createCamera(new Float32Array()).radiusMm, 1);
});

Deno.test("surfaceLetters() are the patient's directions from every side", () => {
  const camera = createCamera(ends);
  const wanted = {
    anterior: "R L S I",
    posterior: "L R S I",
    left: "A P S I",
    right: "P A S I",
    superior: "L R A P",
    inferior: "R L A P",
  };
  for (const preset of PRESETS) {
    choosePreset(camera, preset);
    const { left, right, top, bottom } = surfaceLetters(camera);
    assert.equal(`${left} ${right} ${top} ${bottom}`, wanted[preset], preset);
    assert.equal(presetOf(camera), preset);
  }
});

Deno.test("letters name the side where the anatomy is drawn, for any turn", () => {
  const camera = createCamera(ends), [cx, cy, cz] = camera.centreMm;
  const axes = {
    R: [9, 0, 0],
    L: [-9, 0, 0],
    A: [0, 9, 0],
    P: [0, -9, 0],
    S: [0, 0, 9],
    I: [0, 0, -9],
  };
  for (let turn = 0; turn < 200; turn++) {
    orbit(camera, 37 * turn % 91 - 40, 53 * turn % 67 - 33, 300, 300);
    const { left, right, top, bottom } = surfaceLetters(camera);
    for (
      const [letters, sx, sy] of [[left, -1, 0], [right, 1, 0], [top, 0, -1], [
        bottom,
        0,
        1,
      ]] as const
    ) {
      // the direction of the strongest letter points to that edge of the pane
      const [dx, dy, dz] = axes[letters[0] as keyof typeof axes] as [number, number, number];
      const [x, y] = place(camera, [cx + dx, cy + dy, cz + dz]);
      assert.ok((x - 320) * sx + (y - 240) * sy > 0, `${letters} at turn ${turn}`);
    }
  }
});

Deno.test("unprojectMm() undoes projectMm()", () => {
  const camera = createCamera(ends), back = new Float64Array(3);
  orbit(camera, 71, -33, 200, 300);
  pan(camera, 12, 34, 640, 480);
  zoom(camera, 3);
  for (const rasMm of [[10, 20, 30], [-40, 5, 60], [80, -60, -20]]) {
    const [x, y, depth] = place(camera, rasMm);
    unprojectMm(back, camera, x, y, depth, 640, 480);
    assert.ok(rasMm.every((mm, r) => Math.abs(mm - back[r]!) < 1e-9));
  }
});

Deno.test("writeView() gives the kernel the same projection", () => {
  const camera = createCamera(ends), view = new Float32Array(VIEW_LENGTH), rasMm = [33, -21, 44];
  orbit(camera, 25, 14, 100, 100);
  writeView(view, camera, 640, 480);
  const row = (n: number) => rasMm.reduce((sum, mm, r) => sum + view[n + r]! * mm, view[n + 3]!);
  const [x, y, depth] = place(camera, rasMm);
  assert.ok(Math.abs(row(8) - depth) < 1e-5);
  assert.ok(Math.abs(320 + view[12]! * row(0) / row(8) - x) < 1e-2);
  assert.ok(Math.abs(240 - view[12]! * row(4) / row(8) - y) < 1e-2);
  for (const at of [15, 18]) {
    assert.ok(Math.abs(Math.hypot(view[at]!, view[at + 1]!, view[at + 2]!) - 1) < 1e-5);
  }
});

Deno.test("the middle of the view follows the pointer, and a drag to the right turns the near side right", () => {
  const camera = createCamera(ends), before = place(camera, camera.centreMm);
  pan(camera, 17, -9, 640, 480);
  const after = place(camera, camera.centreMm);
  assert.ok(
    Math.abs(after[0] - before[0] - 17) < 1e-6 && Math.abs(after[1] - before[1] + 9) < 1e-6,
  );
  choosePreset(camera, "anterior");
  const nose = [camera.centreMm[0], camera.centreMm[1] + 60, camera.centreMm[2]];
  orbit(camera, 30, 20, 640, 480);
  const [x, y] = place(camera, nose);
  assert.ok(x > 320 && y > 240, `${x}, ${y}`);
});

Deno.test("zoom, pan and elevation stay within their limits; reset undoes them", () => {
  const camera = createCamera(ends), start = { ...camera, targetMm: [...camera.targetMm] };
  zoomBy(camera, 1e9);
  assert.equal(camera.distance, MIN_DISTANCE);
  assert.ok(mmPerPixel(camera, camera.distance, 640, 480) < 0.1);
  zoomBy(camera, 1e-9);
  assert.ok(camera.distance < FAR);
  orbit(camera, 1e4, 1e5, 640, 480);
  assert.equal(camera.elevationRad, Math.PI / 2);
  for (let n = 0; n < 50; n++) pan(camera, 500, 500, 640, 480);
  assert.ok(
    [...camera.targetMm].every((mm, r) =>
      Math.abs(mm - camera.centreMm[r]!) <= 1.2 * camera.radiusMm
    ),
  );
  resetCamera(camera);
  assert.deepEqual([camera.distance, [...camera.targetMm]], [start.distance, start.targetMm]);
  assert.equal(presetOf(camera), null);
});

Deno.test("view and projection matrices put positions where projectMm() does, between near and far", () => {
  const camera = createCamera(ends), view = new Float32Array(16), projection = new Float32Array(16);
  for (
    const [azimuth, elevation, width, height] of [[-62, 18, 640, 480], [10, 90, 300, 700], [
      180,
      -90,
      512,
      512,
    ]]
  ) {
    placeCamera(camera, [azimuth!, elevation!, 2.5, 7, -4, 3]);
    writeViewMatrix(view, camera);
    writeProjectionMatrix(projection, width!, height!);
    for (const rasMm of [[33, -21, 44], [-60, 0, 0], [10, 70, 0]]) {
      // multiplies a column-major matrix by a vector
      const times = (m: Float32Array, v: number[]) =>
        [0, 1, 2, 3].map((r) => v.reduce((sum, value, c) => sum + m[4 * c + r]! * value, 0));
      const [x, y, z, w] = times(projection, times(view, [...rasMm, 1])) as [
        number,
        number,
        number,
        number,
      ];
      const [screenX, screenY, depth] = place(camera, rasMm, width, height);
      assert.ok(Math.abs((x / w + 1) / 2 * width! - screenX) < 1e-2, `${x / w}`);
      assert.ok(Math.abs((1 - y / w) / 2 * height! - screenY) < 1e-2, `${y / w}`);
      assert.ok(Math.abs(w - depth) < 1e-5);
      const clip = (depth * (FAR + NEAR) - 2 * FAR * NEAR) / (FAR - NEAR);
      assert.ok(Math.abs(z - clip) < 1e-4, `${z}, not ${clip}`);
    }
  }
});
