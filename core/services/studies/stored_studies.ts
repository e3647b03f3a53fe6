import { createHash } from "node:crypto";
import { isAnalyzing, type SeriesType } from "@/model/schema/studies/study.ts";
import type { StoredStudiesRequest, StoredStudiesResponse } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/core/storage/database/database.ts";
import { findPatientByStudy, type StoredPatient } from "@/core/storage/patients.ts";
import { listInstances } from "@/core/storage/series.ts";
import { readSettings, studyScope, writeSettings } from "@/core/storage/settings.ts";
import type { ServiceContext } from "@/core/services/context.ts";
import { type GroupSettings, groupSettings } from "@/core/services/settings/settings.ts";

const KEY = "received";
/** Uploads of a study that are remembered; the oldest is forgotten. */
const MAX_FINGERPRINTS = 20;

/**
 * Names what an upload brought of a study. Which series are kept depends on the whole of it and on the settings: the
 * same again would change nothing.
 * @param sopUids SOP Instance UIDs, any order.
 */
export function fingerprintOf(
  sopUids: readonly string[],
  settings: GroupSettings,
  seriesType: SeriesType | undefined,
): string {
  const rules = [settings.t1w_tag, settings.t2w_tag, settings.t1w_includes, settings.t2w_includes];
  const parts = [seriesType ?? null, rules, [...new Set(sopUids)].sort()];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

async function storedFingerprints(db: Database, pid: number): Promise<string[]> {
  const value = (await readSettings(db, studyScope(pid)))[KEY];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** Remembers an upload of which every series that was chosen is stored. */
export async function storeFingerprint(db: Database, pid: number, fingerprint: string): Promise<void> {
  const others = (await storedFingerprints(db, pid)).filter((one) => one !== fingerprint);
  await writeSettings(db, studyScope(pid), { [KEY]: [...others, fingerprint].slice(-MAX_FINGERPRINTS) });
}

/** The patient that the images name: a study stored under another one is refused, and has to be sent for that. */
const isOf = ({ row, received }: StoredPatient, patientId: string) =>
  patientId === row.patient_id || patientId === received?.patientId;

/**
 * Those of the studies that need not be sent: sending them would store nothing. Either each of their instances is
 * stored, or the same instances have been sent before under the same settings. Of the others, those that are being
 * analysed would be refused.
 */
export async function storedStudies(
  { db }: ServiceContext,
  { series_type, studies }: StoredStudiesRequest,
): Promise<StoredStudiesResponse> {
  const settings = await groupSettings(db), stored: StoredStudiesResponse["stored"] = [];
  const busy: { study_uid: string; pid: number }[] = [];
  for (const { study_uid, patient_id, instances } of studies) {
    const patient = await findPatientByStudy(db, study_uid);
    if (!patient || !isOf(patient, patient_id)) continue;
    const { pid, t1_analysis_status, t2_analysis_status } = patient.row;
    const kept = await listInstances(db, pid);
    const isKnown = instances.every((uid) => kept.has(uid)) ||
      (await storedFingerprints(db, pid)).includes(fingerprintOf(instances, settings, series_type));
    const is_analyzing = isAnalyzing(t1_analysis_status) || isAnalyzing(t2_analysis_status);
    if (!isKnown) {
      if (is_analyzing) busy.push({ study_uid, pid });
      continue;
    }
    stored.push({ study_uid, pid, is_analyzing });
  }
  return { stored, busy };
}
