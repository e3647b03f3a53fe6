// Image work of reading: another volume on this grid, what changed between two, the contours of a slice, and slices filled.
import { addRow, type Kit, SHAPE, timed } from "@/bench/kernel_runs/kernel_kit.ts";
import { startReading } from "@/viewer/reading/start.ts";
import { voxelsUnder } from "@/viewer/reading/brush.ts";
import { contoursOf } from "@/viewer/slices/marks/mask_contours.ts";
import { sliceOf } from "@/viewer/voxel_kernels.ts";
import { Difference, fill_between, Resampler } from "@/wasm/pkg/reading/bind_reading.js";

/** A head that lies askew by some degrees and mm: index of the old grid from that of the new one. */
const FROM_TARGET = Float64Array.of(0.99, -0.05, 0.02, 4.3, 0.05, 0.98, 0.04, -3.1, -0.02, -0.04, 1.01, 2.2);
const SLICES = 8, FIRST = 100;

/** Some slices, trilinear, in plain JavaScript. */
function plainResample(voxels: Uint8Array, m: Float64Array, out: Uint8Array): void {
  const [nx, ny, nz] = SHAPE, layer = nx * ny;
  for (let k = 0, at = 0; k < SLICES; k++) {
    for (let j = 0; j < ny; j++) {
      let x = m[1]! * j + m[2]! * (FIRST + k) + m[3]!, y = m[5]! * j + m[6]! * (FIRST + k) + m[7]!;
      let z = m[9]! * j + m[10]! * (FIRST + k) + m[11]!;
      for (let i = 0; i < nx; i++, at++, x += m[0]!, y += m[4]!, z += m[8]!) {
        if (x < 0 || y < 0 || z < 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) continue;
        const x0 = x | 0, y0 = y | 0, z0 = z | 0, fx = x - x0, fy = y - y0, fz = z - z0;
        const v = x0 + nx * y0 + layer * z0;
        const a = voxels[v]! + (voxels[v + 1]! - voxels[v]!) * fx;
        const b = voxels[v + nx]! + (voxels[v + nx + 1]! - voxels[v + nx]!) * fx;
        const w = v + layer, c = voxels[w]! + (voxels[w + 1]! - voxels[w]!) * fx;
        const d = voxels[w + nx]! + (voxels[w + nx + 1]! - voxels[w + nx]!) * fx;
        const low = a + (b - a) * fy, high = c + (d - c) * fy;
        out[at] = low + (high - low) * fz + 0.5;
      }
    }
  }
}

/** Bytes that are more than one apart; where the old volume has a border, nothing is compared. */
const wrong = (a: Uint8Array, b: Uint8Array) =>
  a.reduce((sum, value, at) => sum + (b[at] !== 0 && Math.abs(value - b[at]!) > 1 ? 1 : 0), 0);

export function rows(kit: Kit): void {
  const memory = startReading(kit.reading);
  const { base, composer, grid } = kit, [nx, ny] = SHAPE, cells = nx * ny;
  const resampler = Resampler.create(0, ...SHAPE)!;
  new Uint8Array(memory.buffer, resampler.address(), base.length).set(base);
  const plain = new Uint8Array(SLICES * cells);
  const ours = () => resampler.slices(FROM_TARGET, nx, ny, FIRST, SLICES, 0, 1);
  const [ms, plainMs] = timed([ours, () => plainResample(base, FROM_TARGET, plain)]) as [number, number];
  const isRight = wrong(ours(), plain) === 0;
  addRow(kit, `resampling ${SLICES} slices askew, against plain JS`, ms, plainMs, { most: 1, isRight });

  const then = ours(),
    now = base.slice(FIRST * cells, (FIRST + SLICES) * cells),
    difference = new Difference();
  difference.add(now, then);
  const [differenceMs] = timed([() => difference.of(now, then)]) as [number];
  addRow(kit, `difference of ${SLICES} slices`, differenceMs, null, {});

  const shown = new Uint8Array(256).fill(1), slice = sliceOf(composer, "labels", 2, FIRST).slice();
  const [contourMs] = timed([() => contoursOf(slice, nx, shown)]) as [number];
  addRow(kit, "contours of every label of a slice", contourMs, null, { most: null });

  const disc = (radius: number) =>
    Uint8Array.from(
      { length: cells },
      (_, at) => Math.hypot(at % nx - nx / 2, Math.floor(at / nx) - ny / 2) < radius ? 7 : 0,
    );
  const [first, last] = [disc(20), disc(45)];
  const [fillMs] = timed([() => fill_between(first, last, nx, 9, 7)]) as [number];
  addRow(kit, "fill nine slices between two", fillMs, null, {});

  const [from, to] = [[60, 80, 90], [75, 88, 90]];
  const [brushMs] = timed([() => voxelsUnder(grid, "axial", from!, to!, 12)]) as [number];
  addRow(kit, "brush of 12 mm, drawn over 17 mm", brushMs, null, {});
  resampler.free();
  difference.free();
}
