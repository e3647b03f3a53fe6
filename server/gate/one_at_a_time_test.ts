import assert from "node:assert/strict";
import { oneAtATime } from "@/server/gate/one_at_a_time.ts";

Deno.test("oneAtATime() lets writers of one file not take it from each other", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-test-" }), path = `${folder}/state`;
  let count = 0;
  const write = oneAtATime(async () => {
    const text = String(++count);
    await Deno.writeTextFile(`${path}.part`, text);
    await Deno.rename(`${path}.part`, path);
  });
  try {
    await Promise.all(Array.from({ length: 50 }, write));
    assert.equal(await Deno.readTextFile(path), "1");
    await write();
    assert.equal(await Deno.readTextFile(path), "2");
    const failing = oneAtATime(() => Promise.reject(new Error(String(++count))));
    await assert.rejects(failing, /3/);
    await assert.rejects(failing, /4/, "a failure ends its turn");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
