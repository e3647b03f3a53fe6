import { requestOfContext, type SharedStudy } from "@/model/launch/hub_message.ts";
import { AppError } from "@/model/errors.ts";
import type { ContextState, ContextStep, FollowRequest } from "@/model/schema/studies/context.ts";
import type { LaunchAnswer } from "@/model/schema/studies/launch.ts";
import { emailOf } from "@/server/core/accounts/service/users.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { findLaunched, readStudies } from "@/server/core/studies/service/launch/launch.ts";

const OFF: ContextState = { state: "off", hub: "", event_id: null };

/** State of the caller's hub connection. The connection is started if a hub is configured. */
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
 * Decides how a page follows an event of the hub, and informs the hub if it is not followed.
 * A study is opened only if its record has the patient ID of the event.
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
  // two people may have the same patient ID: without a study or accession number, the user chooses
  const isNamed = subject.studyUid !== null || subject.accessionNumber !== null;
  const action = answer.outcome === "open" && !isNamed ? "choose" : ACTIONS[answer.outcome];
  // the hub is informed only if no study can be opened; to choose a study, the page stays open
  if (action !== "choose" && action !== "open") await contextSharing.refuse(uid, event_id);
  return step(action, answer.studies);
}

/** Informs the hub that the user does not follow the event. */
export async function refuseContext(
  { contextSharing }: ServiceContext,
  eventId: string,
  { uid }: Caller,
): Promise<void> {
  await contextSharing?.refuse(uid, eventId);
}

/** Informs the hub which study the caller's page shows. @throws {AppError} `entity.not_found`. */
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
