import { requestOfContext, type SharedStudy } from "@/model/launch/hub_message.ts";
import { AppError } from "@/model/errors.ts";
import type { ContextState, ContextStep, FollowRequest } from "@/model/schema/studies/context.ts";
import type { LaunchAnswer } from "@/model/schema/studies/launch.ts";
import { emailOf } from "@/server/core/accounts/service/users.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { findLaunched, readStudies } from "@/server/core/studies/service/launch/launch.ts";

const OFF: ContextState = { state: "off", hub: "", event_id: null };

/** State of the caller's connection to the hub, which is started if a hub is configured. */
export async function getContext(services: ServiceContext, caller: Caller): Promise<ContextState> {
  const { contextSharing, db } = services;
  if (!contextSharing) return OFF;
  const email = await emailOf(db, caller.uid);
  return email === null ? OFF : contextSharing.stateOf(caller.uid, email);
}

const ACTIONS: Record<LaunchAnswer["outcome"], ContextStep["action"]> = {
  open: "open",
  choose: "choose",
  none: "absent",
  deleted: "deleted",
  refused: "refused",
};
const NOT_ASKED = { patient_id: null, birth_date: null, study_uid: null, accession_number: null };

/**
 * Decides how a page follows an event of the hub, which is informed of an event not followed.
 * A study is opened only if the patient ID in the study's record is that of the event.
 */
export async function followContext(
  services: ServiceContext,
  { event_id, shown_pid, page }: FollowRequest,
  { uid }: Caller,
): Promise<ContextStep> {
  const { contextSharing } = services, event = contextSharing?.take(uid, event_id, page) ?? null;
  if (!contextSharing || event === null) return { action: "none", asked: NOT_ASKED, studies: [] };
  const { subject, name } = event, request = requestOfContext(event);
  const asked = {
    patient_id: subject.patientId,
    birth_date: subject.birthDate,
    study_uid: subject.studyUid,
    accession_number: subject.accessionNumber,
  };
  const isClose = name.endsWith("-close");
  const step = (action: ContextStep["action"], studies: ContextStep["studies"] = []) => ({
    action,
    asked,
    studies,
  });
  if (request === null) {
    if (!isClose) await contextSharing.refuse(uid, event_id);
    return step(isClose ? "none" : "unnamed");
  }
  const answer = await findLaunched(services, request);
  const showsIt = answer.outcome !== "refused" &&
    answer.studies.some(({ pid }) => pid === shown_pid);
  if (isClose) return step(showsIt ? "close" : "none", showsIt ? answer.studies : []);
  if (showsIt) return step("none");
  // a patient ID alone may have been given to two people: the reader opens the study
  const isNamed = subject.studyUid !== null || subject.accessionNumber !== null;
  const action = answer.outcome === "open" && !isNamed ? "choose" : ACTIONS[answer.outcome];
  // the studies of a patient are chosen from, and the page stays
  if (action !== "choose" && action !== "open") await contextSharing.refuse(uid, event_id);
  return step(action, answer.studies);
}

/** Informs the hub that the user stays with the shown study. */
export async function refuseContext(
  { contextSharing }: ServiceContext,
  eventId: string,
  { uid }: Caller,
): Promise<void> {
  await contextSharing?.refuse(uid, eventId);
}

/** Informs the hub which study a page of the caller shows. @throws {AppError} `entity.not_found`. */
export async function showContext(
  { contextSharing, db }: ServiceContext,
  pid: number | null,
  { uid }: Caller,
): Promise<void> {
  if (!contextSharing) return;
  if (pid === null) return await contextSharing.show(uid, null);
  const [study] = await readStudies(db, [pid]);
  if (!study) throw new AppError("entity.not_found", "Cannot share the study: it is not there");
  const shared: SharedStudy = {
    pid,
    studyUid: study.study_uid,
    patientId: study.patient_id,
    birthDate: study.birth_date,
    accessionNumbers: study.accession_numbers,
  };
  await contextSharing.show(uid, shared);
}
