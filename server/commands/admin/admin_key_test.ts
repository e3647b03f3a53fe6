import assert from "node:assert/strict";
import { parseKey } from "@/server/core/blobs/sealed_file.ts";
import { key } from "@/server/commands/admin/admin_key.ts";

Deno.test("admin key: a key that its owner alone reads, never over another and never in the data folder", async () => {
  const folder = await Deno.makeTempDir(),
    dataDir = `${folder}/data`,
    path = `${folder}/storage.key`;
  try {
    await Deno.mkdir(dataDir);
    assert.equal(await key(path, { dataDir }), 0);
    assert.equal(parseKey(await Deno.readTextFile(path)).length, 32);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o400);
    const first = await Deno.readTextFile(path);
    await assert.rejects(key(path, { dataDir }), /already exists/);
    assert.equal(await Deno.readTextFile(path), first);
    await assert.rejects(key(`${dataDir}/storage.key`, { dataDir }), /data folder/);
    await assert.rejects(
      key(`${folder}/none/storage.key`, { dataDir }),
      /the folder .+ does not exist/,
    );
    assert.equal(await key("", { dataDir }), 2);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
