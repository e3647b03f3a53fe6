import { type SurfaceCamera, VIEW_LENGTH, writeView } from "@/viewer/surface/camera.ts";
import type { SurfaceMesh } from "@/viewer/surface/kernel.ts";

/**
 * Surface rasteriser in plain JavaScript, the benchmark's reference, with preallocated arrays.
 * Makes one pass over the vertices and one pass over the faces.
 *
 * @param pixels Maximum number of pixels; `out` contains RGBA words, rows from the top.
 */
export function plainRasteriser(
  { positions, normals, faces }: SurfaceMesh,
  colours: Uint32Array,
  pixels: number,
) {
  const vertices = positions.length / 3, view = new Float32Array(VIEW_LENGTH);
  const sx = new Int32Array(vertices),
    sy = new Int32Array(vertices),
    depth = new Float32Array(vertices);
  const shaded = new Uint32Array(vertices);
  const nearest = new Float32Array(pixels),
    face = new Uint32Array(pixels),
    out = new Uint32Array(pixels);
  const draw = (camera: SurfaceCamera, width: number, height: number): void => {
    writeView(view, camera, width, height);
    const [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3] = view as unknown as number[];
    const focal = view[12]! * 64, near = view[13]!;
    const lx = view[15]!,
      ly = view[16]!,
      lz = view[17]!,
      hx = view[18]!,
      hy = view[19]!,
      hz = view[20]!;
    const ambient = view[21]!, diffuse = view[22]!, specular = view[23]! * 255;
    for (let v = 0, at = 0; v < vertices; v++, at += 3) {
      const x = positions[at]!, y = positions[at + 1]!, z = positions[at + 2]!;
      const d = c0! * x + c1! * y + c2! * z + c3!;
      const inverse = d >= near ? 1 / d : 0;
      depth[v] = inverse;
      sx[v] = (a0! * x + a1! * y + a2! * z + a3!) * focal * inverse + width * 32 + 0.5;
      sy[v] = height * 32 + 0.5 - (b0! * x + b1! * y + b2! * z + b3!) * focal * inverse;
      const nx = normals[at]!, ny = normals[at + 1]!, nz = normals[at + 2]!;
      const bright = ambient + diffuse * Math.max(lx * nx + ly * ny + lz * nz, 0);
      let gleam = Math.max(hx * nx + hy * ny + hz * nz, 0);
      gleam *= gleam;
      gleam *= gleam;
      gleam *= gleam;
      gleam *= gleam;
      gleam = gleam * specular + 0.5;
      const colour = colours[v]!;
      const r = Math.min((colour & 255) * bright + gleam, 255) | 0;
      const g = Math.min((colour >> 8 & 255) * bright + gleam, 255) | 0;
      const b = Math.min((colour >> 16 & 255) * bright + gleam, 255) | 0;
      shaded[v] = 0xff000000 | (b << 16) | (g << 8) | r;
    }
    const size = width * height;
    nearest.fill(1 / view[14]!, 0, size);
    // `face` contains a valid index only for pixels in which a triangle is visible
    out.fill(0xff000000, 0, size);
    for (let at = 0, number = 0; at < faces.length; at += 3, number++) {
      const i = faces[at]!, j = faces[at + 1]!, k = faces[at + 2]!;
      const ax = sx[i]!, ay = sy[i]!, bx = sx[j]!, by = sy[j]!, cx = sx[k]!, cy = sy[k]!;
      const area = (by - ay) * (cx - ax) - (bx - ax) * (cy - ay);
      if (area <= 0) continue;
      const minX = ax < bx ? ax < cx ? ax : cx : bx < cx ? bx : cx;
      const maxX = ax > bx ? ax > cx ? ax : cx : bx > cx ? bx : cx;
      const minY = ay < by ? ay < cy ? ay : cy : by < cy ? by : cy;
      const maxY = ay > by ? ay > cy ? ay : cy : by > cy ? by : cy;
      const x0 = Math.max((minX + 31) >> 6, 0), x1 = Math.min((maxX - 32) >> 6, width - 1);
      const y0 = Math.max((minY + 31) >> 6, 0), y1 = Math.min((maxY - 32) >> 6, height - 1);
      if (x0 > x1 || y0 > y1) continue;
      const za = depth[i]!, zb = depth[j]!, zc = depth[k]!;
      if (za === 0 || zb === 0 || zc === 0) continue;
      const px = (x0 << 6) + 32, py = (y0 << 6) + 32;
      let rowA = (cy - by) * (px - bx) - (cx - bx) * (py - by);
      let rowB = (ay - cy) * (px - cx) - (ax - cx) * (py - cy);
      let rowC = (by - ay) * (px - ax) - (bx - ax) * (py - ay);
      const rightA = (cy - by) << 6, rightB = (ay - cy) << 6, rightC = (by - ay) << 6;
      const belowA = (bx - cx) << 6, belowB = (cx - ax) << 6, belowC = (ax - bx) << 6;
      const part = 1 / area, colourA = shaded[i]!, colourB = shaded[j]!, colourC = shaded[k]!;
      for (let y = y0; y <= y1; y++) {
        let a = rowA, b = rowB, c = rowC;
        for (let p = y * width + x0, end = y * width + x1; p <= end; p++) {
          if ((a | b | c) >= 0) {
            const wa = a * part, wb = b * part, wc = c * part, z = wa * za + wb * zb + wc * zc;
            if (z > nearest[p]!) {
              nearest[p] = z;
              face[p] = number;
              const red = (colourA & 255) * wa + (colourB & 255) * wb + (colourC & 255) * wc + 0.5 |
                0;
              const green = (colourA >> 8 & 255) * wa + (colourB >> 8 & 255) * wb +
                  (colourC >> 8 & 255) * wc + 0.5 | 0;
              const blue = (colourA >> 16 & 255) * wa + (colourB >> 16 & 255) * wb +
                  (colourC >> 16 & 255) * wc + 0.5 | 0;
              out[p] = 0xff000000 | (blue << 16) | (green << 8) | red;
            }
          }
          a += rightA;
          b += rightB;
          c += rightC;
        }
        rowA += belowA;
        rowB += belowB;
        rowC += belowC;
      }
    }
  };
  return { draw, out };
}
