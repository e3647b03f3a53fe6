import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { AppError } from "@/model/errors.ts";
import { blobPath, makeFolders } from "@/server/core/blobs/blob_file.ts";
import { type BlobStore, chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

const KEY = new Uint8Array(32).fill(7);

async function withStore(
  body: (blobs: BlobStore, folder: string) => Promise<void>,
  key: Uint8Array | null = null,
) {
  const folder = await Deno.makeTempDir();
  try {
    await body(new DiskBlobs(folder, { key }), folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A test that must hold whether files are encrypted or not. */
function storeTest(name: string, body: (blobs: BlobStore, folder: string) => Promise<void>) {
  Deno.test(name, () => withStore(body));
  Deno.test(`${name} (encrypted)`, () => withStore(body, KEY));
}

storeTest("DiskBlobs.keep() puts bytes under their SHA-256", async (blobs, folder) => {
  const staged = await blobs.stage(chunksOf(bytesOf("hello")), 100).staging;
  assert.equal(staged.hash, HELLO);
  assert.equal(staged.sizeBytes, 5);
  (await blobs.keep([staged])).release();
  assert.equal(existsSync(`${folder}/2c/f2/${HELLO}`), true);
  assert.deepEqual(await blobs.read(HELLO), bytesOf("hello"));
  assert.equal([...Deno.readDirSync(`${folder}/incoming`)].length, 0);
});

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

storeTest("DiskBlobs.stream() gives a part of a blob", async (blobs) => {
  (await blobs.keep([await blobs.stage(chunksOf(bytesOf("hello")), 100).staging])).release();
  assert.equal(await new Response(await blobs.stream(HELLO, 1, 4)).text(), "ell");
  assert.equal(await new Response(await blobs.stream(HELLO)).text(), "hello");
  assert.equal(await new Response(await blobs.stream(HELLO, 3)).text(), "lo");
});

// covers: S-78
storeTest(
  "DiskBlobs.stage() leaves nothing of a stream that breaks or is too long",
  async (blobs, folder) => {
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
  },
);

storeTest("DiskBlobs.remove() spares a blob that is held", async (blobs) => {
  const lease = await blobs.keep([await blobs.stage(chunksOf(bytesOf("hello")), 100).staging]);
  blobs.remove(HELLO);
  assert.deepEqual(await blobs.read(HELLO), bytesOf("hello"));
  lease.release();
  blobs.remove(HELLO);
  await assert.rejects(blobs.read(HELLO), { code: "file.damaged" });
});

storeTest(
  "DiskBlobs.restage() gives a kept blob a second name among the staged, and is kept again",
  async (blobs, folder) => {
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
  },
);

storeTest(
  "DiskBlobs.sweep() removes leftovers and unknown blobs, and no other",
  async (blobs, folder) => {
    (await blobs.keep([await blobs.stage(chunksOf(bytesOf("hello")), 100).staging])).release();
    const other = await blobs.stage(chunksOf(bytesOf("other")), 100).staging;
    (await blobs.keep([other])).release();
    await blobs.stage(chunksOf(bytesOf("left over")), 100).staging;
    const asked: string[] = [], rested: string[] = [];
    const named = (prefix: string) => {
      asked.push(prefix);
      return Promise.resolve(new Set(HELLO.startsWith(prefix) ? [HELLO] : []));
    };
    const rest = (prefix: string) => Promise.resolve(void rested.push(prefix));
    assert.equal(await blobs.sweepStaged(), 1);
    assert.equal(await blobs.sweep(named, Infinity, rest), 1);
    // never for all at once: a set holds 16.7 million, which 46,000 studies have
    assert.deepEqual(asked, [HELLO, other.hash].map((hash) => hash.slice(0, 4)).sort());
    assert.deepEqual(rested, asked);
    assert.deepEqual(await blobs.read(HELLO), bytesOf("hello"));
    await assert.rejects(blobs.read(other.hash), { code: "file.damaged" });
    assert.equal([...Deno.readDirSync(`${folder}/incoming`)].length, 0);
  },
);

storeTest(
  "DiskBlobs.sweep() spares what somebody keeps meanwhile, whenever its row is committed",
  async (blobs) => {
    const stage = () => blobs.stage(chunksOf(bytesOf("hello")), 100).staging;
    const sweep = (meanwhile: () => Promise<void>, beforeMs = Infinity) =>
      blobs.sweep(
        async () => {
          // the database answers with what was committed until now
          await meanwhile();
          return new Set();
        },
        beforeMs,
        () => Promise.resolve(),
      );
    const isThere = () => blobs.read(HELLO).then(() => true, () => false);
    const held = await blobs.keep([await stage()]);
    // it is listed while it is held; its row is committed after the database was asked
    assert.equal(await sweep(() => Promise.resolve(held.release())), 0);
    assert.ok(await isThere());
    // it is a leftover when it is listed, and somebody stores the same bytes before it goes
    assert.equal(await sweep(async () => (await blobs.keep([await stage()])).release()), 0);
    assert.ok(await isThere());
    // of a process beside this one, which asks nobody here
    assert.equal(await sweep(() => Promise.resolve(), Date.now() - 60_000), 0);
    assert.ok(await isThere());
    assert.equal(await sweep(() => Promise.resolve()), 1);
    assert.ok(!await isThere());
  },
);

storeTest(
  "DiskBlobs.read() and stream() refuse bytes that are not those that were stored, also after they were",
  async (blobs, folder) => {
    const path = `${folder}/2c/f2/${HELLO}`;
    (await blobs.keep([await blobs.stage(chunksOf(bytesOf("hello")), 100).staging])).release();
    const refused = async (reason: string) => {
      for (
        const read of [
          () => blobs.read(HELLO),
          () => blobs.stream(HELLO),
          () => blobs.stream(HELLO, 1, 2),
        ]
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
  },
);

Deno.test("an encrypted store holds nothing in the clear, and gives any part of a file", () =>
  withStore(async (blobs, folder) => {
    const bytes = new Uint8Array(2_500_000).map((_, i) => i * 7 + (i >> 8));
    const staged = await blobs.stage(chunksOf(bytes), Infinity).staging;
    (await blobs.keep([staged])).release();
    const path = blobPath(folder, staged.hash), sealed = await Deno.readFile(path);
    assert.equal(Buffer.from(sealed).includes(Buffer.from(bytes.subarray(1000, 1032))), false);
    assert.ok(Buffer.compare(await blobs.read(staged.hash), bytes) === 0);
    for (
      const [start, end] of [[0, 10], [1 << 20, (1 << 20) + 1], [1_000_000, 2_200_000], [
        2_499_999,
        9e9,
      ], [
        3e6,
        4e6,
      ]]
    ) {
      const part = await new Response(await blobs.stream(staged.hash, start, end)).bytes();
      assert.ok(Buffer.compare(part, bytes.subarray(start, end)) === 0, `${start} to ${end}`);
    }
    const leaving = (await blobs.stream(staged.hash)).getReader();
    await leaving.read();
    await leaving.cancel();

    // one that was stored before the encryption is read too; nothing else takes the place of another
    const other = await blobs.stage(chunksOf(bytesOf("other")), 100).staging;
    (await blobs.keep([other])).release();
    await Deno.writeTextFile(blobPath(folder, other.hash), "other");
    assert.deepEqual(await blobs.read(other.hash), bytesOf("other"));
    assert.equal(await new Response(await blobs.stream(other.hash, 1, 3)).text(), "th");
    await Deno.writeFile(blobPath(folder, other.hash), sealed);
    await assert.rejects(blobs.read(other.hash), { code: "file.damaged" });
    await assert.rejects(blobs.stream(other.hash), { code: "file.damaged" });
    sealed[sealed.length - 1]! ^= 1;
    await Deno.writeFile(path, sealed);
    await assert.rejects(blobs.stream(staged.hash, 0, 10), { code: "file.damaged" });
    // another key opens nothing
    await assert.rejects(new DiskBlobs(folder, { key: new Uint8Array(32) }).read(staged.hash), {
      code: "file.damaged",
    });
  }, KEY));
