import * as mat4 from "gl-matrix/esm/mat4.js";
import * as vec3 from "gl-matrix/esm/vec3.js";
import type { Vec3 } from "@/model/geometry.ts";

/** Constants of the 3D pane (D2 §9). Lengths are in scene units: the surface's radius is 1. */
export const FIELD_OF_VIEW_DEG = 60, NEAR = 0.1, FAR = 100, ZOOM_SPEED = 2, MIN_DISTANCE = 0.2;
/** Milliseconds between frames while the mouse is pressed, and after it was released (D2 §9). */
export const PRESSED_MS = 20, RELEASED_MS = 20_000;
/** Size of the pane until the browser has laid it out, device pixels. */
export const DEFAULT_WIDTH = 1280, DEFAULT_HEIGHT = 720;

const MAX_DISTANCE = 12;
/** Distance at which the whole surface fits into the camera's field of view. */
const FIT_DISTANCE = 1.03 / Math.sin(FIELD_OF_VIEW_DEG / 2 * Math.PI / 180);
/** Zoom factor of one wheel notch at zoom speed 1. */
const NOTCH = 1 / 0.95;
/** Maximum distance between the centre of the view and that of the surface, scene units. */
const MAX_PAN = 1.2;

/** Standard views by the patient's directions. */
export const PRESETS = ["anterior", "posterior", "left", "right", "superior", "inferior"] as const;
export type Preset = (typeof PRESETS)[number];

/**
 * Azimuth (0 in front of the face, 90° at the patient's right) and elevation, degrees.
 * In views from above and below, the front is up.
 */
const PLACES: Record<Preset, readonly [azimuthDeg: number, elevationDeg: number]> = {
  anterior: [0, 0],
  posterior: [180, 0],
  left: [-90, 0],
  right: [90, 0],
  superior: [180, 90],
  inferior: [0, -90],
};
/**
 * A camera position: azimuth and elevation in degrees, distance in scene units,
 * and offset of the view's centre from the surface's centre, mm.
 */
export type CameraView = [
  azimuthDeg: number,
  elevationDeg: number,
  distance: number,
  ...offsetMm: Vec3,
];
/** Initial position: from the left, slightly from the front and above. */
const START: Readonly<CameraView> = [-62, 18, FIT_DISTANCE, 0, 0, 0];

const RADIANS = Math.PI / 180;

/**
 * A camera that orbits the surface with the top of the head up.
 * Mutable, so that a drag allocates nothing.
 */
export interface SurfaceCamera {
  /** Centre and radius of the surface, mm. */
  readonly centreMm: Vec3;
  readonly radiusMm: number;
  azimuthRad: number;
  /** angle above the horizontal plane, −π/2 … π/2 */
  elevationRad: number;
  /** Distance from the eye to the centre of the view, scene units. */
  distance: number;
  /** Position at the centre of the view, RAS mm. */
  targetMm: Float64Array;
  /**
   * Unit vectors in RAS: screen right, screen up, and towards the eye. {@link turn} updates them.
   */
  right: Float64Array;
  up: Float64Array;
  back: Float64Array;
}

/** Creates a camera for a surface with positions n × 3, RAS mm. */
export function createCamera(positions: Float32Array): SurfaceCamera {
  const centreMm: Vec3 = [0, 0, 0];
  for (let axis = 0; axis < 3 && positions.length > 0; axis++) {
    let low = Infinity, high = -Infinity;
    for (let at = axis; at < positions.length; at += 3) {
      if (positions[at]! < low) low = positions[at]!;
      if (positions[at]! > high) high = positions[at]!;
    }
    centreMm[axis] = (low + high) / 2;
  }
  let squared = 0;
  for (let at = 0; at + 2 < positions.length; at += 3) {
    const x = positions[at]! - centreMm[0], y = positions[at + 1]! - centreMm[1];
    const z = positions[at + 2]! - centreMm[2];
    squared = Math.max(squared, x * x + y * y + z * z);
  }
  const camera: SurfaceCamera = {
    centreMm,
    radiusMm: Math.sqrt(squared) || 1,
    azimuthRad: 0,
    elevationRad: 0,
    distance: FIT_DISTANCE,
    targetMm: Float64Array.from(centreMm),
    right: new Float64Array(3),
    up: new Float64Array(3),
    back: new Float64Array(3),
  };
  resetCamera(camera);
  return camera;
}

