import assert from "node:assert/strict";
import { createLog } from "@/server/core/log.ts";
import { openLogFile } from "@/server/core/log_file.ts";

Deno.test("openLogFile() begins anew when a file is full, keeps so many, and loses no line between them", async () => {
  const folder = await Deno.makeTempDir(), path = `${folder}/logs/sulcus.log`;
  try {
    const log = createLog("info", openLogFile(path, { rotateBytes: 1000, kept: 3 }));
    for (let n = 0; n < 90; n++) log("info", "Line", { n });
    const names = [...Deno.readDirSync(`${folder}/logs`)].map(({ name }) => name).sort();
    assert.deepEqual(names, ["sulcus.log", "sulcus.log.1", "sulcus.log.2", "sulcus.log.3"]);
    const text = ["3", "2", "1"].map((n) => Deno.readTextFileSync(`${path}.${n}`)).join("") +
      Deno.readTextFileSync(path);
    const numbers = text.trimEnd().split("\n").map((line) => JSON.parse(line).n as number);
    assert.deepEqual(
      numbers,
      Array.from({ length: numbers.length }, (_, at) => 90 - numbers.length + at),
    );
    for (const name of names) assert.ok(Deno.statSync(`${folder}/logs/${name}`).size <= 1000, name);
    // a start goes on where the last one ended
    createLog("info", openLogFile(path, { rotateBytes: 100_000 }))("info", "Again");
    assert.match(Deno.readTextFileSync(path), /"n":89[^]*"Again"/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
