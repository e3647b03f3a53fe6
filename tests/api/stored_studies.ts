import { openBeside } from "@/tests/api/core_site.ts";
import type { SeriesKind } from "@/model/schema/study.ts";
import { type AnalysisResults, insertAnalysis } from "@/core/storage/analyses.ts";
import { insertBlobs } from "@/core/storage/blob_index.ts";
import {
  insertPatient,
  type NewPatient,
  setActiveSeries,
  setLatestAnalysis,
} from "@/core/storage/patients.ts";
import { insertSeries } from "@/core/storage/series.ts";

/** A study without images, by its number. */
export const newStudy = (n: number): NewPatient => ({
  studyUid: `1.2.3.${n}`,
  patientId: `P-${n}`,
  patientName: `Name ${n}`,
  birthDate: "1960-05-20",
  sex: "male",
  age: 65,
  studyDate: "2026-01-05",
  createdAt: "2026-01-06T00:00:00Z",
  createdBy: null,
});

/** Rows of studies without images, pid 1 to `count` in an empty core; `values` of each by its number. */
export async function addStudies(
  dataDir: string,
  count: number,
  values: (n: number) => Partial<NewPatient> = () => ({}),
): Promise<void> {
  const db = await openBeside(dataDir);
  try {
    for (let n = 1; n <= count; n++) {
      await insertPatient(db, { ...newStudy(n), ...values(n) });
    }
  } finally {
    await db.destroy();
  }
}

/** Gives a study a T1w series whose analysis was completed at an instant, without files. */
export async function setCompleted(
  dataDir: string,
  pid: number,
  finishedAt: string,
  kind: SeriesKind = "t1",
  results: AnalysisResults | null = null,
): Promise<void> {
  const db = await openBeside(dataDir), createdAt = finishedAt, volumeBlob = "0".repeat(64);
  try {
    await insertBlobs(db, [{ hash: volumeBlob, sizeBytes: 0 }], createdAt);
    const description = "T1w", seriesUid = `1.2.3.${pid}.1`;
    const seriesId = await insertSeries(db, { pid, seriesUid, kind, description, volumeBlob, createdAt });
    await setActiveSeries(db, pid, kind, seriesId);
    const id = await insertAnalysis(db, {
      pid,
      seriesId,
      kind,
      parameters: {},
      inputHashes: [],
      requestedAt: createdAt,
      requestedBy: null,
    });
    await setLatestAnalysis(db, pid, kind, id);
    await db.updateTable("analyses").set({
      status: "completed",
      finished_at: finishedAt,
      results: results && JSON.stringify(results),
    })
      .where("id", "=", id).execute();
  } finally {
    await db.destroy();
  }
}
