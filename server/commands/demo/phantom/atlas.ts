import { gunzipSync } from "node:zlib";
import type { Shape, Vec3 } from "@/model/geometry.ts";

/** The product's atlas in the form that the phantom uses: 2 mm RAS grid, i fastest. */
export interface PhantomAtlas {
  shape: Shape;
  originMm: Vec3;
  spacingMm: number;
  /** template intensity; 255 = 1.4 × white matter */
  template: Uint8Array;
  /** six labels per voxel, [6][voxel]; 105 = fluid around the brain, 0 = outside the dura */
  labels: Uint8Array;
  /** weights of the labels, sum about 255 */
  weights: Uint8Array;
}

const FOLDER = new URL("../../../core/engine/atlas/", import.meta.url);

/** Voxels of an unsigned-byte NPY file, plain or gzipped. */
function readNpy(name: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = Deno.readFileSync(new URL(`${name}.npy`, FOLDER));
  } catch {
    bytes = gunzipSync(Deno.readFileSync(new URL(`${name}.npy.gz`, FOLDER)));
  }
  const headerBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint16(8, true);
  return bytes.subarray(10 + headerBytes);
}

let loaded: PhantomAtlas | undefined;

/** Reads the atlas once per process (12 MB). */
export function phantomAtlas(): PhantomAtlas {
  return loaded ??= {
    shape: [91, 109, 91],
    originMm: [-90, -126, -72],
    spacingMm: 2,
    template: readNpy("template"),
    labels: readNpy("prior_labels"),
    weights: readNpy("prior_weights"),
  };
}
