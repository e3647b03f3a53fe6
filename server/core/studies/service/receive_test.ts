import assert from "node:assert/strict";
import {
  type IncomingFile,
  MAX_FILES,
  ReceivedFiles,
} from "@/server/core/studies/service/receive.ts";
import { DicomReader } from "@/server/core/dicom/worker/reader.ts";
import { deflated } from "@/tests/sites/series/deflated_file.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";

// covers: S-78
Deno.test("ReceivedFiles.take() refuses an upload of more files than it may have, and its files can be discarded", async () => {
  assert.equal(MAX_FILES, 20_000);
  const folder = await Deno.makeTempDir({ prefix: "sulcus-receive-" });
  try {
    let asked = 0;
    const files = async function* (): AsyncGenerator<IncomingFile> {
      for (;;) {
        asked++;
        const body = async function* () {
          yield await Promise.resolve(new Uint8Array(300));
        };
        yield { fileName: `${asked}.dcm`, body: body() };
      }
    };
    const received = new ReceivedFiles(3);
    await assert.rejects(received.take({ blobs: new DiskBlobs(folder) }, files()), {
      code: "input.invalid",
      details: { reason: "too_many_files", max_files: 3 },
    });
    assert.equal(asked, 4);
    await received.discard();
    assert.deepEqual([...Deno.readDirSync(`${folder}/incoming`)], []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("ReceivedFiles.take() takes no name of a file for a path", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-receive-" });
  try {
    const names = [
      "../../out.dcm",
      "/tmp/out.dcm",
      "..\\..\\out.dcm",
      "a\0b",
      "con.dcm\r\nx: y",
      "%2e%2e%2fout",
    ];
    const files = async function* (): AsyncGenerator<IncomingFile> {
      for (const fileName of names) {
        yield { fileName, body: ReadableStream.from([new Uint8Array(300)]) };
      }
    };
    const store = `${folder}/below/store`;
    await Deno.mkdir(store, { recursive: true });
    const received = new ReceivedFiles();
    await received.take({ blobs: new DiskBlobs(store) }, files());
    const staged = [...Deno.readDirSync(`${store}/incoming`)].map(({ name }) => name);
    assert.ok(staged.every((name) => /^\d+-\d+$/.test(name)), staged.join());
    await received.discard();
    // nothing beside it or above it
    assert.deepEqual([...Deno.readDirSync(store)].map(({ name }) => name), ["incoming"]);
    assert.deepEqual([...Deno.readDirSync(`${folder}/below`)].map(({ name }) => name), ["store"]);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["below"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("ReceivedFiles.take() stores deflated files inflated by a reader, and refuses bombs", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-receive-" });
  const reader = new DicomReader({ folders: [folder], log: () => {} });
  try {
    const { bytes } = phantomSeries("short", "P")[0]!;
    const sent = [
      ["plain", bytes],
      ["deflated", deflated(bytes)],
      ["bomb", deflated(bytes, new Uint8Array(1 << 27))],
      ["damaged", deflated(bytes).subarray(0, -500)],
    ] as const;
    const files = async function* (): AsyncGenerator<IncomingFile> {
      for (const [fileName, file] of sent) {
        const chunks = [file.subarray(0, 100), file.subarray(100, 300), file.subarray(300)];
        yield { fileName, body: ReadableStream.from(chunks) };
      }
    };
    const received = new ReceivedFiles();
    await received.take({ blobs: new DiskBlobs(folder), reader }, files());
    assert.deepEqual(received.files.map(({ fileName }) => fileName), ["plain", "deflated"]);
    for (const { staged } of received.files) {
      assert.ok(Buffer.from(bytes).equals(await Deno.readFile(staged.path)));
    }
    assert.deepEqual(
      received.fileErrors.failed.map((one) => [one.file_name, one.reason])
        .toSorted(),
      [["bomb", "compression"], ["damaged", "truncated"]],
    );
    await received.discard();
    assert.deepEqual([...Deno.readDirSync(`${folder}/incoming`)], []);
  } finally {
    reader.close();
    await Deno.remove(folder, { recursive: true });
  }
});
