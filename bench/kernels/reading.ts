// Image processing of the reading tools: resampling, differences, contours, and filling of slices.
import { addRow, type Kit, type Samples, SHAPE, timed } from "@/bench/kernel_runs/kernel_kit.ts";
import { affineFromRows, applyAffine, invert, rowMajor } from "@/model/geometry.ts";
import { originalAt } from "@/viewer/reading/original_volume.ts";
import { plainStatistics } from "@/viewer/reading/plain_statistics_testing.ts";
import { statisticsOf } from "@/viewer/reading/region_pixels.ts";
import { startReading } from "@/viewer/reading/start.ts";
import { voxelsUnder } from "@/viewer/reading/brush.ts";
import { contoursOf } from "@/viewer/slices/marks/mask_contours.ts";
import { sliceOf } from "@/viewer/voxel_kernels.ts";
import { Difference, fill_between, Resampler } from "@/wasm/pkg/reading/bind_reading.js";

/** Voxel index in an oblique grid (some degrees and mm) → index in the original, and inverse. */
const THERE = affineFromRows<"Ijk", "Ijk">([[0.99, -0.05, 0.02, 4.3], [0.05, 0.98, 0.04, -3.1], [
  -0.02,
  -0.04,
  1.01,
  2.2,
]]);
const WAYS = { there: THERE, back: invert(THERE) };
const SLICES = 8, FIRST = 100;

/** Resamples some slices by trilinear interpolation in plain JavaScript. */
function plainResample(voxels: Uint8Array | Int16Array, m: Float64Array, out: Uint8Array): void {
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

/** Number of values that differ by more than 1, where the original volume covers the grid. */
const wrong = (a: Uint8Array, b: Uint8Array) =>
  a.reduce((sum, value, at) => sum + (b[at] !== 0 && Math.abs(value - b[at]!) > 1 ? 1 : 0), 0);

/** Resamples 8-bit and 16-bit volumes in both directions. @returns slices of the first one. */
function resampled(kit: Kit, memory: WebAssembly.Memory): Uint8Array {
  const [nx, ny] = SHAPE, plain = new Uint8Array(SLICES * nx * ny);
  let there = plain;
  for (const [kind, voxels] of [kit.base, Int16Array.from(kit.base)].entries()) {
    const resampler = Resampler.create(kind, ...SHAPE)!,
      into = voxels instanceof Uint8Array ? Uint8Array : Int16Array;
    new into(memory.buffer, resampler.address(), voxels.length).set(voxels);
    for (const [way, affine] of Object.entries(WAYS)) {
      const rows = Float64Array.from(rowMajor(affine).slice(0, 12));
      const ours = () => resampler.slices(rows, nx, ny, FIRST, SLICES, 0, 1);
      const [ms, plainMs] = timed([ours, () => plainResample(voxels, rows, plain.fill(0))]) as [
        Samples,
        Samples,
      ];
      const name = `resampling ${SLICES} slices of ${
        8 << kind
      } bits askew, ${way}, against plain JS`;
      addRow(kit, name, ms, plainMs, { most: 1, isRight: wrong(ours(), plain) === 0 });
      if (kind === 0 && way === "there") there = ours() as Uint8Array<ArrayBuffer>;
    }
    resampler.free();
  }
  return there;
}

/** Measures the statistics of a region of several thousand pixels. */
function measured(kit: Kit): void {
  const [cx, cy, cz] = SHAPE.map((n) => Math.round(n / 2)) as [number, number, number];
  const { rasFromIjk, ijkFromRas } = kit.grid;
  const pointsMm = Array.from({ length: 24 }, (_, n) => {
    const radius = 40 + 8 * (n % 3), angle = n * Math.PI / 12;
    return applyAffine(rasFromIjk, [
      cx + radius * Math.cos(angle),
      cy + radius * Math.sin(angle),
      cz,
    ]);
  }).flat();
  const region = { kind: "freehand", plane: "axial", pointsMm } as const;
  const volume = { voxels: kit.base, slope: 1, intercept: 0, shape: SHAPE, ijkFromRas };
  const ours = () => statisticsOf(region, kit.grid, volume);
  const plain = () => plainStatistics(region, kit.grid, (rasMm) => originalAt(volume, rasMm));
  const [ms, plainMs] = timed([ours, plain]) as [Samples, Samples];
  const isRight = JSON.stringify(ours()) === JSON.stringify(plain());
  addRow(
    kit,
    `figures of a region of ${ours()!.pixels} pixels, against its slow twin`,
    ms,
    plainMs,
    {
      most: 1,
      isRight,
    },
  );
}

export function rows(kit: Kit): void {
  const memory = startReading(kit.reading);
  const { base, composer, grid } = kit, [nx, ny] = SHAPE, cells = nx * ny;
  const then = resampled(kit, memory),
    now = base.slice(FIRST * cells, (FIRST + SLICES) * cells),
    difference = new Difference();
  difference.add(now, then);
  const [differenceMs] = timed([() => difference.of(now, then)]) as [Samples];
  addRow(kit, `difference of ${SLICES} slices`, differenceMs, null, {});

  measured(kit);
  const shown = new Uint8Array(256).fill(1), slice = sliceOf(composer, "labels", 2, FIRST).slice();
  const [contourMs] = timed([() => contoursOf(slice, nx, shown)]) as [Samples];
  addRow(kit, "contours of every label of a slice", contourMs, null, { most: null });

  const disc = (radius: number) =>
    Uint8Array.from(
      { length: cells },
      (_, at) => Math.hypot(at % nx - nx / 2, Math.floor(at / nx) - ny / 2) < radius ? 7 : 0,
    );
  const [first, last] = [disc(20), disc(45)];
  const [fillMs] = timed([() => fill_between(first, last, nx, 9, 7)]) as [Samples];
  addRow(kit, "fill nine slices between two", fillMs, null, {});

  const [from, to] = [[60, 80, 90], [75, 88, 90]];
  const [brushMs] = timed([() => voxelsUnder(grid, "axial", from!, to!, 12)]) as [Samples];
  addRow(kit, "brush of 12 mm, drawn over 17 mm", brushMs, null, {});
  difference.free();
}
