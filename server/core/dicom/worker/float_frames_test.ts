// covers: S-222
// Frames of float pixels as DICOMweb hands them out.
import assert from "node:assert/strict";
import jpeg from "jpeg-js";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { framesOf } from "@/server/core/dicom/worker/frame_parts.ts";
import { renderFrame } from "@/server/core/dicom/worker/rendering.ts";
import { parametricMapFile } from "@/server/core/dicom/write/parametric_map.ts";

const SIDE = 8, SLICES = 4;

function mapBytes(codes: Uint8Array): Uint8Array<ArrayBuffer> {
  const slices = Array.from({ length: SLICES }, (_, n) => ({
    sopInstanceUid: `1.2.${n}`,
    seriesUid: "1.3",
    frameNumber: undefined,
    positionLpsMm: [0, 0, n],
    orientationLps: [[1, 0, 0], [0, 1, 0]],
    pixelSpacingMm: [1, 1],
  }));
  const source = {
    identity: {},
    studyUid: "1.1",
    seriesUid: "1.3",
    sopClassUid: "1.2.840.10008.5.1.4.1.1.4",
    frameOfReferenceUid: "1.4",
    positionReference: "",
    rows: SIDE,
    columns: SIDE,
    sliceThicknessMm: 1,
    slices,
  } as unknown as SourceSeries;
  const file = parametricMapFile({
    source,
    maker: { version: "1", engine: "test 1", finishedAt: "2026-01-06T00:00:00Z" },
    kind: "THICKNESS",
    identity: "1",
    codes,
    values: Float32Array.from({ length: 256 }, (_, code) => code === 0 ? NaN : code / 51),
    derivation: "test",
  })!;
  const bytes = new Uint8Array(file.sizeBytes);
  let at = 0;
  for (const chunk of file.chunks()) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  assert.equal(at, bytes.length);
  return bytes;
}

Deno.test("framesOf() and renderFrame() read float pixels, from the first slice with a value on", () => {
  const codes = new Uint8Array(SIDE * SIDE * SLICES), size = SIDE * SIDE;
  // slices 1 and 3 have values, 2 between them has none, 0 before them is left out
  for (let v = 0; v < size / 2; v++) codes[size + v] = 204;
  codes[3 * size + 5] = 255;
  const bytes = mapBytes(codes), parts = framesOf(bytes, [1, 2, 3]);
  const values = parts.map((part) => new Float32Array(part.bytes.buffer, 0, size));
  assert.deepEqual([values[0]![0], values[0]![size - 1], values[2]![5]], [4, NaN, 5]);
  assert.ok(values[1]!.every(Number.isNaN));
  assert.throws(() => framesOf(bytes, [4]));
  // 4 mm in a window of 0 to 5 mm; no value is black
  const { data } = jpeg.decode(renderFrame(bytes, { frame: 1 }));
  assert.ok(Math.abs(data[0]! - 0.8 * 255) < 6, String(data[0]));
  assert.ok(data[4 * (size - 1)]! < 6);
});
