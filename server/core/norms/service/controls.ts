import { soundAge } from "@/model/patient/plausible.ts";
import { AppError } from "@/model/errors.ts";
import { LOCAL_MEASURES, type MeasureName } from "@/model/norms/local_norms.ts";
import { labelsOf } from "@/model/regions/measures.ts";
import type { NormSubject } from "@/model/norms/norms.ts";
import { measuredZ, methodOf } from "@/model/norms/percentile_rank.ts";
import type {
  Control,
  ControlProblem,
  ControlsMarked,
  ControlsPost,
} from "@/model/schema/report/norms.ts";
import { type AnalysisResults, listResults } from "@/server/core/analyses/storage/analyses.ts";
import { patientsByLabel } from "@/server/core/studies/storage/labels.ts";
import {
  deleteControl,
  insertControls,
  listControls,
} from "@/server/core/norms/storage/local_norms.ts";
import { readPatients, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { qualityOf } from "@/model/measured/measured_study.ts";
import { measuredIcvMm3 } from "@/model/measured/icv_basis.ts";
import { icvOfPercentiles } from "@/model/measured/region_data.ts";
import { personReasonOf } from "@/model/measured/region_data.ts";
import { scannersOf } from "@/server/core/studies/service/scanners.ts";

const AT_ONCE = 100;

const LABELS = new Map(
  LOCAL_MEASURES.filter(({ measure }) => measure === "volume").map((
    { key },
  ) => [key, labelsOf(key)]),
);

/** A measure of a result to compare with norms, in mm³ or mm; 0 if it was not measured. */
export function valueOf(name: MeasureName, results: AnalysisResults): number {
  const [measure, key] = name.split(":") as ["volume" | "thickness", string];
  const { volumesMm3, thicknessMm, thicknessSidesMm: [left, right] = [0, 0] } = results;
  if (measure === "volume") {
    return key === "icv"
      ? measuredIcvMm3(results) ?? 0
      : (LABELS.get(key) ?? []).reduce((sum, label) => sum + (volumesMm3[label] ?? 0), 0);
  }
  if (key === "thickness") return left > 0 && right > 0 ? (left + right) / 2 : 0;
  return key === "thickness_left"
    ? left
    : key === "thickness_right"
    ? right
    : thicknessMm?.[Number(key)] ?? 0;
}

/** A patient's age and sex, by which norms are chosen, and the ICV for norms of volumes. */
export function subjectFor(
  name: MeasureName,
  { row }: StoredPatient,
  results: AnalysisResults,
): NormSubject {
  const age = row.patient_age!, sex = row.patient_sex!;
  const isVolume = name.startsWith("volume");
  return {
    age,
    sex,
    icvMl: isVolume ? icvOfPercentiles(measuredIcvMm3(results), { age, sex }) : null,
  };
}

/** z scores of a result for those of the measures that have published norms. */
export function publishedZ(
  patient: StoredPatient,
  results: AnalysisResults,
  measures = LOCAL_MEASURES,
): Map<MeasureName, number> {
  const method = methodOf(results);
  return new Map(measures.flatMap(({ measure, key, name }): [MeasureName, number][] => {
    const value = valueOf(name, results);
    const measured = value > 0 &&
      measuredZ(measure, key, value, subjectFor(name, patient, results), method);
    return measured && Number.isFinite(measured.z) ? [[name, measured.z]] : [];
  }));
}

/** A study that is, or may become, a control. */
interface ControlStudy {
  patient: StoredPatient;
  results: AnalysisResults | null;
  engineVersion: string | null;
  problem: ControlProblem | null;
}

/** Reason why a study cannot be a control; `null` for a suitable study. */
export function problemOf(
  { row }: StoredPatient,
  results: AnalysisResults | null,
): ControlProblem | null {
  if (!results) return "not_analyzed";
  const { grade } = qualityOf(results);
  const reason = personReasonOf({ age: soundAge(row), sex: row.patient_sex, grade });
  return reason ?? (grade === "A" || grade === "B" ? null : "quality");
}

/**
 * Studies with the facts that allow or exclude them as controls, in batches.
 * Deleted studies are left out.
 */
export async function* readControls(
  { db }: ServiceContext,
  pids: readonly number[],
): AsyncGenerator<ControlStudy[]> {
  for (let at = 0; at < pids.length; at += AT_ONCE) {
    const patients = await readPatients(db, pids.slice(at, at + AT_ONCE));
    const ids = patients.flatMap(({ analysisId: { t1 } }) => t1 ?? []),
      found = await listResults(db, ids);
    yield patients.map((patient) => {
      const { t1 } = patient.analysisId, analysis = t1 === null ? undefined : found.get(t1);
      const results = analysis?.results ?? null;
      return {
        patient,
        results,
        engineVersion: analysis?.engineVersion ?? null,
        problem: problemOf(patient, results),
      };
    });
  }
}

/** All control studies with their scanners, for the page of controls. */
export async function controlList(services: ServiceContext): Promise<Control[]> {
  const controls: Control[] = [];
  for await (const batch of readControls(services, await listControls(services.db))) {
    const scanners = await scannersOf(
      services,
      batch.flatMap(({ patient }) => patient.seriesId.t1 ?? []),
    );
    for (const { patient: { row, seriesId }, engineVersion, problem } of batch) {
      controls.push({
        pid: row.pid,
        patient_id: row.patient_id,
        patient_name: row.patient_name,
        patient_age: row.patient_age,
        patient_sex: row.patient_sex,
        study_date: row.study_date,
        scanner: (seriesId.t1 !== null && scanners.get(seriesId.t1)) || null,
        engine_version: engineVersion,
        problem,
      });
    }
  }
  return controls;
}

/**
 * Marks studies of healthy volunteers as controls: the given studies, or all with a study label.
 * @throws {AppError} `entity.not_found` for a study label without studies, `access.forbidden`,
 * `control.unsuitable` with the first study and its reason if no study is suitable.
 */
export async function markControls(
  services: ServiceContext,
  { pid_list, label_id }: ControlsPost,
  caller: Caller,
): Promise<ControlsMarked> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const pids = [...new Set(pid_list ?? (await patientsByLabel(db)).get(label_id!) ?? [])];
  if (pids.length === 0) {
    throw new AppError("entity.not_found", "Cannot mark controls: no study has the label");
  }
  const reasons = new Map<number, ControlProblem | null>();
  for await (const batch of readControls(services, pids)) {
    for (const { patient, problem } of batch) reasons.set(patient.row.pid, problem);
  }
  const marked = pids.filter((pid) => reasons.get(pid) === null);
  const excluded = pids.filter((pid) => reasons.get(pid) !== null)
    .map((pid) => ({ pid, reason: reasons.get(pid) ?? "deleted" as const }));
  if (marked.length === 0) {
    throw new AppError(
      "control.unsuitable",
      "Cannot mark controls: none of the studies can be one",
      excluded[0],
    );
  }
  await db.transaction().execute((tx) =>
    insertControls(tx, marked, { userId: caller.uid, at: nowIso() })
  );
  return { marked, excluded };
}

/**
 * Removes a study from the controls, which remains in the worklist.
 * @throws {AppError} `entity.not_found` for a study that is no control, `access.forbidden`.
 */
export async function unmarkControl(
  { db }: ServiceContext,
  pid: number,
  caller: Caller,
): Promise<void> {
  await checkMaintenance(db, caller);
  if (!await deleteControl(db, pid)) {
    throw new AppError("entity.not_found", `Cannot unmark study ${pid}: it is no control`, { pid });
  }
}
