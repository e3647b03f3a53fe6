// covers: S-150, S-152
import assert from "node:assert/strict";
import { adminHere } from "@/tests/sites/admin_command.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { textIn } from "@/model/text.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import {
  addRoutine,
  CHARTED_LABELS,
  measureAgain,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";

Deno.test("admin accept begins a test, shows it in both languages, and notes it", async () => {
  const dataDir = await Deno.makeTempDir(), on = { SULCUS_DATA_DIR: dataDir };
  try {
    await addRoutine(dataDir, 22, 0);
    await measureAgain(dataDir, 22, 0, 3, CHARTED_LABELS);
    const run = (...words: string[]) => adminHere(on, "accept", ...words);
    assert.match(
      (await run("list")).out,
      new RegExp(`${ROUTINE_SCANNER}\t${ROUTINE_PROTOCOL}\t.*\t22\t-`),
    );
    const begun = await run("begin", ROUTINE_SCANNER, "--protocol", ROUTINE_PROTOCOL);
    assert.equal(begun.code, 0);
    for (
      const said of [
        ROUTINE_SCANNER,
        acceptanceText.volumes.en,
        acceptanceText.undecided.en,
        acceptanceText.limitsText.en,
      ]
    ) assert.ok(begun.out.includes(said), said);
    const signed = await openBeside(dataDir);
    await signed.updateTable("acceptances").set({
      decision: "volumes",
      signed_at: "2026-01-07T00:00:00.000Z",
    }).execute();
    await signed.destroy();
    const korean = await run("show", "1", "--language", "ko");
    for (
      const said of [
        textIn(acceptanceText.sheet, "ko", { id: 1 }),
        textIn(acceptanceText.inUse, "ko", { use: acceptanceText.onlyVolumes.ko }),
        textIn(acceptanceText.notInUse, "ko", { use: acceptanceText.onlyPercentiles.ko }),
      ]
    ) assert.ok(korean.out.includes(said), said);
    const chosen = await run(
      "begin",
      ROUTINE_SCANNER,
      "--protocol",
      ROUTINE_PROTOCOL,
      "--studies",
      "3,4",
    );
    // two studies are too few for any use, and the sheet says so
    const { studies, volumes, spread, untested } = acceptanceText;
    const reasons = [
      studies.en,
      ...[volumes, spread].map(({ en }) => `${en} (${untested.en})`),
    ].join("; ");
    for (
      const said of [
        textIn(acceptanceText.why, "en", { reasons }),
        textIn(acceptanceText.whyVolumes, "en", { reasons: studies.en }),
      ]
    ) assert.ok(chosen.out.includes(said), said);
    assert.equal((await run("begin", "GE 9")).code, 1);
    assert.equal((await run("show", "9")).code, 1);
    for (const wrong of [["begin"], ["show", "x"], ["list", "--language", "fr"], ["other"]]) {
      assert.equal((await run(...wrong)).code, 2, wrong.join(" "));
    }
    const db = await openBeside(dataDir);
    const events = await db.selectFrom("audit").select("event").execute();
    await db.destroy();
    assert.deepEqual(events.map(({ event }) => event), [
      "admin.accept.begin",
      "admin.accept.begin",
    ]);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
