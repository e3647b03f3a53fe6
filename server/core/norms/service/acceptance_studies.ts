import type { TestedStudy } from "@/model/acceptance/assess.ts";
import { CHARTED } from "@/model/drift/charts.ts";
import { qualityOf } from "@/model/measured/measured_study.ts";
import { gradeWithIcv, measuredIcvMm3 } from "@/model/measured/icv_basis.ts";
import { icvOfPercentiles, isIcvOdd } from "@/model/measured/region_data.ts";
import type { MeasureName } from "@/model/norms/local_norms.ts";
import type { Measure } from "@/model/norms/norms.ts";
import { measuredZ, type Method } from "@/model/norms/percentile_rank.ts";
import { type AnalysisResults, listResults } from "@/server/core/analyses/storage/analyses.ts";
import { appliedFrom, NO_RULES } from "@/server/core/norms/service/applied_norms.ts";
import { problemOf, subjectFor, valueOf } from "@/server/core/norms/service/controls.ts";
import { listUnreadSeries } from "@/server/core/norms/storage/acceptances.ts";
import { listNorms } from "@/server/core/norms/storage/local_norms.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import {
  type HeaderSource,
  protocolsOf,
  scannersOf,
} from "@/server/core/studies/service/scanners.ts";
import { readPatients, type StoredPatient } from "@/server/core/studies/storage/patients.ts";

/** Number of results read in one slice; requests are handled between slices. */
const SLICE = 50;
/**
 * Maximum number of headers read for a response; the hourly control charts read the remaining ones.
 */
const MAX_UNREAD = 500;

/** Reads scanner and protocol from the headers of results for which they are missing. */
export async function readScannerNames(services: HeaderSource): Promise<void> {
  const ids = await listUnreadSeries(services.db, MAX_UNREAD);
  await scannersOf(services, ids);
  await protocolsOf(services, ids);
}

/** z scores of a patient; with the site's local norms also their standard errors. */
function comparedWith(
  patient: StoredPatient,
  results: AnalysisResults,
  method: Method,
): Pick<TestedStudy, "z" | "normSd"> {
  const z = new Map<MeasureName, number>(), normSd = new Map<MeasureName, number>();
  for (const name of CHARTED) {
    const [measure, key] = name.split(":") as [Measure, string], value = valueOf(name, results);
    const measured = value > 0 &&
      measuredZ(measure, key, value, subjectFor(name, patient, results), method);
    if (!measured || !Number.isFinite(measured.z)) continue;
    z.set(name, measured.z);
    const local = method.localNorms?.(measure, key);
    if (local) normSd.set(name, (local.offsetSd ?? 0) / local.scale);
  }
  return { z, normSd };
}

/** Data of completed results for the acceptance criteria, in the order of the given studies. */
export async function readTested(
  services: Pick<ServiceContext, "db">,
  pids: readonly number[],
): Promise<TestedStudy[]> {
  const { db } = services, tested: TestedStudy[] = [], norms = await listNorms(db);
  for (let at = 0; at < pids.length; at += SLICE) {
    const patients = await readPatients(db, pids.slice(at, at + SLICE));
    const found = await listResults(db, patients.flatMap(({ analysisId }) => analysisId.t1 ?? []));
    for (const patient of patients) {
      const analysis = found.get(patient.analysisId.t1 ?? 0), results = analysis?.results;
      if (!analysis || !results) continue;
      const { row } = patient, { method } = appliedFrom(norms, analysis, NO_RULES);
      const isCompared = problemOf(patient, results) === null;
      const age = row.patient_age, sex = row.patient_sex;
      const { grade, warnings } = qualityOf(results), icvMm3 = measuredIcvMm3(results);
      tested.push({
        pid: row.pid,
        patientId: row.patient_id.trim(),
        studyDate: row.study_date,
        grade: gradeWithIcv(grade, isIcvOdd(icvMm3, { age, sex })),
        hasLargeVoxels: warnings.includes("voxels_large"),
        doubted: method.doubtedLabels?.size ?? 0,
        hasOpinion: method.hasOpinion,
        subject: isCompared && age !== null && sex !== null
          ? { age, sex, icvMl: icvOfPercentiles(icvMm3, { age, sex }) }
          : null,
        ...isCompared
          ? comparedWith(patient, results, method)
          : { z: new Map(), normSd: new Map() },
        values: new Map(CHARTED.map((name) => [name, valueOf(name, results)])),
      });
    }
    // pending requests are handled first
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return tested;
}
