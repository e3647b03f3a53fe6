import assert from "node:assert/strict";
import { type IncomingFile, MAX_FILES, ReceivedFiles } from "@/core/services/studies/receive.ts";
import { DiskBlobs } from "@/core/storage/blobs/blobs.ts";

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
