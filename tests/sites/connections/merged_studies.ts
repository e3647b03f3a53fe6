// Fixture: analysed studies with orders and queued results of two patients, for merge tests.
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { writePeer } from "@/server/core/connections/storage/peers.ts";
import { insertAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import type { Database } from "@/server/core/database/database.ts";
import { noteAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import {
  insertPatient,
  setActiveSeries,
  setLatestAnalysis,
} from "@/server/core/studies/storage/patients.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";
import { volumesAt } from "@/server/core/reports/service/report_fixture.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

export const AT = "2026-01-06T00:00:00Z";
const BLOB = "0".repeat(64);
const PEER = {
  name: "PACS",
  kind: "dicom" as const,
  config: { ae_title: "PACS", host: "127.0.0.1", port: 104, results: ["report", "measurements"] },
  secret: null,
};

/**
 * Adds an analysed study with an accession number, and queues its results for a PACS.
 * @param day Day of January 2026, from 1.
 */
export async function addStudy(
  tx: Database,
  n: number,
  patientId: string,
  day = n,
): Promise<void> {
  const study = {
    ...newStudy(n),
    patientId,
    patientName: "Doe Jane",
    studyDate: `2026-01-${String(day).padStart(2, "0")}`,
  };
  const pid = await insertPatient(tx, study);
  const seriesId = await insertSeries(tx, {
    pid,
    seriesUid: `1.2.3.${n}.1`,
    kind: "t1",
    description: "T1w",
    volumeBlob: BLOB,
    createdAt: AT,
  });
  await setActiveSeries(tx, pid, "t1", seriesId);
  const id = await insertAnalysis(tx, {
    pid,
    seriesId,
    kind: "t1",
    parameters: {},
    inputHashes: [],
    requestedAt: AT,
    requestedBy: null,
  });
  await setLatestAnalysis(tx, pid, "t1", id);
  const icvMl = 1580 + day;
  const results = {
    volumesMm3: volumesAt((label) => label === 19 ? -1 - day / 20 : 0, {
      age: 65,
      sex: "male",
      icvMl,
    }),
    icvMm3: 1000 * icvMl,
    quality: { grade: "A", warnings: [] },
  };
  await tx.updateTable("analyses")
    .set({ status: "completed", grade: "A", finished_at: AT, results: JSON.stringify(results) })
    .where("id", "=", id).execute();
  await queueResults(tx, pid);
  await noteAccession(tx, pid, `A${n}`);
}

/** Adds the PACS, and the file to which all series refer. */
export async function addArchive(db: Database): Promise<void> {
  await writePeer(db, null, PEER, AT);
  await insertBlobs(db, [{ hash: BLOB, sizeBytes: 0 }], AT);
}

/** The patient in the messages. */
export const person = { name: "Doe^Jane", birth: "19600520", sex: "M" };
