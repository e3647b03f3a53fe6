// Files that `deno task analyze` writes in addition to result.json.
import type { Volume, VoxelArray } from "@/model/viewer/volume.ts";
import { resampleLabels } from "@/server/core/engine/engine.ts";
import type { AnalysisOutcome, Surface } from "@/server/core/engine/result.ts";
import { encodeArray } from "@/server/core/analyses/service/files/npy.ts";

/** Copies a map and sets voxels outside the brain labels to 0. */
function masked<T extends VoxelArray>(voxels: T, labels: VoxelArray): T {
  const out = voxels.slice() as T;
  for (let i = 0; i < out.length; i++) if (labels[i] === 0) out[i] = 0;
  return out;
}

/** Intensities of the series that was analysed. */
/** Converts a stored thickness map to mm. */
function inMm(map: VoxelArray): Float32Array {
  const mm = new Float32Array(map.length);
  for (let i = 0; i < mm.length; i++) mm[i] = map[i]! * 5 / 255;
  return mm;
}

/**
 * Label maps and images of a result with file names.
 * Yielded one at a time, because each map is large on a scanner's grid.
 */
export async function* volumesOf(
  { t1, flair }: AnalysisOutcome,
  sources: { t1: { volume: Volume } | null; flair: { volume: Volume } | null },
): AsyncGenerator<[name: string, volume: Volume]> {
  if (t1 && sources.t1) {
    const { shape, rasFromIjk, labels, intensities, thickness } = t1, source = sources.t1.volume;
    yield ["labels_1mm", { shape, rasFromIjk, voxels: labels }];
    yield ["brain_1mm", { shape, rasFromIjk, voxels: masked(intensities, labels) }];
    {
      const scannerLabels = await resampleLabels({ voxels: labels, shape, rasFromIjk }, source);
      yield ["labels", { ...source, voxels: scannerLabels }];
      yield ["brain", { ...source, voxels: masked(source.voxels, scannerLabels) }];
    }
    if (thickness) {
      const map = { shape, rasFromIjk, voxels: thickness.map };
      yield ["thickness_1mm", { shape, rasFromIjk, voxels: inMm(thickness.map) }];
      yield ["thickness", { ...source, voxels: inMm(await resampleLabels(map, source)) }];
    }
  }
  if (flair && sources.flair) {
    const { shape, rasFromIjk, mask, scannerMask, deepStructures } = flair,
      source = sources.flair.volume;
    yield ["wmh", { ...source, voxels: scannerMask }];
    yield ["wmh_1mm", { shape, rasFromIjk, voxels: mask }];
    if (deepStructures?.isUsed) {
      const labels = { shape, rasFromIjk, voxels: deepStructures.labels };
      yield ["labels_1mm", labels];
      yield ["labels", { ...source, voxels: await resampleLabels(labels, source) }];
    }
  }
}

/** Arrays of the brain's surface mesh, one file each. */
export async function writeSurface(
  folder: string,
  { vertices, faces, normals, values }: Surface,
): Promise<void> {
  if (vertices.length === 0) return;
  await Deno.mkdir(folder, { recursive: true });
  const arrays = {
    verts: encodeArray(vertices, [vertices.length / 3, 3]),
    faces: encodeArray(faces, [faces.length / 3, 3]),
    normals: encodeArray(normals, [vertices.length / 3, 3]),
    values: encodeArray(values, [values.length]),
  };
  for (const [name, bytes] of Object.entries(arrays)) {
    await Deno.writeFile(`${folder}/${name}.npy`, bytes);
  }
}
