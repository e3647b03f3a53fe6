// covers: S-58
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { CachedFile, compressFile } from "@/server/edge/web/cached_file.ts";

Deno.test("CachedFile.open() compares bytes at first, when they were written since, and after its time", async () => {
  const path = await Deno.makeTempFile({ prefix: "sulcus-kept-" });
  const body = new Uint8Array(randomBytes(600_000));
  const sound = compressFile({ etag: '"a"' }, [body.subarray(0, 9), body.subarray(9)]),
    rotten = new Uint8Array(sound),
    hash = createHash("sha256").update(sound).digest("hex");
  rotten[rotten.length - 1]! ^= 1;
  const day = new Date("2026-01-01T00:00:00Z");
  /** Writes the file, as if it had been changed at a time. */
  const write = async (bytes: Uint8Array, changedAt: Date) => {
    await Deno.writeFile(path, bytes);
    await Deno.utime(path, changedAt, changedAt);
  };
  const read = async (kept: CachedFile) => {
    const { headers, sizeBytes, file } = await kept.open();
    assert.deepEqual([headers.get("etag"), sizeBytes], ['"a"', body.length]);
    return new Uint8Array(await new Response(file.readable).arrayBuffer());
  };
  try {
    const kept = new CachedFile(path, hash);
    await write(rotten, day);
    await assert.rejects(kept.open(), /damaged/);
    await write(sound, day);
    assert.deepEqual(await read(kept), body);
    const { mtime, atime } = await Deno.stat(path);
    assert.deepEqual(mtime, day, "reading it is no change");
    assert.ok(atime! > day, "but noted");
    // what only a worn disk does: other bytes, and no sign of it; found after the time of trust
    await write(rotten, day);
    assert.deepEqual((await read(kept)).length, body.length);
    await assert.rejects(new CachedFile(path, hash, 0).open(), /damaged/);
    await write(rotten, new Date("2026-01-01T00:00:01Z"));
    await assert.rejects(kept.open(), /damaged/);
    const brief = new CachedFile(path, hash, 0);
    await write(sound, day);
    assert.deepEqual(await read(brief), body);
    await write(rotten, day);
    await assert.rejects(brief.open(), /damaged/);
    // the length of the head, and a letter of it
    for (const at of [3, sound.indexOf(0x61, 4)]) {
      const headless = new Uint8Array(sound);
      headless[at]! ^= 1;
      await write(headless, day);
      await assert.rejects(new CachedFile(path, hash).open(), /damaged/);
    }
    await write(sound.subarray(0, 3), day);
    await assert.rejects(kept.open(), /cut off/);
  } finally {
    await Deno.remove(path);
  }
});
