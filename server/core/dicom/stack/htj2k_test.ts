// covers: S-17, S-18
import assert from "node:assert/strict";
import type { AppError } from "@/model/errors.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { writeInstance } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import { convertSeries } from "@/server/core/dicom/convert/convert.ts";
import { readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { decodeFrame } from "@/server/core/dicom/stack/codecs.ts";
import { compressedFrame } from "@/server/core/dicom/stack/fragments.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";
import { framesOf } from "@/server/core/dicom/worker/frame_parts.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { asHtj2k, HTJ2K, type Htj2k } from "@/tests/sites/series/htj2k.ts";

const slices = phantomSeries("short", "HTJ2K-1").slice(25, 31);

/** Volume of the slices, each changed. */
async function volumeOfSlices(change: (bytes: Uint8Array) => Promise<Uint8Array>): Promise<Volume> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-htj2k-" });
  try {
    const files = [];
    for (const { fileName, bytes } of slices) {
      const path = `${folder}/${fileName}`;
      await Deno.writeFile(path, await change(bytes));
      await readInstanceFile(path, fileName);
      files.push({ fileName, path });
    }
    return await convertSeries(files);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const plain = volumeOfSlices((bytes) => Promise.resolve(bytes));

for (const name of ["lossless", "rpcl"] as const) {
  Deno.test(`convertSeries() makes the same voxels of HTJ2K (${name}) as of uncompressed files`, async () => {
    const { voxels, rasFromIjk, shape } = await volumeOfSlices((bytes) =>
      asHtj2k(bytes, HTJ2K[name])
    );
    const due = await plain;
    assert.deepEqual([voxels, rasFromIjk, shape], [due.voxels, due.rasFromIjk, due.shape]);
  });
}

Deno.test("convertSeries() reads lossy HTJ2K within one grey level", async () => {
  const { voxels } = await volumeOfSlices((bytes) => asHtj2k(bytes, HTJ2K.lossy));
  const due = (await plain).voxels;
  assert.ok(voxels.some((value, at) => value !== due[at]), "nothing was lost");
  assert.ok(voxels.every((value, at) => Math.abs(value - due[at]!) <= 1));
});

Deno.test("convertSeries() refuses damaged HTJ2K instead of filling it", async () => {
  const damages: ((stream: Uint8Array) => Uint8Array)[] = [
    (stream) => stream.slice(0, stream.length >> 1),
    (stream) => stream.fill(0x55, 200, 260),
    (stream) => stream.fill(0, stream.length >> 1),
  ];
  for (const damage of damages) {
    await assert.rejects(
      volumeOfSlices((bytes) => asHtj2k(bytes, HTJ2K.rpcl, damage)),
      ({ details }: AppError) => details.reason === "conversion",
    );
  }
});

/** Stored values of a file's frame. */
async function decoded(bytes: Uint8Array, syntax: Htj2k, format: [number, number, number]) {
  const [columns, rows, bitsAllocated] = format;
  const stream = compressedFrame(parseStored(bytes, true).dataSet, 1, 0)!;
  return await decodeFrame(syntax.uid, stream, { columns, rows, bitsAllocated });
}

Deno.test("decodeFrame() reads HTJ2K of 16 bits, signed too", async () => {
  const columns = 40, rows = 30;
  const values = Uint16Array.from({ length: columns * rows }, (_, at) => 7919 * at);
  for (const pixels of [new Int16Array(values.buffer), values]) {
    const file = writeInstance(
      [[0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"], [0x00080018, "UI", "1.2.3"]],
      { columns, rows, pixels },
      "explicit",
      "ISO_IR 100",
    );
    // the writer states 12 bits for unsigned pixels
    const at = Buffer.from(file).indexOf(Uint8Array.of(0x28, 0, 1, 1, 0x55, 0x53)) + 8;
    file[at] = 16;
    const read = await decoded(await asHtj2k(file, HTJ2K.lossless), HTJ2K.lossless, [
      columns,
      rows,
      16,
    ]);
    assert.deepEqual(read, values);
  }
});

Deno.test("DICOMweb sends frames of HTJ2K with their media type", async () => {
  const file = await asHtj2k(slices[0]!.bytes, HTJ2K.rpcl), [part] = framesOf(file, [1]);
  assert.equal(part!.type, `image/jphc; transfer-syntax=${HTJ2K.rpcl.uid}`);
  assert.deepEqual([...part!.bytes.subarray(0, 4)], [0xff, 0x4f, 0xff, 0x51]);
});
