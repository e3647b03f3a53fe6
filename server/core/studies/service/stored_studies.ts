import { createHash } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import { isAnalyzing, type SeriesType } from "@/model/schema/studies/study.ts";
import type { StoredStudiesRequest, StoredStudiesResponse } from "@/model/schema/studies/upload.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { isSamePatient } from "@/server/core/dicom/choice/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { findPatientByStudy, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { listInstances } from "@/server/core/studies/storage/series.ts";
import {
  readSettings,
  studyScope,
  writeSettings,
} from "@/server/core/settings/storage/settings.ts";
import { unfinishedUploads } from "@/server/core/studies/storage/uploads.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { type GroupSettings, groupSettings } from "@/server/core/settings/service/settings.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import { checkDiskSpace } from "@/server/core/site/service/status.ts";

const KEY = "received";
/** Number of uploads remembered for each study; the oldest is forgotten first. */
const MAX_FINGERPRINTS = 20;

/**
 * Key of an upload's content for a study, made of all its instances and of the settings.
 * An upload with a remembered key would change nothing.
 * @param sopUids SOP Instance UIDs of all files, in any order.
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

/** Remembers the key of an upload after its chosen series were stored. */
export async function storeFingerprint(
  db: Database,
  pid: number,
  fingerprint: string,
): Promise<void> {
  const otherFingerprints = (await storedFingerprints(db, pid)).filter((one) =>
    one !== fingerprint
  );
  await writeSettings(db, studyScope(pid), {
    [KEY]: [...otherFingerprints, fingerprint].slice(-MAX_FINGERPRINTS),
  });
}

/** Whether images belong to the patient of a stored study. */
export function isPatientOf({ row, received }: StoredPatient, header: InstanceHeader): boolean {
  const stored = {
    patientId: row.patient_id,
    patientName: row.patient_name,
    birthDate: row.patient_birthdate,
  };
  const sent = { ...header, patientName: displayName(header.patientName) };
  // the record may have been corrected; images are compared with the identity they had before, too
  return isSamePatient(stored, sent) || (received !== null && isSamePatient(received, sent));
}

/** Whether a study is stored under the patient ID that the images name. */
const isOf = ({ row, received }: StoredPatient, patientId: string) =>
  patientId === row.patient_id || patientId === received?.patientId;

/** Whether browser and server decode a patient ID alike, whatever its character set. */
const isPlain = (patientId: string) => /^[\x21-\x7e]+$/.test(patientId);

type Question = StoredStudiesRequest["studies"][0];
type Refused = NonNullable<StoredStudiesResponse["refused"]>;

/**
 * Studies for which disk space is not sufficient, beginning with the first in sending order.
 */
async function withoutRoom(
  services: ServiceContext,
  { uid }: Caller,
  studies: readonly Question[],
  sizeBefore: number,
): Promise<Refused> {
  // files of the user's unfinished uploads are on disk already, and are not counted twice
  const unfinished = await unfinishedUploads(services.db, uid);
  const arrived = unfinished.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const isFull = async (size: number) => {
    try {
      await checkDiskSpace(services, Math.max(0, sizeBefore + size - arrived));
      return false;
    } catch (error) {
      if (error instanceof AppError && error.code === "storage.full") return true;
      throw error;
    }
  };
  const sizes = studies.map(({ size_bytes }) => size_bytes ?? 0);
  let total = sizes.reduce((sum, size) => sum + size, 0), fitting = studies.length;
  while (fitting > 0 && await isFull(total)) total -= sizes[--fitting]!;
  return studies.slice(fitting).map(({ study_uid }) => ({ study_uid, code: "storage.full" }));
}

/**
 * Studies of an upload that need not be sent, because sending would store nothing new:
 * every instance of the study is stored already, or was sent before under the same settings.
 * Also studies that would be refused: those being analysed, or of another patient,
 * and studies that are too large for the disk.
 */
export async function storedStudies(
  services: ServiceContext,
  caller: Caller,
  { series_type, studies, size_before = 0 }: StoredStudiesRequest,
): Promise<StoredStudiesResponse> {
  const { db } = services;
  const settings = await groupSettings(db), stored: StoredStudiesResponse["stored"] = [];
  const busy: { study_uid: string; pid: number }[] = [],
    refused: Refused = [],
    sent: Question[] = [];
  for (const question of studies) {
    const { study_uid, patient_id, instances } = question;
    const patient = await findPatientByStudy(db, study_uid);
    if (!patient || !isOf(patient, patient_id)) {
      if (patient && isPlain(patient_id)) {
        const { pid, patient_name, patient_birthdate: birth_date } = patient.row;
        const stored = { pid, patient_id: patient.row.patient_id, patient_name };
        refused.push({
          study_uid,
          code: "upload.format_not_supported",
          reason: "other_patient",
          pid,
          patient: { ...stored, ...birth_date && { birth_date } },
        });
      } else sent.push(question);
      continue;
    }
    const { pid, t1_analysis_status, t2_analysis_status } = patient.row;
    const storedInstances = await listInstances(db, pid);
    const isKnown = instances.every((uid) => storedInstances.has(uid)) ||
      (await storedFingerprints(db, pid)).includes(fingerprintOf(instances, settings, series_type));
    const is_analyzing = isAnalyzing(t1_analysis_status) || isAnalyzing(t2_analysis_status);
    if (!isKnown) {
      if (is_analyzing) busy.push({ study_uid, pid });
      else sent.push(question);
      continue;
    }
    stored.push({ study_uid, pid, is_analyzing });
  }
  refused.push(...await withoutRoom(services, caller, sent, size_before));
  return { stored, busy, refused };
}
