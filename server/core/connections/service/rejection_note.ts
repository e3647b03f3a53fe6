/** Creates notes that reject sent objects, if a remote system gets no new object in their place. */
import { AppError } from "@/model/errors.ts";
import type { ResultKind } from "@/model/schema/connections/connections.ts";
import type { DicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import { rejectionNoteFile } from "@/server/core/dicom/write/key_images.ts";
import type { OutboxEntry, SentInstance } from "@/server/core/connections/storage/outbox.ts";
import { changeInstants, instantFor } from "@/server/core/connections/storage/result_changes.ts";
import { sentUnrejected } from "@/server/core/connections/storage/sent_results.ts";
import type { KnownPeer } from "@/server/core/connections/service/known_peers.ts";
import { type AnalysedStudy, analysedStudy } from "@/server/core/exports/service/analysed_study.ts";
import { researchOptions } from "@/server/core/exports/service/research.ts";
import { lesionChangesOf } from "@/server/core/reading/service/lesion_changes.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { VERSION } from "@/server/core/site/service/status.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";

/** Kinds of results that are empty after a user has deleted all lesions or lesion changes. */
const OF_FLAIR: readonly string[] = ["lesions", "outlines", "changes"] satisfies ResultKind[];
/** Kinds of results that vanish if a new analysis has no thickness or withholds percentiles. */
const OF_T1: readonly string[] = ["thickness", "percentiles"] satisfies ResultKind[];
const REMOVABLE = [...OF_FLAIR, ...OF_T1];

/** Whether objects at a remote system may have another patient ID than the current record. */
async function areMisfiled(
  { db }: ServiceContext,
  pid: number,
  sent: readonly SentInstance[],
  objects: readonly SentInstance[],
): Promise<boolean> {
  const patient = await findPatient(db, pid);
  if (!patient?.received) return false;
  const currentId = objects[0]?.patientId;
  return currentId === undefined || sent.some(({ patientId }) => patientId !== currentId);
}

/** Whether a kind of result is missing for good, not only until an analysis or comparison ends. */
async function isRemoved({ db }: ServiceContext, study: AnalysedStudy, kind: string) {
  if (OF_T1.includes(kind)) return study.t1 !== null;
  if (!study.flair || !OF_FLAIR.includes(kind)) return false;
  if (kind !== "changes") return true;
  const { pid, patient_id: patientId } = study.patient.row;
  const { state } = await lesionChangesOf(db, pid, patientId);
  return state !== "waiting" && state !== "failed";
}

/**
 * Rejection notes for objects that a remote system received under a former patient ID,
 * and for objects of a kind of result that the study no longer has.
 * @param objects Objects of that kind that are about to be sent.
 */
export async function rejectionNotes(
  services: ServiceContext,
  { config }: KnownPeer,
  entry: OutboxEntry,
  objects: readonly SentInstance[],
): Promise<DicomFile[]> {
  const { db } = services, { pid, kind } = entry;
  const sent = await sentUnrejected(db, entry);
  const isNoneMade = objects.length === 0 && REMOVABLE.includes(kind);
  if (sent.length === 0) return [];
  const mayBeMisfiled = !config.research && await areMisfiled(services, pid, sent, objects);
  if (!isNoneMade && !mayBeMisfiled) return [];
  try {
    const options = config.research ? await researchOptions(services, pid) : {};
    const study = await analysedStudy(services, pid, options);
    const { source, unedited, maker } = (study.flair ?? study.t1)!;
    const changedAt = instantFor(await changeInstants(db, pid), kind) ?? "";
    const asOf = !study.isMasked && changedAt > maker.finishedAt ? changedAt : maker.finishedAt;
    const patientIdOf = (identity: typeof source.identity) => String(identity.PatientID ?? "");
    const currentId = patientIdOf(source.identity);
    // objects sent by earlier versions of this program have the patient ID of the images
    const idOf = ({ patientId }: SentInstance) =>
      mayBeMisfiled ? patientId ?? patientIdOf(unedited.identity) : currentId;
    const byId = Map.groupBy(sent, idOf);
    const notes = [...byId].filter(([id]) => id !== currentId).map(([id, instances]) =>
      // under the former patient ID, because an archive looks for rejected objects of that patient
      rejectionNoteFile(
        { ...unedited, identity: { ...unedited.identity, PatientID: id } },
        VERSION,
        instances,
        { kind, reason: "patient", asOf },
      )
    );
    const remaining = byId.get(currentId) ?? [];
    if (isNoneMade && remaining.length > 0 && await isRemoved(services, study, kind)) {
      notes.push(rejectionNoteFile(source, VERSION, remaining, { kind, reason: "removed", asOf }));
    }
    return notes;
  } catch (error) {
    if (error instanceof AppError && error.code === "study.not_analyzed") return [];
    throw error;
  }
}
