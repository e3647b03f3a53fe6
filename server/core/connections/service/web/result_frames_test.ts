// covers: S-121
import assert from "node:assert/strict";
import jpeg from "jpeg-js";
import { oneFrameFile } from "@/server/core/connections/service/web/result_frames.ts";
import {
  PIXEL_HEADER_BYTES,
  type WebResult,
} from "@/server/core/connections/service/web/results.ts";
import { dicomJson } from "@/server/core/dicom/read/dicom_json.ts";
import { parseOwn } from "@/server/core/dicom/read/own_file.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { renderFrame } from "@/server/core/dicom/worker/rendering.ts";
import { deflatedBytes } from "@/server/core/dicom/write/deflated.ts";
import { code } from "@/server/core/dicom/write/codes.ts";
import { segmentationFile } from "@/server/core/dicom/write/segmentation.ts";

/** Rows and columns; the product is not a multiple of 8, so frames begin inside a byte. */
const ROWS = 13, COLUMNS = 15, SLICES = 5, SIZE = ROWS * COLUMNS;

function segmentation(labels: Uint8Array) {
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
    rows: ROWS,
    columns: COLUMNS,
    sliceThicknessMm: 1,
    slices,
  } as unknown as SourceSeries;
  const named = code("SCT", "91772007", "Structure");
  const segment = { label: 1, name: "Part", description: "", category: named, type: named };
  return segmentationFile(
    {
      source,
      maker: { version: "1", engine: "test 1", finishedAt: "2026-01-06T00:00:00Z" },
      kind: "LESIONS",
      description: "test",
      mapIdentity: "1",
      family: named,
      segments: [{ ...segment, rgb: [255, 0, 0] }],
    } as unknown as Parameters<typeof segmentationFile>[0],
    labels,
  );
}

Deno.test("oneFrameFile() cuts the bits of one frame out of a segmentation, wherever they begin", async () => {
  const labels = new Uint8Array(SIZE * SLICES);
  // squares of 8 pixels, as JPEG has them
  for (let v = 0; v < labels.length; v++) {
    const column = v % COLUMNS, row = Math.floor(v / COLUMNS) % ROWS, slice = Math.floor(v / SIZE);
    labels[v] = ((column >> 3) + (row >> 3) + slice) % 2;
  }
  const file = segmentation(labels), pixelOffset = file.pixelOffset!;
  const [head] = file.chunks();
  const json = dicomJson(parseOwn(head!.subarray(0, pixelOffset - PIXEL_HEADER_BYTES)), undefined);
  const { seriesUid, sopClassUid, sopInstanceUid: sopUid } = file;
  const uids = { pid: 1, seriesUid, sopUid, sopClassUid };
  const result: WebResult = { ...uids, json, file: await deflatedBytes(file), pixelOffset };
  const whole = new Uint8Array(await new Blob([...file.chunks()]).arrayBuffer());
  for (let frame = 1; frame <= SLICES; frame++) {
    const alone = await oneFrameFile(result, frame);
    assert.ok(alone, "a frame is read without the others");
    assert.equal(alone.length, pixelOffset + 2 * Math.ceil(SIZE / 16));
    const picture = renderFrame(alone, { frame: 1 });
    assert.deepEqual(picture, renderFrame(whole.slice(), { frame }));
    const { data } = jpeg.decode(picture), at = (frame - 1) * SIZE;
    const wrong = Array.from({ length: SIZE }, (_, v) => v)
      .filter((v) => (data[4 * v]! > 127) !== (labels[at + v] === 1));
    assert.deepEqual(wrong, [], `frame ${frame}`);
  }
  await assert.rejects(oneFrameFile(result, SLICES + 1), { code: "entity.not_found" });
});
