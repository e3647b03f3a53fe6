// covers: S-115
import assert from "node:assert/strict";
import {
  CHUNK_BYTES,
  contentDigest,
  parseKey,
  sealedSize,
  sealFile,
  unsealFile,
} from "@/server/core/blobs/sealed_file.ts";

const KEY = parseKey("ab".repeat(32) + "\n"), DAMAGED = { code: "file.damaged" };

Deno.test("a sealed file opens with its key alone, whole and in order", async () => {
  const folder = await Deno.makeTempDir(), path = (name: string) => `${folder}/${name}`;
  try {
    for (const size of [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES]) {
      const content = new Uint8Array(size).map((_, i) => i * 31 + (i >> 8));
      await Deno.writeFile(path("plain"), content);
      const sealed = await sealFile(path("plain"), path("sealed"), KEY);
      const bytes = await Deno.readFile(path("sealed"));
      assert.equal(bytes.length, sealedSize(size));
      assert.equal(sealed.sizeBytes, size);
      assert.deepEqual(await unsealFile(path("sealed"), path("opened"), KEY), sealed);
      assert.ok(Buffer.compare(await Deno.readFile(path("opened")), content) === 0);
      // the same content never looks the same
      await sealFile(path("plain"), path("again"), KEY);
      assert.notDeepEqual(
        (await Deno.readFile(path("again"))).subarray(0, 24),
        bytes.subarray(0, 24),
      );

      const refuses = async (changed: Uint8Array, what: string, key = KEY) => {
        await Deno.writeFile(path("changed"), changed);
        await assert.rejects(
          contentDigest(path("changed"), { key }),
          DAMAGED,
          `${size} bytes: ${what}`,
        );
        await assert.rejects(unsealFile(path("changed"), path("nothing"), key), DAMAGED);
        await assert.rejects(Deno.stat(path("nothing")), Deno.errors.NotFound);
      };
      await refuses(bytes, "another key", parseKey("ac".repeat(32)));
      for (const at of [0, 10, 24, bytes.length - 1]) {
        const changed = bytes.slice();
        changed[at]! ^= 1;
        await refuses(changed, `a bit at ${at}`);
      }
      for (const length of [0, 23, 24, bytes.length - 1, bytes.length - 16]) {
        await refuses(bytes.subarray(0, length), `cut to ${length}`);
      }
      await refuses(new Uint8Array([...bytes.subarray(0, 30), ...bytes]), "something before it");
      await refuses(Buffer.concat([bytes, new Uint8Array(40)]), "something after it");
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("chunks of a sealed file can neither be left out, repeated nor exchanged", async () => {
  const folder = await Deno.makeTempDir(), chunk = CHUNK_BYTES + 16;
  try {
    await Deno.writeFile(`${folder}/plain`, new Uint8Array(3 * CHUNK_BYTES));
    await sealFile(`${folder}/plain`, `${folder}/sealed`, KEY);
    const bytes = await Deno.readFile(`${folder}/sealed`), head = bytes.subarray(0, 24);
    const [a, b, c] = [0, 1, 2].map((n) => bytes.subarray(24 + n * chunk, 24 + (n + 1) * chunk));
    for (const order of [[a, b], [a, c], [b, a, c], [a, a, b, c], [a, c, b], [c], [a, b, c, c]]) {
      await Deno.writeFile(
        `${folder}/changed`,
        Buffer.concat([head, ...order.map((each) => each!)]),
      );
      await assert.rejects(contentDigest(`${folder}/changed`, { key: KEY }), DAMAGED);
    }
    assert.throws(() => parseKey("too short"), { code: "input.invalid" });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
