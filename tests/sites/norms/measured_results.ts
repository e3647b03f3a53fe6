// Completed T1w results of many studies, written in bulk: to compute control charts of them.
import heads from "@/bench/truth/measured_heads.json" with { type: "json" };
import { Random } from "@/model/random.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import type { Database } from "@/server/core/database/database.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const CHUNK = 200, BLOB = "0".repeat(64), AT = "2026-01-06T00:00:00Z";
export const MEASURED_ENGINE = "sulcus-engine 0.1.0", MEASURED_PROTOCOL = "3 T, TR 2300";

/** Results of a real head of 105 labels, each changed by the person and the measurement. */
function resultsOf(random: Random): string {
  const { oursMm3, icvMm3 } = heads[0]!, person = 0.05 * random.normal();
  const factor = () => Math.exp(person + 0.08 * random.normal());
  const thickness = () => Math.round(100 * (2.5 + 0.15 * random.normal())) / 100;
  const quality = { grade: "A", warnings: [], ncc: 0.9, lncc: 0.6, cnr: 40, snr: 120 };
  return JSON.stringify({
    shape: [256, 256, 256],
    rasFromIjkRows: [1, 0, 0, -128, 0, 1, 0, -128, 0, 0, 1, -128, 0, 0, 0, 1],
    volumesMm3: oursMm3.map((mm3) => Math.round(mm3 * factor())),
    icvMm3,
    quality,
    thicknessMm: oursMm3.map(thickness),
    thicknessSidesMm: [thickness(), thickness()],
  });
}

interface Measured {
  /** number of scanners, which measure in turn; by default one */
  scanners?: number;
  /** first pid and analysis; by default 1 */
  first?: number;
  /** day of a study since the beginning of 2015, by its pid; by default 30 studies a day */
  dayOf?: (pid: number) => number;
}

/** Adds `count` studies with one completed result each; the analysis has the number of the study. */
export async function addMeasured(
  db: Database,
  count: number,
  { scanners = 1, first = 1, dayOf = (pid) => Math.floor(pid / 30) }: Measured = {},
): Promise<void> {
  const random = new Random(first), end = first + count;
  await insertBlobs(db, [{ hash: BLOB, sizeBytes: 0 }], AT);
  for (let from = first; from < end; from += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, end - from) }, (_, n) => from + n);
    await db.transaction().execute((tx) => addChunk(tx, numbers, { scanners, dayOf }, random));
  }
}

async function addChunk(
  db: Database,
  numbers: readonly number[],
  { scanners, dayOf }: Required<Pick<Measured, "scanners" | "dayOf">>,
  random: Random,
): Promise<void> {
  const study = newStudy(1), dayMs = 86_400_000;
  await db.insertInto("patients").values(numbers.map((n) => ({
    pid: n,
    study_uid: `1.2.3.${n}`,
    patient_id: `P-${n}`,
    patient_name: `Name ${n}`,
    patient_birthdate: study.birthDate,
    patient_sex: study.sex,
    patient_age: 45 + Math.floor(40 * random.uniform()),
    study_date: new Date(Date.UTC(2015) + dayMs * dayOf(n)).toISOString().slice(0, 10),
    created_at: AT,
  }))).execute();
  await db.insertInto("series").values(numbers.map((n) => ({
    id: n,
    pid: n,
    series_uid: `1.2.3.${n}.1`,
    kind: "t1" as const,
    description: "T1w",
    volume_blob: BLOB,
    created_at: AT,
    scanner: `SIEMENS ${n % scanners}`,
    protocol: MEASURED_PROTOCOL,
    coil: "Head_32",
  }))).execute();
  await db.insertInto("analyses").values(numbers.map((n) => ({
    id: n,
    pid: n,
    series_id: n,
    kind: "t1" as const,
    status: "completed" as const,
    engine_version: MEASURED_ENGINE,
    parameters: "{}",
    input_hashes: "[]",
    requested_at: AT,
    finished_at: AT,
    results: resultsOf(random),
  }))).execute();
  await db.updateTable("patients").set((e) => ({
    t1_series_id: e.ref("pid"),
    t1_analysis_id: e.ref("pid"),
  }))
    .where("pid", ">=", numbers[0]!).where("pid", "<=", numbers.at(-1)!).execute();
}
