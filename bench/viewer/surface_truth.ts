// Checks the 3D pane without the kernels: vertices facing the viewer are drawn, and nothing else.
import type { SurfaceMesh } from "@/viewer/surface/kernel.ts";

/** The 3D pane as displayed. */
export interface SurfacePicture {
  width: number;
  height: number;
  /** RGBA, one character per byte */
  pixels: string;
  /** camera: unit vectors to the right, up and backwards, RAS; rotation centre and radius, mm */
  right: number[];
  up: number[];
  back: number[];
  targetMm: number[];
  radiusMm: number;
  /** distance from the rotation centre to the camera, in surface radii */
  distance: number;
}

/** Minimum cosine to the viewing direction; other vertices may share a background pixel. */
const FACING = 0.3;
/** Maximum distance of a triangle's pixels from its projected vertices, px. */
const REACH = 3;
/** Field of view along the smaller side, degrees (D2 §9). */
const FIELD_DEG = 60;

const dot = (a: readonly number[], b: readonly number[]) =>
  a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;

/** @returns counts: visible vertices not drawn, pixels beside the surface, coloured pixels. */
export function surfaceFaults({ positions, normals }: SurfaceMesh, picture: SurfacePicture) {
  const { width, height, pixels, right, up, back, targetMm, radiusMm, distance } = picture;
  const focal = Math.min(width, height) / 2 / Math.tan(FIELD_DEG / 2 * Math.PI / 180);
  const eye = targetMm.map((mm, r) => mm + back[r]! * distance * radiusMm);
  const covered = new Uint8Array(width * height);
  let missing = 0, stray = 0, labelled = 0;
  const channels = (at: number) => [0, 1, 2].map((c) => pixels.charCodeAt(at * 4 + c));
  for (let v = 0; v < positions.length; v += 3) {
    const ray = [0, 1, 2].map((r) => positions[v + r]! - eye[r]!), depth = -dot(ray, back);
    const x = Math.floor(width / 2 + focal * dot(ray, right) / depth);
    const y = Math.floor(height / 2 - focal * dot(ray, up) / depth);
    if (depth <= 0 || x < 0 || y < 0 || x >= width || y >= height) continue;
    const facing = -dot([normals[v]!, normals[v + 1]!, normals[v + 2]!], ray) / Math.hypot(...ray);
    if (facing > FACING && Math.max(...channels(y * width + x)) === 0) missing++;
    for (let b = Math.max(y - REACH, 0); b <= Math.min(y + REACH, height - 1); b++) {
      covered.fill(
        1,
        b * width + Math.max(x - REACH, 0),
        b * width + Math.min(x + REACH + 1, width),
      );
    }
  }
  for (let at = 0; at < width * height; at++) {
    const [r, g, b] = channels(at) as [number, number, number];
    if (covered[at] === 0 && Math.max(r, g, b) > 0) stray++;
    // the surface without labels is nearly grey
    if (Math.max(r, g, b) - Math.min(r, g, b) > 40) labelled++;
  }
  return { missing, stray, labelled };
}
