// Studies whose date or scanner is in doubt have no percentiles while a scanner is stopped.
// covers: S-153, S-155
import assert from "node:assert/strict";
import type { Api } from "@/client/api/http.ts";
import { getAcceptances } from "@/client/api/report/acceptance.ts";
import { getReport } from "@/client/api/report/report.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { reportText } from "@/model/text/report/report.ts";
import { noticeOf } from "@/report/model/page.ts";
import { insertStop } from "@/server/core/norms/storage/stops.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addRoutine, ROUTINE_PROTOCOL, ROUTINE_SCANNER } from "@/tests/sites/routine_site.ts";

const SCANNER = { scanner: ROUTINE_SCANNER, protocol: ROUTINE_PROTOCOL };
const STOP = {
  ...SCANNER,
  since: "2026-03-01",
  moved: [],
  stoppedAt: "2026-03-10T08:00:00.000Z",
};

const reasonOf = async (api: Api, pid: number) => (await getPatient(api, pid)).norm_reason;

coreTest(
  "stop rule: a study received after the stop is withheld if its date does not fit its arrival",
  async ({ api, dataDir }) => {
    await addRoutine(dataDir, 1, 0);
    const db = await openBeside(dataDir);
    await insertStop(db, STOP);
    const reasonAt = async (study_date: string | null, created_at: string) => {
      await db.updateTable("patients").set({
        study_date,
        created_at,
        patient_birthdate: null,
      })
        .execute();
      return await reasonOf(api, 1);
    };
    const SHOWN = null, WITHHELD = "scanner_stopped";
    for (
      const [studyDate, receivedAt, expected] of [
        // before the stop, and received before it: an import of older studies
        ["2026-02-20", "2026-02-20T10:00:00.000Z", SHOWN],
        ["2019-05-01", "2026-02-20T10:00:00.000Z", SHOWN],
        // received a few days after the study
        ["2026-02-28", "2026-03-10T07:00:00.000Z", SHOWN],
        ["2026-02-28", "2026-03-11T07:00:00.000Z", WITHHELD],
        // the clock was set back by years, or by weeks
        ["2016-01-01", "2026-03-11T07:00:00.000Z", WITHHELD],
        ["2026-02-15", "2026-03-30T07:00:00.000Z", WITHHELD],
        ["2026-03-20", "2026-03-20T07:00:00.000Z", WITHHELD],
      ] as const
    ) {
      const reason = await reasonAt(studyDate, receivedAt);
      assert.equal(reason ?? null, expected, `${studyDate} ${receivedAt}`);
    }
    await db.destroy();
  },
);

coreTest(
  "stop rule: a result with an unread header is withheld while a scanner is stopped, and sent again once it is read",
  async ({ api, dataDir }) => {
    await addReported(dataDir, 1, 12);
    const db = await openBeside(dataDir);
    await db.updateTable("series").set({ scanner: null, protocol: null }).execute();
    assert.equal(await reasonOf(api, 1), null);
    await insertStop(db, { ...STOP, since: null });
    assert.equal(await reasonOf(api, 1), "scanner_unread");
    for (const language of ["en", "ko"] as const) {
      const report = await getReport(api, 1, { language });
      assert.equal(noticeOf(report), reportText.scannerUnread[language]);
      assert.ok(report.qc.warnings.includes("scanner_unread"));
      assert.ok(!JSON.stringify(report).includes('"percentile":'));
    }
    // a scanner that is known and not stopped goes on, whatever its protocol
    await db.updateTable("series").set({ scanner: "GE 9" }).execute();
    assert.equal(await reasonOf(api, 1), null);
    await db.updateTable("series").set({ scanner: SCANNER.scanner }).execute();
    assert.equal(await reasonOf(api, 1), "scanner_unread");
    // read later: it names no scanner, so percentiles are shown and sent
    await getAcceptances(api);
    const { scanner } = await db.selectFrom("series").select("scanner").executeTakeFirstOrThrow();
    assert.equal(scanner, SCANNER.scanner);
    assert.equal(await reasonOf(api, 1), null);
    const changes = await db.selectFrom("result_changes").select(["pid", "cause"]).execute();
    assert.deepEqual(changes, [{ pid: 1, cause: "norms" }]);
    // of a date before the change
    await db.updateTable("series").set({ scanner: null, protocol: null }).execute();
    assert.equal(await reasonOf(api, 1), "scanner_unread");
    await db.updateTable("scanner_stops").set({ since: "2090-01-01" }).execute();
    assert.equal(await reasonOf(api, 1), null);
    await db.destroy();
  },
);
