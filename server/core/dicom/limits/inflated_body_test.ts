// covers: S-78
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { readHeader } from "@/server/core/dicom/read/instance.ts";
import { inflatedBody } from "@/server/core/dicom/limits/inflated_body.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const LITTLE = "1.2.840.10008.1.2.1\0", DEFLATED = "1.2.840.10008.1.2.1.99";

const metaEnd = (bytes: Uint8Array): number =>
  144 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(140, true);

/** A file with a deflated data set. @param odd Ends it with the byte that makes its length even. */
function deflated(bytes: Uint8Array, dataSet = bytes.subarray(metaEnd(bytes)), odd = 0) {
  const meta = Buffer.from(bytes.subarray(0, metaEnd(bytes))), at = meta.indexOf(LITTLE);
  assert.ok(at > 0);
  const longer = Buffer.concat([
    meta.subarray(0, at - 2),
    Uint8Array.of(DEFLATED.length, 0),
    Buffer.from(DEFLATED),
    meta.subarray(at + LITTLE.length),
    deflateRawSync(dataSet),
    new Uint8Array(odd),
  ]);
  longer.writeUInt32LE(longer.readUInt32LE(140) + 2, 140);
  return longer;
}

async function* chunksOf(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

async function inflatedFrom(bytes: Uint8Array, size = 1000): Promise<Buffer> {
  const pieces = [];
  for await (const piece of inflatedBody(chunksOf(bytes, size))) pieces.push(piece);
  return Buffer.concat(pieces);
}

Deno.test("inflatedBody() gives the file that was deflated, however its bytes come", async () => {
  const { bytes } = phantomSeries("short", "P")[0]!;
  for (const size of [1, 7, 1000, bytes.length]) {
    for (const odd of [0, 1]) {
      const got = await inflatedFrom(deflated(bytes, undefined, odd), size);
      assert.ok(got.equals(Buffer.from(bytes)), `${size} bytes at a time`);
    }
  }
  assert.equal(readHeader(await inflatedFrom(deflated(bytes)), "").modality, "MR");
});

Deno.test("inflatedBody() passes every other file unchanged, and one that ends early", async () => {
  const { bytes } = phantomSeries("short", "P")[0]!;
  for (const part of [bytes, bytes.subarray(132), bytes.subarray(0, 100), bytes.subarray(0, 150)]) {
    assert.ok((await inflatedFrom(part)).equals(Buffer.from(part)));
  }
  assert.equal((await inflatedFrom(new Uint8Array(0))).length, 0);
  const text = new TextEncoder().encode("no DICOM".repeat(100));
  assert.ok((await inflatedFrom(text)).equals(Buffer.from(text)));
});

Deno.test("inflatedBody() refuses a damaged data set and a bomb in words, and leaves nothing on disk", async () => {
  const { bytes } = phantomSeries("short", "P")[0]!;
  const whole = deflated(bytes), damaged = Buffer.from(whole);
  damaged.fill(0xff, metaEnd(whole) + 20);
  const bomb = deflated(bytes, new Uint8Array(1 << 28));
  assert.ok(bomb.length < 1 << 19);
  const folder = await Deno.makeTempDir({ prefix: "sulcus-inflated-" });
  try {
    const blobs = new DiskBlobs(folder);
    for (
      const [file, reason] of [
        [whole.subarray(0, -500), "truncated"],
        [damaged, "truncated"],
        [bomb, "compression"],
      ] as const
    ) {
      let most = 0;
      const body = async function* () {
        for await (const piece of inflatedBody(chunksOf(file, 64_000))) {
          most = Math.max(most, piece.length);
          yield piece;
        }
      };
      await assert.rejects(blobs.stage(body(), 1 << 29).staging, {
        code: "upload.format_not_supported",
        details: { reason, ...(reason === "compression" && { transferSyntax: DEFLATED }) },
      });
      assert.ok(most <= 5 << 20, `${most} bytes at once`);
    }
    assert.deepEqual([...Deno.readDirSync(`${folder}/incoming`)], []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
