import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { affineFromRows, type Shape } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { conformVolume } from "@/server/core/engine/engine.ts";
import { storedInOrder } from "@/server/commands/demo/phantom/dicom/stored_order.ts";

/** A whole head; not in this repository. */
const file = fileURLToPath(
  new URL("../../../../shared/data/scans/nifti/t1_adult.nii.gz", import.meta.url),
);
const isAbsent = !existsSync(file);

/** Reads a gzipped little-endian NIfTI-1 file of bytes or 16-bit numbers with an sform. */
function readHead(): Volume {
  const bytes = gunzipSync(Deno.readFileSync(file));
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const shape = [42, 44, 46].map((at) => view.getInt16(at, true)) as Shape;
  const count = shape[0] * shape[1] * shape[2],
    type = view.getInt16(70, true),
    offset = view.getFloat32(108, true);
  assert.ok(type === 2 || type === 4, `datatype ${type}`);
  const at = (i: number) =>
    type === 2 ? view.getUint8(offset + i) : view.getInt16(offset + 2 * i, true);
  const row = (r: number) => [0, 1, 2, 3].map((c) => view.getFloat32(280 + 16 * r + 4 * c, true));
  return {
    voxels: Int16Array.from({ length: count }, (_, i) => at(i)),
    shape,
    rasFromIjk: affineFromRows([row(0), row(1), row(2), [0, 0, 0, 1]]),
  };
}

Deno.test({
  name: "conformVolume() gives the same voxels however they are stored" +
    (isAbsent ? " (skipped: no real head beside the repository)" : ""),
  ignore: isAbsent,
  fn: async () => {
    const head = readHead(), plain = await conformVolume(head);
    for (
      const [order, isFlipped] of [[[2, 0, 1], [true, false, false]], [[1, 0, 2], [
        false,
        true,
        true,
      ]]] as const
    ) {
      const turned = await conformVolume(storedInOrder(head, order, isFlipped));
      plain.rasFromIjk.forEach((v, i) => assert.ok(Math.abs(v - turned.rasFromIjk[i]!) < 1e-6));
      let differing = 0, inside = 0, farthest = 0;
      for (let i = 0; i < plain.voxels.length; i++) {
        const value = plain.voxels[i]!, difference = Math.abs(value - turned.voxels[i]!);
        inside += Number(value > 20);
        differing += Number(difference > 0);
        farthest = Math.max(farthest, difference);
      }
      assert.equal(turned.voxels.length, plain.voxels.length);
      assert.ok(farthest <= 1, `a voxel differs by ${farthest}`);
      // filters along the axes in another order round otherwise
      assert.ok(
        inside > 1e6 && differing < 0.001 * inside,
        `${differing} of ${inside} voxels differ`,
      );
    }
  },
});
