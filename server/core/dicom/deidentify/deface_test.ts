import assert from "node:assert/strict";
import { affineFromRows, applyAffine, invert, type Shape } from "@/model/geometry.ts";
import { defacedFile } from "@/server/core/dicom/deidentify/deface.ts";
import { defacedVoxels, faceRegion, isFace } from "@/server/core/dicom/deidentify/face.ts";
import { readHeader } from "@/server/core/dicom/read/instance.ts";
import { planesOf } from "@/server/core/dicom/read/plane.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";
import type { PixelEncoding } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import { axes, PLANES, tilted } from "@/server/commands/demo/phantom/grid.ts";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";
import { KOREAN_PATIENT, makeSeries } from "@/server/commands/demo/phantom/dicom/series.ts";

/** A ball of a head, everywhere brighter than nothing, in an oblique series. */
function series(encoding: PixelEncoding) {
  const shape: Shape = [50, 60, 60], image = new Float32Array(50 * 60 * 60).fill(500);
  const rasFromIjk = affineFromRows<"Ras", "Ijk">([
    [4, 0, 0, -97],
    [0, 4, 0, -122],
    [0, 0, 4, -152],
    [
      0,
      0,
      0,
      1,
    ],
  ]);
  const head = {
    shape,
    rasFromIjk,
    resolutionMm: 4,
    t1: image,
    flair: image,
    options: { seed: 7 },
  };
  const grid = {
    shape: [40, 48, 44] as Shape,
    centreRasMm: [0, 0, -20] as [number, number, number],
    directions: tilted(axes(PLANES.sagittal), [8, -5, 11]),
    spacingMm: [5, 5, 4] as [number, number, number],
  };
  const options = {
    grid,
    sliceThicknessMm: 4,
    patient: KOREAN_PATIENT,
    encoding,
    noise: 0,
    biasField: 0,
  };
  return makeSeries(head as unknown as Head, options).files.map(({ bytes }) =>
    new Uint8Array(bytes)
  );
}

const SHAPE: Shape = [72, 84, 64];
const RAS_FROM_IJK = affineFromRows<"Ras", "Ijk">([
  [3, 0, 0, -106],
  [0, 3, 0, -138],
  [0, 0, 3, -86],
  [0, 0, 0, 1],
]);
/** The patient's head lies elsewhere than the atlas's, and is larger. */
const SUBJECT_FROM_ATLAS = affineFromRows<"Ras", "Ras">([
  [1.05, 0, 0, 2],
  [0, 1.04, 0, -6],
  [0, 0, 1.06, 4],
  [0, 0, 0, 1],
]);

/** A brain that reaches so far forward and down that the plane alone would cut it. */
function brain(): Uint8Array {
  const labels = new Uint8Array(SHAPE[0] * SHAPE[1] * SHAPE[2]);
  for (let v = 0; v < labels.length; v++) {
    const ijk: [number, number, number] = [
      v % SHAPE[0],
      Math.floor(v / SHAPE[0]) % SHAPE[1],
      Math.floor(v / (SHAPE[0] * SHAPE[1])),
    ];
    const [x, y, z] = applyAffine(RAS_FROM_IJK, ijk);
    if (Math.hypot(x, y - 10, z + 10) < 75) labels[v] = 1;
  }
  return labels;
}

