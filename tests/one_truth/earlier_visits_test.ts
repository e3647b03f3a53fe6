// covers: S-191
import assert from "node:assert/strict";
import { countersignAcceptance } from "@/client/api/report/acceptance.ts";
import { getReport } from "@/client/api/report/report.ts";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { trajectoryText } from "@/model/text/report/report_trajectory.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { saveLongitudinal } from "@/server/core/analyses/storage/longitudinal.ts";
import { comparableVisits } from "@/server/core/analyses/service/comparable_visits.ts";
import { insertStop } from "@/server/core/norms/storage/stops.ts";
import { flat } from "@/server/core/reports/service/sheet_cells.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addSignedAcceptance } from "@/tests/sites/norms/accepted_scanner.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

const VISITS = [1, 2, 3], STOPPED = "Scanner stopped", OTHER = "Scanner in use";
const dateOf = (pid: number) => `202${pid}-01-05`;
const SCANNERS: Record<number, string> = { 1: STOPPED, 2: OTHER, 3: OTHER };
const AT = "2026-02-01T00:00:00.000Z";

coreTest(
  "the report of a study withholds and marks the percentiles of another one as the report of that one does",
  async ({ api, dataDir }) => {
    await addReported(dataDir, VISITS.length, 12);
    const db = await openBeside(dataDir);
    for (const pid of VISITS) {
      await db.updateTable("patients").set({
        patient_id: "P-1",
        study_date: dateOf(pid),
        patient_age: 59 + pid,
      })
        .where("pid", "=", pid).execute();
      await db.updateTable("series").set({ scanner: SCANNERS[pid]!, protocol: "T1w" })
        .where("pid", "=", pid).execute();
    }
    const [compared = []] = await comparableVisits(db, "P-1");
    await saveLongitudinal(db, "P-1", {
      visits: compared.map(({ pid, analysisId, studyDate }) => ({ pid, analysisId, studyDate })),
      engineVersion: "e",
      errorCode: null,
      finishedAt: AT,
      results: {
        icvMm3: 1_400_000,
        visits: VISITS.map((pid) => ({
          pid,
          studyDate: dateOf(pid),
          volumesMm3: Array.from({ length: 105 }, (_, label) => label === 0 ? 0 : 1000 + 10 * pid),
          thicknessMm: [],
          sideMm: [2.5, 2.5] as [number, number],
          differences: [],
        })),
      },
    });
    const states = new Set<string>();
    const agree = async () => {
      for (const language of LANGUAGES) {
        const reports = await Promise.all(VISITS.map((pid) => getReport(api, pid, { language })));
        const stateOf = (pid: number) => {
          const { reference, qc } = reports[VISITS.indexOf(pid)]!;
          return reference.reason ??
            (qc.warnings.includes("scanner_not_accepted") ? "provisional" : "compared");
        };
        for (const report of reports) {
          if (stateOf(report.pid) === "scanner_stopped") {
            assert.equal(report.trajectory, undefined);
            continue;
          }
          const words = flat(reportSheetsOf({ ...report, page_list: [1, 64] }));
          for (const { pid, percentiles, is_stopped, is_provisional } of report.trajectory!) {
            const state = stateOf(pid), all = Object.values(percentiles);
            states.add(state);
            assert.equal(all.every((one) => one === null), state === "scanner_stopped");
            assert.equal(is_stopped ?? false, state === "scanner_stopped");
            assert.equal(is_provisional ?? false, state === "provisional");
          }
          for (
            const [state, text] of [
              ["scanner_stopped", trajectoryText.stopped],
              ["provisional", trajectoryText.provisional],
            ] as const
          ) {
            const of = VISITS.filter((pid) => stateOf(pid) === state);
            const dates = of.map(dateOf).join(", ");
            const isAll = state === "provisional" && of.length === VISITS.length;
            const isPrinted = words.includes(textIn(text, language, { dates }));
            assert.equal(isPrinted, dates !== "" && !isAll, `${language}, ${state}: ${dates}`);
            if (state === "scanner_stopped") continue;
            assert.equal(words.includes(trajectoryText.allProvisional[language]), isAll);
          }
        }
      }
    };
    // without an acceptance test, all percentiles are marked as provisional
    await agree();
    assert.deepEqual([...states], ["provisional"]);
    const test = { protocol: "T1w", engineVersion: "sulcus-engine 0.1.0", pids: [1] };
    for (const scanner of [STOPPED, OTHER]) {
      await countersignAcceptance(api, await addSignedAcceptance(db, { ...test, scanner }));
    }
    await agree();
    await insertStop(db, {
      scanner: STOPPED,
      protocol: "T1w",
      since: null,
      moved: [],
      stoppedAt: AT,
    });
    await agree();
    assert.deepEqual([...states].sort(), ["compared", "provisional", "scanner_stopped"]);
    await db.destroy();
  },
);
