// covers: S-229
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { call } from "@/client/api/http.ts";
import {
  addReadingStudy,
  answerReading,
  getReadingStudy,
  getReadingTask,
  readingExportPath,
} from "@/client/api/reading/reading_studies.ts";
import { getVolume } from "@/client/api/studies/patients.ts";
import type { ReadingRow } from "@/model/schema/reading/reading_studies.ts";
import { blobPath } from "@/server/core/blobs/blob_file.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

coreTest("a moment in which a file cannot be read marks no reading as changed", async (
  { api, open, dataDir },
) => {
  const pids = [await addReadStudy(dataDir), await addReadStudy(dataDir, { seed: 1 })];
  const db = await openBeside(dataDir);
  try {
    const credentials = { email: "first@hospital.test", password: "correct-horse-9" };
    await addQuickUser(db, { ...credentials, name: "first", role: "reader" });
    const reader = { ...open, token: (await login(open, credentials)).access_token };
    const id = await addReadingStudy(api, {
      title: "Hippocampus",
      question: "Is the hippocampus atrophic?",
      scale: "five",
      asks_decision: false,
      asks_region: false,
      arms: ["without", "with"],
      washout_days: 0,
      cases: pids.map((pid) => ({ pid, reference: null })),
      readers: [2],
    });
    const volumes = (await db.selectFrom("series").select("volume_blob").execute())
      .map(({ volume_blob }) => blobPath(`${dataDir}/blobs`, volume_blob));
    const setReadable = async (isReadable: boolean) => {
      for (const path of new Set(volumes)) {
        await (isReadable ? Deno.rename(`${path}.away`, path) : Deno.rename(path, `${path}.away`));
      }
    };
    const answer = { rating: 3, decision: null, region: null, visible_ms: 0, pauses: 0 };
    // the files are missing when a reading opens, and restored before it is answered
    for (let place = 0; place < 2 * pids.length; place++) {
      if (place === 0) await setReadable(false);
      const { reading } = await getReadingTask(reader, id);
      assert.equal(reading!.volume.scales!.t1 === null, place === 0);
      if (place === 0) await setReadable(true);
      await answerReading(reader, { id, place }, { ...answer });
    }
    const { rows } = await (await call(api, readingExportPath(id, "json"))).json();
    assert.deepEqual(rows.map((row: ReadingRow) => row.results_changed), [
      false,
      false,
      false,
      false,
    ]);
    const { cases } = await getReadingStudy(api, id);
    assert.deepEqual(cases.map(({ has_changed }) => has_changed), [false, false]);
  } finally {
    await db.destroy();
  }
});

coreTest("a window that cannot be read at the moment is read later", async ({ api, dataDir }) => {
  const pid = await addReadStudy(dataDir), db = await openBeside(dataDir);
  try {
    const { id: series_id } = await db.selectFrom("series").select("id").where("kind", "=", "t1")
      .executeTakeFirstOrThrow();
    const hash = "ab".repeat(32);
    await db.insertInto("blobs").values({ hash, size_bytes: 1, created_at: "2026-01-06" })
      .execute();
    await db.insertInto("instances").values({ pid, series_id, sop_uid: "1.2.3", blob: hash })
      .execute();
    const scale = (await getVolume(api, pid)).scales!.t1!;
    assert.deepEqual([Math.round(scale.slope), scale.window], [3, null]);
    assert.deepEqual(
      (await db.selectFrom("display_scales as s").innerJoin(
        "analyses as a",
        "a.id",
        "s.analysis_id",
      )
        .select("a.kind").execute()).map(({ kind }) => kind),
      ["t2"],
    );
  } finally {
    await db.destroy();
  }
});