function turn(camera: SurfaceCamera): void {
  const { right, up, back } = camera;
  const sa = Math.sin(camera.azimuthRad), ca = Math.cos(camera.azimuthRad);
  const se = Math.sin(camera.elevationRad), ce = Math.cos(camera.elevationRad);
  [back[0], back[1], back[2]] = [sa * ce, ca * ce, se];
  [right[0], right[1], right[2]] = [-ca, sa, 0];
  [up[0], up[1], up[2]] = [-se * sa, -se * ca, ce];
}

/** Resets the camera to the initial view. */
export const resetCamera = (camera: SurfaceCamera): void => placeCamera(camera, START);

/** Sets a camera to a stored position, within the camera's limits. */
export function placeCamera(camera: SurfaceCamera, view: Readonly<CameraView>): void {
  const [azimuthDeg, elevationDeg, distance, ...offsetMm] = view, most = MAX_PAN * camera.radiusMm;
  camera.distance = Math.min(Math.max(distance, MIN_DISTANCE), MAX_DISTANCE);
  for (let r = 0; r < 3; r++) {
    camera.targetMm[r] = camera.centreMm[r]! + Math.min(Math.max(offsetMm[r]!, -most), most);
  }
  lookFrom(camera, [azimuthDeg, Math.min(Math.max(elevationDeg, -90), 90)]);
}

/** Position of a camera; `null` for the initial one. */
export function viewOfCamera(camera: SurfaceCamera): CameraView | null {
  const [x, y, z] = camera.centreMm.map((mm, r) => camera.targetMm[r]! - mm) as Vec3;
  const { azimuthRad, elevationRad, distance } = camera;
  const view: CameraView = [azimuthRad / RADIANS, elevationRad / RADIANS, distance, x, y, z];
  return view.every((value, at) => Math.abs(value - START[at]!) < 0.01) ? null : view;
}

function lookFrom(
  camera: SurfaceCamera,
  [azimuthDeg, elevationDeg]: readonly [number, number],
): void {
  camera.azimuthRad = azimuthDeg * RADIANS;
  camera.elevationRad = elevationDeg * RADIANS;
  turn(camera);
}

/** Turns the camera to a standard view, centres the surface and keeps the distance. */
export function choosePreset(camera: SurfaceCamera, preset: Preset): void {
  camera.targetMm.set(camera.centreMm);
  lookFrom(camera, PLACES[preset]);
}

/** Name of the current standard view; `null` for any other view. */
export function presetOf(camera: SurfaceCamera): Preset | null {
  const isAt = (a: number, b: number) => Math.abs(Math.sin((a - b) / 2)) < 1e-3;
  return PRESETS.find((preset) => {
    const [azimuth, elevation] = PLACES[preset];
    return isAt(camera.azimuthRad, azimuth * RADIANS) &&
      isAt(camera.elevationRad, elevation * RADIANS);
  }) ?? null;
}

/** Rotates with the pointer: a drag across the pane's smaller side is half a turn. */
export function orbit(
  camera: SurfaceCamera,
  dx: number,
  dy: number,
  width: number,
  height: number,
): void {
  const perPixel = Math.PI / Math.max(Math.min(width, height), 1);
  camera.azimuthRad = (camera.azimuthRad + dx * perPixel) % (2 * Math.PI);
  const elevation = camera.elevationRad + dy * perPixel;
  camera.elevationRad = Math.min(Math.max(elevation, -Math.PI / 2), Math.PI / 2);
  turn(camera);
}

/** Pans by pixels; points at the centre's depth follow the pointer. */
export function pan(
  camera: SurfaceCamera,
  dx: number,
  dy: number,
  width: number,
  height: number,
): void {
  const mm = mmPerPixel(camera, camera.distance, width, height);
  const { targetMm, centreMm, right, up } = camera, most = MAX_PAN * camera.radiusMm;
  for (let r = 0; r < 3; r++) {
    const moved = targetMm[r]! - (dx * right[r]! - dy * up[r]!) * mm;
    targetMm[r] = Math.min(Math.max(moved, centreMm[r]! - most), centreMm[r]! + most);
  }
}

/** Zooms in by wheel notches; a negative number zooms out. */
export function zoom(camera: SurfaceCamera, notches: number): void {
  zoomBy(camera, NOTCH ** (notches * ZOOM_SPEED));
}

/** Multiplies the zoom by a factor. */
export function zoomBy(camera: SurfaceCamera, factor: number): void {
  camera.distance = Math.min(Math.max(camera.distance / factor, MIN_DISTANCE), MAX_DISTANCE);
}

/**
 * Pixels per scene unit at depth 1.
 * The field of view applies to the smaller side of the pane, so that nothing is cut off.
 */