for (const encoding of ["explicit", "implicit", "big_endian"] as const) {
  Deno.test(`defacedFile() takes the face away and leaves every byte of the brain and of all else: ${encoding}`, () => {
    const labels = brain(),
      atlasFromSubject = invert(SUBJECT_FROM_ATLAS),
      ijkFromRas = invert(RAS_FROM_IJK);
    const face = faceRegion({
      labels,
      shape: SHAPE,
      rasFromIjk: RAS_FROM_IJK,
      subjectFromAtlas: SUBJECT_FROM_ATLAS,
    });
    let removed = 0, ofBrain = 0, faceLeft = 0;
    for (const bytes of series(encoding)) {
      const before = bytes.slice(), defaced = defacedFile(bytes, face)!;
      assert.deepEqual(bytes, before, "the stored file is not changed");
      removed += defaced.removed;
      const { pixels, rows, columns } = readHeader(bytes, "");
      const { dataSet } = parseStored(bytes, false), [plane] = planesOf(dataSet, 1);
      const [along, down] = plane!.orientationLps, [stepDown, stepAlong] = plane!.pixelSpacingMm;
      // outside of the pixels nothing differs
      assert.deepEqual(
        defaced.bytes.subarray(0, pixels!.offset),
        bytes.subarray(0, pixels!.offset),
      );
      for (let v = 0; v < rows * columns; v++) {
        const i = v % columns, j = Math.floor(v / columns);
        const lps = [0, 1, 2].map((a) =>
          plane!.positionLpsMm[a]! + i * stepAlong! * along![a]! + j * stepDown! * down![a]!
        );
        const ras: [number, number, number] = [-lps[0]!, -lps[1]!, lps[2]!];
        const [a, b, c] = applyAffine(ijkFromRas, ras).map(Math.round) as [number, number, number];
        const isInside = a >= 0 && b >= 0 && c >= 0 && a < SHAPE[0] && b < SHAPE[1] && c < SHAPE[2];
        const isBrain = isInside && labels[a + SHAPE[0] * (b + SHAPE[1] * c)] === 1;
        const at = pixels!.offset + 2 * v;
        const isSame = defaced.bytes[at] === bytes[at] && defaced.bytes[at + 1] === bytes[at + 1];
        const [, y, z] = applyAffine(atlasFromSubject, ras);
        if (isBrain) {
          ofBrain++;
          assert.ok(isSame, "a byte of the brain changed");
        } else if (!isFace(y, z)) assert.ok(isSame, "a byte elsewhere changed");
        else if (
          isSame && Math.hypot(ras[0], ras[1] - 10, ras[2] + 10) > 75 + 3 * 6 * Math.sqrt(3) &&
          bytes[at]! + bytes[at + 1]! > 0
        ) {
          faceLeft++;
        }
      }
    }
    assert.ok(removed > 5000 && ofBrain > 5000, `${removed} ${ofBrain}`);
    assert.equal(faceLeft, 0);
  });
}

Deno.test("defacedVoxels() shows what defacedFile() takes away, voxel by voxel", () => {
  const labels = brain(), subjectFromAtlas = SUBJECT_FROM_ATLAS;
  const face = faceRegion({ labels, shape: SHAPE, rasFromIjk: RAS_FROM_IJK, subjectFromAtlas });
  const voxels = labels.map((_, v) => 1 + v % 250), shown = defacedVoxels(voxels, face);
  const atlasFromSubject = invert(subjectFromAtlas), [nx, ny, nz] = SHAPE;
  let removed = 0;
  for (let k = 0, v = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, v++) {
        const [, y, z] = applyAffine(atlasFromSubject, applyAffine(RAS_FROM_IJK, [i, j, k]));
        const isRemoved = isFace(y, z) && face.near[v] === 0;
        assert.equal(shown[v], isRemoved ? 0 : voxels[v]);
        if (isRemoved) removed++;
        if (labels[v]! > 0) assert.equal(shown[v], voxels[v], "the brain changed");
      }
    }
  }
  assert.ok(removed > 1000);
});

Deno.test("defacedFile() leaves compressed files alone, and isFace() knows brow, nose and brain", () => {
  const face = faceRegion({
    labels: brain(),
    shape: SHAPE,
    rasFromIjk: RAS_FROM_IJK,
    subjectFromAtlas: SUBJECT_FROM_ATLAS,
  });
  assert.equal(defacedFile(series("rle")[0]!, face), null);
  // places of the ICBM frame: nose tip, eye, chin; pole of the frontal and of the temporal lobe, gyrus rectus, brain stem
  assert.deepEqual([[108, -60], [62, -40], [70, -110]].map(([y, z]) => isFace(y!, z!)), [
    true,
    true,
    true,
  ]);
  assert.deepEqual(
    [[72, 0], [20, -42], [45, -28], [-25, -60], [-60, -50]].map(([y, z]) => isFace(y!, z!)),
    [false, false, false, false, false],
  );
});
