// covers: S-213
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { adminHere } from "@/tests/sites/admin_command.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";

Deno.test("admin registry-export writes a file, notes it, and leaves no part of one behind", async () => {
  const dataDir = await Deno.makeTempDir(), on = { SULCUS_DATA_DIR: dataDir };
  const run = (...words: string[]) => adminHere(on, "registry-export", ...words);
  try {
    await addStudies(dataDir, 2);
    for (const pid of [1, 2]) await setCompleted(dataDir, pid, "2026-02-03T04:05:06Z");
    const file = `${dataDir}/out.json`;
    const { code, out } = await run("json", file, "--figures", "percentiles");
    assert.deepEqual([code, out], [0, `Written: ${file}\n`]);
    const { figures, studies } = JSON.parse(await Deno.readTextFile(file));
    assert.deepEqual([figures, studies.length, studies[0].report], ["percentiles", 2, undefined]);
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    assert.equal((await run("csv", `${dataDir}/out.csv`, "--texts")).code, 0);
    assert.ok(
      (await Deno.readTextFile(`${dataDir}/out.csv`)).includes("report.signed_text_withheld"),
    );
    for (
      const wrong of [
        ["json"],
        ["csv", file, "--figures", "percentiles", "--texts"],
        ["xlsx", file],
        ["csv", file, "x"],
        [
          "csv",
          file,
          "--figures",
          "both",
        ],
      ]
    ) {
      assert.equal((await run(...wrong)).code, 2, wrong.join(" "));
    }
    await assert.rejects(run("csv", `${dataDir}/missing/out.csv`));
    assert.ok(!existsSync(`${dataDir}/out.csv.part`));
    const db = await openBeside(dataDir);
    const events = await db.selectFrom("audit").select("event").execute();
    await db.destroy();
    assert.deepEqual(events.map(({ event }) => event), [
      "admin.registry-export.json",
      "admin.registry-export.csv",
    ]);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
