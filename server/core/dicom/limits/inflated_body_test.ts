// covers: S-78
import assert from "node:assert/strict";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { readHeader } from "@/server/core/dicom/read/instance.ts";
import { inflatedBody } from "@/server/core/dicom/limits/inflated_body.ts";
import { inflatedPiece } from "@/server/core/dicom/worker/inflated_pieces.ts";
import { INFLATED_PIECE_BYTES } from "@/server/core/dicom/worker/read_tasks.ts";
import { DEFLATED, deflated, metaEnd } from "@/tests/sites/series/deflated_file.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

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

Deno.test("inflatedPiece() gives a file in pieces, in order, again, and from the middle", async () => {
  const { bytes } = phantomSeries("short", "P")[0]!, folder = await Deno.makeTempDir();
  try {
    const dataSet = new Uint8Array((9 << 20) + 5).map((_, i) => (i * 7919) >> 7);
    const file = deflated(bytes, dataSet), expected = await inflatedFrom(file, 50_000);
    const paths = ["a", "b"].map((name) => `${folder}/${name}`);
    for (const path of paths) await Deno.writeFile(path, file);
    const at = [0, INFLATED_PIECE_BYTES, 2 * INFLATED_PIECE_BYTES];
    const check = async (path: string, from: number) => {
      const piece = await inflatedPiece(path, from);
      const wanted = expected.subarray(from, from + INFLATED_PIECE_BYTES);
      assert.ok(wanted.equals(Buffer.from(piece)), `${path} from ${from}`);
    };
    for (const from of [...at, ...at, at[2]!, at[1]!]) await check(paths[0]!, from);
    // two files by turns, then both at the same time
    for (const from of at) for (const path of paths) await check(path, from);
    await Promise.all(paths.map((path) => check(path, at[1]!)));
    assert.equal((await inflatedPiece(paths[0]!, expected.length)).length, 0);
    await Deno.writeFile(paths[0]!, file.subarray(0, -500));
    await assert.rejects(inflatedPiece(paths[0]!, at[2]!), { details: { reason: "truncated" } });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
