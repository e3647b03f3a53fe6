import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { AppError } from "@/model/errors.ts";
import { makeFolders } from "@/core/storage/blobs/blob_file.ts";
import { type BlobStore, chunksOf, DiskBlobs } from "@/core/storage/blobs/blobs.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

async function withStore(body: (blobs: BlobStore, folder: string) => Promise<void>) {
  const folder = await Deno.makeTempDir();
  try {
    await body(new DiskBlobs(folder), folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("DiskBlobs.keep() puts bytes under their SHA-256", () =>
  withStore(async (blobs, folder) => {
    const staged = await blobs.stage(chunksOf(bytesOf("hello")), 100).staging;
    assert.equal(staged.hash, HELLO);
    assert.equal(staged.sizeBytes, 5);
    (await blobs.keep([staged])).release();
    assert.equal(existsSync(`${folder}/2c/f2/${HELLO}`), true);
    assert.deepEqual(await blobs.read(HELLO), bytesOf("hello"));
    assert.equal([...Deno.readDirSync(`${folder}/incoming`)].length, 0);
  }));

// covers: S-69
Deno.test("makeFolders() forces the name of every folder that it makes, and of no other", () =>
  withStore((_, folder) => {
    const path = `${folder}/site/blobs/incoming`;
    assert.deepEqual(makeFolders(path), [`${folder}/site`, `${folder}/site/blobs`, path]);
    assert.equal(Deno.statSync(`${folder}/site`).mode! & 0o777, 0o700);
    assert.deepEqual(makeFolders(path), []);
    assert.deepEqual(makeFolders(`${folder}/site/other`), [`${folder}/site/other`]);
    return Promise.resolve();
  }));

Deno.test("DiskBlobs.stream() gives a part of a blob", () =>
  withStore(async (blobs) => {
    (await blobs.keep([await blobs.stage(chunksOf(bytesOf("hello")), 100).staging])).release();
    assert.equal(await new Response(await blobs.stream(HELLO, 1, 4)).text(), "ell");
    assert.equal(await new Response(await blobs.stream(HELLO)).text(), "hello");
    assert.equal(await new Response(await blobs.stream(HELLO, 3)).text(), "lo");
  }));

// covers: S-78
Deno.test("DiskBlobs.stage() leaves nothing of a stream that breaks or is too long", () =>
  withStore(async (blobs, folder) => {
    const breaking = async function* () {
      yield bytesOf("he");
      await Promise.resolve();
      throw new AppError("input.invalid", "Cannot read: broken");
    };
    await assert.rejects(blobs.stage(breaking(), 100).staging, { code: "input.invalid" });
    await assert.rejects(blobs.stage(chunksOf(bytesOf("hello")), 4).staging, {
      code: "input.invalid",
      details: { reason: "file_too_large", max_bytes: 4 },
    });
    assert.equal([...Deno.readDirSync(`${folder}/incoming`)].length, 0);
  }));

Deno.test("DiskBlobs.remove() spares a blob that is held", () =>
  withStore(async (blobs) => {
    const lease = await blobs.keep([await blobs.stage(chunksOf(bytesOf("hello")), 100).staging]);
    blobs.remove(HELLO);
    assert.deepEqual(await blobs.read(HELLO), bytesOf("hello"));
    lease.release();
    blobs.remove(HELLO);
    await assert.rejects(blobs.read(HELLO), { code: "file.damaged" });
  }));

Deno.test("DiskBlobs.restage() gives a kept blob a second name among the staged, and is kept again", () =>
  withStore(async (blobs, folder) => {
    const first = await blobs.stage(chunksOf(bytesOf("hello")), 100).staging;
    (await blobs.keep([first])).release();
    const again = await blobs.restage(first);
    assert.equal(again.path.startsWith(`${folder}/incoming/`), true);
    assert.deepEqual(await Deno.readFile(again.path), bytesOf("hello"));
    (await blobs.keep([again])).release();
    await again.discard();
    assert.deepEqual(await blobs.read(HELLO), bytesOf("hello"));
    assert.equal([...Deno.readDirSync(`${folder}/incoming`)].length, 0);
    blobs.remove(HELLO);
    await assert.rejects(blobs.restage(first), { code: "file.damaged" });
  }));

Deno.test("DiskBlobs.sweep() removes leftovers and unknown blobs, and no other", () =>
  withStore(async (blobs, folder) => {
    (await blobs.keep([await blobs.stage(chunksOf(bytesOf("hello")), 100).staging])).release();
    const other = await blobs.stage(chunksOf(bytesOf("other")), 100).staging;
    (await blobs.keep([other])).release();
    await blobs.stage(chunksOf(bytesOf("left over")), 100).staging;
    assert.equal(await blobs.sweep((hash) => hash === HELLO), 2);
    assert.deepEqual(await blobs.read(HELLO), bytesOf("hello"));
    await assert.rejects(blobs.read(other.hash), { code: "file.damaged" });
    assert.equal([...Deno.readDirSync(`${folder}/incoming`)].length, 0);
  }));

Deno.test("DiskBlobs.read() and stream() refuse bytes that are not those that were stored, also after they were", () =>
  withStore(async (blobs, folder) => {
    const path = `${folder}/2c/f2/${HELLO}`;
    (await blobs.keep([await blobs.stage(chunksOf(bytesOf("hello")), 100).staging])).release();
    const refused = async (reason: string) => {
      for (
        const read of [() => blobs.read(HELLO), () => blobs.stream(HELLO), () => blobs.stream(HELLO, 1, 2)]
      ) {
        await assert.rejects(read, (error: AppError) => {
          assert.equal(error.code, "file.damaged");
          assert.equal(error.details.reason, reason);
          return true;
        });
      }
    };
    assert.equal(await new Response(await blobs.stream(HELLO)).text(), "hello");
    await Deno.writeTextFile(path, "hallo");
    await refused("changed");
    await Deno.writeTextFile(path, "hell");
    await refused("changed");
    await Deno.remove(path);
    await refused("missing");
    // the same bytes uploaded again mend it
    (await blobs.keep([await blobs.stage(chunksOf(bytesOf("hello")), 100).staging])).release();
    assert.equal(await new Response(await blobs.stream(HELLO, 0, 4)).text(), "hell");
  }));
