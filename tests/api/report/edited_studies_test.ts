// No edit of a study by a physician lifts withheld percentiles or the mark of provisional ones.
// covers: S-153, S-155
import assert from "node:assert/strict";
import type { Api } from "@/client/api/http.ts";
import { getReport } from "@/client/api/report/report.ts";
import { getPatient, updatePatient } from "@/client/api/studies/patients.ts";
import { Random } from "@/model/random.ts";
import { type PatientUpdate, patientUpdate } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { insertStop } from "@/server/core/norms/storage/stops.ts";
import { saveSeriesHeader } from "@/server/core/studies/storage/series_headers.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { colleague, coreTest, openBeside } from "@/tests/sites/core_site.ts";

const SCANNER = { scanner: "Phantom 1", protocol: "t1 1 mm" };
const SINCE = "2026-03-01", STOPPED_AT = "2026-03-10T08:00:00.000Z";
const BEFORE = "2026-02-20", AFTER = "2026-03-04";

/** Studies by number: their date, its source, and the date in the header of the images. */
const STUDIES = [
  { date: AFTER, source: null, header: "20260304" },
  { date: AFTER, source: null, header: null },
  { date: AFTER, source: "series", header: "" },
  { date: null, source: null, header: "" },
  { date: AFTER, source: null, header: "2026.03.04" },
  { date: BEFORE, source: null, header: "20260220" },
] as const;
/** Number of studies that the stop concerns; the following ones are from before it. */
const STOPPED = 5;

const NO_HEADER = {
  patient_id: "",
  patient_name: "",
  birth_date: "",
  sex: "",
  study_time: "",
  accession_number: "",
  referring_physician: "",
  study_description: "",
  study_id: "",
  modality: "MR",
  series_number: "1",
  body_part: "",
  attributes: null,
} satisfies Partial<Parameters<typeof saveSeriesHeader>[2]>;

/** Stores studies of the stopped scanner, received while they were made. */
async function addStopped(db: Database): Promise<void> {
  await db.updateTable("series").set(SCANNER).execute();
  for (const [at, { date, source, header }] of STUDIES.entries()) {
    const pid = at + 1;
    await db.updateTable("patients").set({
      study_date: date,
      study_date_source: source,
      created_at: `${date ?? AFTER}T10:00:00.000Z`,
    }).where("pid", "=", pid).execute();
    if (header === null) continue;
    const { id: seriesId } = await db.selectFrom("series").select("id").where("pid", "=", pid)
      .executeTakeFirstOrThrow();
    await saveSeriesHeader(db, { pid, seriesId }, { ...NO_HEADER, study_date: header });
  }
}

/** What the report of a study says about its percentiles. */
async function statesOf(api: Api, pid: number) {
  const report = await getReport(api, pid), { warnings } = report.qc;
  return {
    isShown: JSON.stringify(report).includes('"percentile":'),
    isStopped: warnings.includes("scanner_stopped"),
    isMarked: warnings.includes("scanner_not_accepted"),
  };
}
const WITHHELD = { isShown: false, isStopped: true };

coreTest("stop rule: a study date that a physician enters does not lift it", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, STUDIES.length, 8);
  const db = await openBeside(dataDir), physician = await colleague(open, dataDir);
  await addStopped(db);
  await insertStop(db, { ...SCANNER, since: SINCE, moved: [], stoppedAt: STOPPED_AT });
  for (let pid = 1; pid <= STOPPED; pid++) {
    const before = await statesOf(api, pid);
    assert.deepEqual({ ...before, ...WITHHELD }, before, String(pid));
    const row = await getPatient(physician, pid);
    const { patient_id, patient_name, patient_sex, patient_birthdate } = row;
    await updatePatient(physician, pid, {
      patient_id,
      patient_name,
      patient_sex: patient_sex!,
      patient_birthdate: patient_birthdate!,
      study_date: "2019-05-01",
    });
    assert.equal((await getPatient(api, pid)).study_date, "2019-05-01");
    assert.equal((await getPatient(api, pid)).norm_reason, "scanner_stopped");
    assert.deepEqual(await statesOf(api, pid), before, String(pid));
  }
  await db.destroy();
});

coreTest("no edit of a study lifts withheld percentiles or the mark of provisional ones", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, STUDIES.length, 8);
  const db = await openBeside(dataDir), physician = await colleague(open, dataDir);
  await addStopped(db);
  const random = new Random(153);
  const pick = <T>(values: readonly T[]): T =>
    values[Math.floor(random.uniform() * values.length)]!;
  const fields: { [Field in keyof PatientUpdate]: () => PatientUpdate[Field] } = {
    patient_id: () => `P-${Math.floor(1e6 * random.uniform())}`,
    patient_name: () => pick(["Name 1", "Kim Minsu", "Other"]),
    patient_sex: () => pick(["male", "female"] as const),
    patient_birthdate: () => `19${40 + Math.floor(40 * random.uniform())}-05-20`,
    study_date: () =>
      `${2017 + Math.floor(12 * random.uniform())}-0${1 + Math.floor(9 * random.uniform())}-14`,
  };
  // a field that is added to the schema is edited here too
  assert.deepEqual(Object.keys(fields).sort(), Object.keys(patientUpdate.def.shape).sort());
  const edit = async (pid: number) => {
    const row = await getPatient(physician, pid);
    const present: PatientUpdate = {
      patient_id: row.patient_id,
      patient_name: row.patient_name,
      patient_sex: row.patient_sex ?? "male",
      patient_birthdate: row.patient_birthdate!,
      study_date: row.study_date ?? AFTER,
    };
    const changed = Object.entries(fields).filter(() => random.uniform() < 0.5)
      .map(([field, value]) => [field, value()]);
    await updatePatient(physician, pid, { ...present, ...Object.fromEntries(changed) });
  };
  let shown = 0;
  for (const isStopped of [false, true]) {
    if (isStopped) {
      await insertStop(db, { ...SCANNER, since: SINCE, moved: [], stoppedAt: STOPPED_AT });
    }
    for (let round = 0; round < 4; round++) {
      for (let pid = 1; pid <= STUDIES.length; pid++) {
        await edit(pid);
        const states = await statesOf(api, pid), row = JSON.stringify(await getPatient(api, pid));
        // an edit does not withhold percentiles of other studies either
        assert.equal(states.isStopped, isStopped && pid <= STOPPED, row);
        // without an age there are no percentiles that could be marked
        assert.equal(states.isMarked, states.isShown, row);
        if (states.isStopped) assert.ok(!states.isShown, row);
        if (states.isShown) shown++;
      }
    }
  }
  assert.ok(shown > 0);
  await db.destroy();
});
