import { openBeside } from "@/tests/sites/core_site.ts";
import type { SeriesKind } from "@/model/schema/studies/study.ts";
import {
  type AnalysisResults,
  type FlairResults,
  insertAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  insertPatient,
  type NewPatient,
  setActiveSeries,
  setLatestAnalysis,
} from "@/server/core/studies/storage/patients.ts";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { insertInstances, insertSeries } from "@/server/core/studies/storage/series.ts";

/** A study without images, for a number. */
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

/** Adds studies 1 to `count` without images to an empty core; `values` returns further values. */
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

/** Adds a series with an analysis completed at a given time, without files. */
export async function setCompleted(
  dataDir: string,
  pid: number,
  finishedAt: string,
  kind: SeriesKind = "t1",
  results: AnalysisResults | FlairResults | null = null,
): Promise<void> {
  const site = await openBeside(dataDir), createdAt = finishedAt, volumeBlob = "0".repeat(64);
  const store = async (db: Database) => {
    await insertBlobs(db, [{ hash: volumeBlob, sizeBytes: 0 }], createdAt);
    const description = kind === "t1" ? "T1w" : "FLAIR", seriesUid = `1.2.3.${pid}.${kind.at(-1)}`;
    const seriesId = await insertSeries(db, {
      pid,
      seriesUid,
      kind,
      description,
      volumeBlob,
      createdAt,
    });
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
  };
  await site.transaction().execute(store).finally(() => site.destroy());
}

/** Stores a study with small unique files that are no images. @returns the study number. */
export async function addStudyWithFiles(dataDir: string, name: string): Promise<number> {
  const db = await openBeside(dataDir),
    blobs = new DiskBlobs(`${dataDir}/blobs`, { isShared: true });
  try {
    const staged = await Promise.all(
      [1, 2, 3].map((n) =>
        blobs.stage(chunksOf(new TextEncoder().encode(`${name} ${n}`.repeat(1000))), 1e6).staging
      ),
    );
    const hold = await blobs.keep(staged), createdAt = "2026-01-06T00:00:00Z";
    return await db.transaction().execute(async (tx) => {
      const study = { ...newStudy(1), studyUid: crypto.randomUUID(), patientId: name };
      const pid = await insertPatient(tx, study);
      await insertBlobs(tx, staged, createdAt);
      const seriesId = await insertSeries(tx, {
        pid,
        seriesUid: `${name}.1`,
        kind: "t1",
        description: "T1w",
        volumeBlob: staged[0]!.hash,
        createdAt,
      });
      await insertInstances(
        tx,
        pid,
        seriesId,
        staged.slice(1).map(({ hash }) => ({ sopUid: hash, blob: hash })),
      );
      await setActiveSeries(tx, pid, "t1", seriesId);
      return pid;
    }).finally(() => hold.release());
  } finally {
    await db.destroy();
  }
}
