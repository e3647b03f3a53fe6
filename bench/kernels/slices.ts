// Extracting slices along each axis of the stored grid.
import {
  addNative,
  addRow,
  type Kit,
  type Samples,
  SHAPE,
  timed,
} from "@/bench/kernel_runs/kernel_kit.ts";
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
    // both functions read the same memory, which the first slice may have moved
    const base = composer.volume("t1w"), out = new Uint8Array(base.length / SHAPE[axis]!);
    // a different slice in each call, because the previous one is still in the cache
    let n = 0, m = 0;
    const next = () => n = (n + 17) % SHAPE[axis]!, nextPlain = () => m = (m + 17) % SHAPE[axis]!;
    const [ms, plainMs] = timed([
      () => composer.kernel.extract(0, axis, next()),
      () => plainSlice(base, axis, nextPlain(), out),
    ]) as [Samples, Samples];
    plainSlice(base, axis, 50, out);
    const isRight = sliceOf(composer, "t1w", axis, 50).every((v, at) => v === out[at]);
    addRow(kit, `slice ${name}, against plain JS`, ms, plainMs, { isRight });
    await addNative(kit, `slice ${name}`, () => composer.kernel.extract(0, axis, next()));
  }
  const out = new Uint8Array(kit.base.length);
  const [copyMs] = timed([() => out.set(kit.base)]) as [Samples];
  addRow(kit, "copy of the volume, the memory limit", copyMs, null, {});
}