export const focalPixels = (width: number, height: number): number =>
  Math.min(width, height) / 2 / Math.tan(FIELD_OF_VIEW_DEG / 2 * RADIANS);

/** Length of a pixel at a depth in scene units, mm. */
export const mmPerPixel = (
  camera: SurfaceCamera,
  depth: number,
  width: number,
  height: number,
): number => depth * camera.radiusMm / focalPixels(width, height);

// buffers that every calculation reuses, so that a frame allocates nothing
const eyeMm = new Float64Array(3), sceneFromMm = new Float64Array(3), point = new Float64Array(3);
const matrix = new Float64Array(16);

/**
 * Writes the view matrix, column-major: RAS mm to eye space in scene units.
 * x to the screen's right, y up, z towards the eye.
 */
export function writeViewMatrix(out: Float32Array | Float64Array, camera: SurfaceCamera): void {
  const { targetMm, back, up, radiusMm, distance } = camera;
  vec3.scaleAndAdd(eyeMm, targetMm, back, distance * radiusMm);
  mat4.lookAt(matrix, eyeMm, targetMm, up);
  mat4.fromScaling(out, sceneFromMm.fill(1 / radiusMm));
  mat4.multiply(out, out, matrix);
}

/** Writes the projection matrix, column-major: eye space to WebGL's clip space. */
export function writeProjectionMatrix(out: Float32Array, width: number, height: number): void {
  const angleRad = 2 * Math.atan(height / 2 / focalPixels(width, height));
  mat4.perspective(out, angleRad, width / height, NEAR, FAR);
}

const view = new Float64Array(16);

/**
 * Projects a position: writes x, y in pixels from the top left, and the depth in scene units.
 * Behind the eye the depth is not positive, and x and y are meaningless.
 */
export function projectMm(
  out: Float64Array,
  camera: SurfaceCamera,
  rasMm: ArrayLike<number>,
  width: number,
  height: number,
): void {
  writeViewMatrix(view, camera);
  vec3.set(point, rasMm[0]!, rasMm[1]!, rasMm[2]!);
  vec3.transformMat4(point, point, view);
  const depth = -point[2]!, focal = focalPixels(width, height);
  out[0] = width / 2 + focal * point[0]! / depth;
  out[1] = height / 2 - focal * point[1]! / depth;
  out[2] = depth;
}

/** Position in RAS mm at a screen point in pixels and a depth in scene units. */
export function unprojectMm(
  out: Float64Array,
  camera: SurfaceCamera,
  x: number,
  y: number,
  depth: number,
  width: number,
  height: number,
): void {
  const focal = focalPixels(width, height), { radiusMm } = camera;
  vec3.scaleAndAdd(out, camera.targetMm, camera.right, (x - width / 2) * depth / focal * radiusMm);
  vec3.scaleAndAdd(out, out, camera.up, (height / 2 - y) * depth / focal * radiusMm);
  vec3.scaleAndAdd(out, out, camera.back, (camera.distance - depth) * radiusMm);
}

/** Light from above the observer's left shoulder: ambient, diffuse and specular coefficients. */
const LIGHT = vec3.normalize(new Float64Array(3), [-0.28, 0.4, 0.87]);
const AMBIENT = 0.16, DIFFUSE = 0.86, SPECULAR = 0.16;

/** Number of values written by {@link writeView}. */
export const VIEW_LENGTH = 24;

/**
 * Writes the parameters of the kernel: the affine into camera space row by row (12 numbers, depth
 * grows away from the eye), pixels per unit at depth 1, near, far, directions in RAS to the light
 * and half way between light and eye, ambient, diffuse, specular.
 */
export function writeView(
  out: Float32Array,
  camera: SurfaceCamera,
  width: number,
  height: number,
): void {
  const { right, up, back } = camera;
  writeViewMatrix(view, camera);
  for (let column = 0; column < 4; column++) {
    out[column] = view[4 * column]!;
    out[4 + column] = view[4 * column + 1]!;
    out[8 + column] = -view[4 * column + 2]!;
  }
  out[12] = focalPixels(width, height);
  out[13] = NEAR;
  out[14] = FAR;
  vec3.scale(point, right, LIGHT[0]!);
  vec3.scaleAndAdd(point, point, up, LIGHT[1]!);
  vec3.scaleAndAdd(point, point, back, LIGHT[2]!);
  out.set(point, 15);
  vec3.add(point, point, back);
  out.set(vec3.normalize(point, point), 18);
  out[21] = AMBIENT;
  out[22] = DIFFUSE;
  out[23] = SPECULAR;
}
