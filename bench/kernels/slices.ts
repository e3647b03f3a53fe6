// Stored slices along each axis, as they are and with window/level.
import { addNative, addRow, type Kit, SHAPE, timed } from "@/bench/kernel_runs/kernel_kit.ts";
import { sliceOf } from "@/viewer/voxel_kernels.ts";

function plainSlice(volume: Uint8Array, axis: number, index: number, out: Uint8Array): void {
  const [nx, ny, nz] = SHAPE;
  if (axis === 2) out.set(volume.subarray(nx * ny * index, nx * ny * (index + 1)));
  else if (axis === 1) {
    for (let k = 0; k < nz; k++) {
      const row = nx * (index + ny * k);
      out.set(volume.subarray(row, row + nx), k * nx);
    }
  } else for (let n = 0, at = index; n < ny * nz; n++, at += nx) out[n] = volume[at]!;
}

export async function rows(kit: Kit): Promise<void> {
  const { composer } = kit;
  for (const [axis, name] of ["sagittal", "coronal", "axial"].entries()) {
    sliceOf(composer, "t1w", axis, 0);
    // both read the same bytes, which the first slice may have moved
    const base = composer.volume("t1w"), out = new Uint8Array(base.length / SHAPE[axis]!);
    // another slice in each turn: the last one lies in the cache
    let n = 0, m = 0;
    const next = () => n = (n + 17) % SHAPE[axis]!, nextPlain = () => m = (m + 17) % SHAPE[axis]!;
    const [ms, plainMs] = timed([
      () => composer.kernel.extract(0, axis, next()),
      () => plainSlice(base, axis, nextPlain(), out),
    ]) as [number, number];
    plainSlice(base, axis, 50, out);
    const isRight = sliceOf(composer, "t1w", axis, 50).every((v, at) => v === out[at]);
    addRow(kit, `slice ${name}, against plain JS`, ms, plainMs, { isRight });
    await addNative(kit, `slice ${name}`, () => composer.kernel.extract(0, axis, next()));
  }
  const window = { width: 180, level: 90 }, table = new Uint8Array(256);
  for (let v = 0; v < 256; v++) {
    table[v] = (v - 89.5) / 179 * 255 + 128 < 0 ? 0 : Math.min((v - 89.5) / 179 * 255 + 128, 255);
  }
  const out = new Uint8Array(SHAPE[0] * SHAPE[1]);
  const [ms, plainMs] = timed([() => sliceOf(composer, "t1w", 2, 100, window), () => {
    const from = kit.base.subarray(out.length * 100, out.length * 101);
    for (let n = 0; n < out.length; n++) out[n] = table[from[n]!]!;
  }]) as [number, number];
  const isRight = sliceOf(composer, "t1w", 2, 100, window).every((v, at) =>
    Math.abs(v - out[at]!) <= 1
  );
  const name = "window/level of an axial slice";
  addRow(kit, `${name}, against plain JS`, ms, plainMs, { isRight });
  await addNative(kit, name, () => sliceOf(composer, "t1w", 2, 100, window));
}
