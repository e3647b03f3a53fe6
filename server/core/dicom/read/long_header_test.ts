// Long headers: Siemens writes up to 101,522 bytes, and much more with sequences for each frame.
import assert from "node:assert/strict";
import { readTags } from "@/client/dicom_scan/read_tags.ts";
import { scanFile } from "@/client/dicom_scan/scan.ts";
import { deidentifyFile } from "@/server/core/dicom/deidentify/deidentify.ts";
import {
  readHeader,
  readInstanceFile,
  transferSyntaxOf,
} from "@/server/core/dicom/read/instance.ts";
import { SCANS, withScans } from "@/server/core/dicom/read/scans_testing.ts";
import { headAnswer } from "@/server/core/dicom/worker/head_answers.ts";
import { headerOfFile } from "@/server/core/dicom/worker/file_header.ts";
import { storedAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { FILLINGS, withLongHeader } from "@/tests/sites/long_header.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const KB = 1024, MB = KB * KB;
const SIZES = [
  64 * KB - 1,
  64 * KB,
  64 * KB + 1,
  100_000,
  256 * KB,
  256 * KB + 1,
  MB,
  MB + 1,
  1.5 * MB,
  Math.floor(7.9 * MB),
];
const slice = phantomSeries("short", "LONG-1")[0]!.bytes, short = readHeader(slice, "");

/** Headers of each size with each filling, before or after the identifiers. */
function* longHeaders() {
  for (const size of SIZES) {
    for (const filling of FILLINGS) {
      for (const isEarly of [false, true]) {
        const bytes = withLongHeader(slice, size, filling, isEarly);
        yield { bytes, size, name: `${filling} ${size} ${isEarly ? "early" : "late"}` };
      }
    }
  }
}

/** A file without preamble and meta information. */
const bare = (bytes: Uint8Array<ArrayBuffer>) =>
  bytes.slice(144 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(140, true));

/** Writes a file to disk, reads it and deletes it. */
async function onDisk<T>(bytes: Uint8Array, read: (path: string) => Promise<T>): Promise<T> {
  const path = await Deno.makeTempFile({ suffix: ".dcm" });
  try {
    await Deno.writeFile(path, bytes);
    return await read(path);
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("uploads and the inbox read headers of any length from disk, also of files without meta information", async () => {
  for (const { bytes, size, name } of longHeaders()) {
    for (
      const [one, offset] of [[bytes, size], [
        bare(bytes),
        size - (bytes.length - bare(bytes).length),
      ]] as const
    ) {
      const header = await onDisk(one, (path) => readInstanceFile(path, name));
      assert.deepEqual(
        [header.instanceUid, header.seriesUid],
        [short.instanceUid, short.seriesUid],
        name,
      );
      assert.equal(header.pixels!.offset, offset + 12, name);
      const { header: filed } = await onDisk(one, (path) => headerOfFile(path));
      assert.deepEqual({ ...filed, texts: {} }, { ...header, texts: {} }, name);
    }
  }
});

Deno.test("the browser finds the tags of an upload behind private blocks and sequences of any length", async () => {
  for (const { bytes, name } of longHeaders()) {
    const whole = readTags(bytes),
      scanned = await scanFile({ index: 0, file: new Blob([bytes]), isNamed: false });
    assert.ok("tags" in whole && "tags" in scanned, name);
    assert.deepEqual(scanned.tags, whole.tags, name);
    assert.equal(scanned.tags.instanceUid, short.instanceUid, name);
  }
});

Deno.test("a file without identity has no private block, however long it was", () => {
  const options = {
    key: new Uint8Array(32).fill(3),
    patient: "id:LONG-1",
    dates: "removed" as const,
  };
  for (const { bytes, name } of longHeaders()) {
    const header = readHeader(deidentifyFile(bytes, options)!, name);
    assert.notEqual(header.instanceUid, short.instanceUid, name);
    assert.deepEqual([header.rows, header.columns], [short.rows, short.columns], name);
    if (name.startsWith("private")) assert.ok(header.pixels!.offset < 16 * KB, name);
  }
});

Deno.test("a stored file is read up to its pixels and not beyond 8 MB of header", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-test-" });
  try {
    for (const key of [null, new Uint8Array(32).fill(9)]) {
      const blobs = new DiskBlobs(`${folder}/${key ? "sealed" : "clear"}`, { key });
      const keep = async (bytes: Uint8Array) => {
        const staged = await blobs.stage(chunksOf(bytes), 64 * MB).staging;
        (await blobs.keep([staged])).release();
        return staged.hash;
      };
      for (const { bytes, size, name } of longHeaders()) {
        if (name.endsWith("early")) continue;
        const hash = await keep(bytes);
        const { pixels } = await storedAnswer({ blobs }, hash, "header");
        assert.equal(pixels?.offset, size + 12, name);
        const stream = blobs.stream.bind(blobs);
        let readBytes = 0;
        blobs.stream = (...args: Parameters<typeof stream>) => {
          readBytes = Math.max(readBytes, args[2] ?? Infinity);
          return stream(...args);
        };
        const window = await storedAnswer({ blobs }, hash, "window");
        blobs.stream = stream;
        assert.deepEqual(window, headAnswer("window", slice, true, undefined)!.value, name);
        assert.ok(readBytes <= Math.max(64 * KB, 4 * (size + 12)), name);
      }
      for (const filling of FILLINGS) {
        const hash = await keep(withLongHeader(slice, 8 * MB + 2, filling));
        await assert.rejects(storedAnswer({ blobs }, hash, "scanner"), {
          code: "engine.unsupported_input",
        });
        const options = { maxBytes: Infinity };
        const { pixels } = await storedAnswer({ blobs }, hash, "header", options);
        assert.equal(pixels?.offset, 8 * MB + 14);
      }
      const text = await keep(new TextEncoder().encode("no image".repeat(100_000)));
      await assert.rejects(storedAnswer({ blobs }, text, "lossy"), {
        code: "engine.unsupported_input",
      });
      await assert.rejects(storedAnswer({ blobs }, "0".repeat(64), "lossy"), {
        code: "file.damaged",
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the beginning of a file is enough for its transfer syntax, however long its header is", () => {
  const long = withLongHeader(slice, 9 * MB);
  for (const bytes of [slice, long, bare(slice), bare(long)]) {
    assert.equal(transferSyntaxOf(bytes.subarray(0, 64 * KB)), "1.2.840.10008.1.2.1");
  }
  for (
    const bytes of [
      new Uint8Array(0),
      new Uint8Array(500),
      new TextEncoder().encode("text".repeat(500)),
    ]
  ) {
    assert.throws(() => transferSyntaxOf(bytes), { code: "upload.format_not_supported" });
  }
});

Deno.test({
  ...withScans(
    "a real Siemens slice whose pixels begin behind 64 kB is read from the disk and in the browser",
  ),
  fn: async () => {
    const folder = `${SCANS}/t1_dicom_child_siemens`, [entry] = Deno.readDirSync(folder);
    const bytes = Deno.readFileSync(`${folder}/${entry!.name}`), header = readHeader(bytes, "");
    assert.ok(header.pixels!.offset > 64 * KB);
    for (const one of [bytes, bare(bytes)]) {
      const read = await onDisk(one, async (path) => [
        (await readInstanceFile(path, "")).instanceUid,
        (await headerOfFile(path)).header.instanceUid,
      ]);
      assert.deepEqual(read, [header.instanceUid, header.instanceUid]);
    }
    const scanned = await scanFile({ index: 0, file: new Blob([bytes]), isNamed: false });
    assert.ok("tags" in scanned && scanned.tags.seriesUid === header.seriesUid);
  },
});
