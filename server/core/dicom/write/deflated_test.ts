// covers: S-222
import assert from "node:assert/strict";
import { inflateRawSync } from "node:zlib";
import { type DicomFile, dicomFile, fileHead } from "@/server/core/dicom/write/dataset_writer.ts";
import {
  deflatedBytes,
  deflatedChunks,
  inflatedRange,
} from "@/server/core/dicom/write/deflated.ts";
import { Random } from "@/model/random.ts";

const CLASS = "1.2.840.10008.5.1.4.1.1.30", UID = "1.2.3", MIB = 1 << 20;

/** A file with pixels in chunks that are no pieces of a power of two. */
function fileOf(pixels: Uint8Array<ArrayBuffer>): DicomFile {
  const chunkBytes = 700_001;
  return dicomFile({ SOPClassUID: CLASS, SOPInstanceUID: UID, SeriesInstanceUID: "1.2" }, {
    element: "FloatPixelData",
    sizeBytes: pixels.length,
    *chunks() {
      for (let at = 0; at < pixels.length; at += chunkBytes) {
        yield pixels.slice(at, at + chunkBytes);
      }
    },
  });
}

const joined = async (chunks: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await Array.fromAsync(chunks));

/** Turns that others get while something runs. */
async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0, isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await new Promise((resolve) => setTimeout(resolve));
  })();
  await run();
  isOver = true;
  await others;
  return turns;
}

Deno.test("any range of deflated bytes is that of the file, and others get a turn with each mebibyte", async () => {
  const pixels = new Uint8Array(12 * MIB + 4), random = new Random(5);
  for (let at = 0; at < pixels.length; at += 97) pixels[at] = random.bits();
  const file = fileOf(pixels), plain = Buffer.concat([...file.chunks()]);
  let stored!: Awaited<ReturnType<typeof deflatedBytes>>, sent!: Buffer, whole!: Buffer;
  for (
    const run of [
      async () => stored = await deflatedBytes(file),
      async () => whole = await joined(inflatedRange(stored)),
      async () => sent = await joined(deflatedChunks(file)),
    ]
  ) assert.ok(await turnsDuring(run) >= 12, run.toString());
  assert.ok(whole.equals(plain) && stored.sizeBytes === plain.length);
  for (let n = 0; n < 40; n++) {
    const [from, to] = [random.bits() % plain.length, random.bits() % plain.length].sort((a, b) =>
      a - b
    );
    const range = await joined(inflatedRange(stored, from, to));
    assert.ok(range.equals(plain.subarray(from, to)), `${from} to ${to}`);
  }
  assert.equal((await joined(inflatedRange(stored, MIB, MIB))).length, 0);
  // one stream for any program that reads the syntax
  const head = fileHead(CLASS, UID, "1.2.840.10008.1.2.1.99").length;
  const plainHead = fileHead(CLASS, UID, "1.2.840.10008.1.2.1").length;
  assert.ok(inflateRawSync(sent.subarray(head)).equals(plain.subarray(plainHead)));
  assert.equal(sent.length % 2, 0);
  assert.ok(sent.length < plain.length / 4);
});
