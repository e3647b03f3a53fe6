// Messages of a FHIRcast hub (HL7 FHIRcast 3.0) about the study or patient that another application
// shows. A message is only a request: all values are compared with the stored study before use.
import * as z from "zod/mini";
import { NOT_IN_VALUES } from "@/model/launch/launch_link.ts";
import { isCalendarDate } from "@/model/schema/studies/study.ts";
import { type LaunchRequest, launchRequest } from "@/model/schema/studies/launch.ts";

/** Events to which this site reacts, in the spelling of the FHIRcast event catalogue. */
export const FOLLOWED_EVENTS = [
  "Patient-open",
  "Patient-close",
  "ImagingStudy-open",
  "ImagingStudy-close",
] as const;
export type FollowedEvent = (typeof FOLLOWED_EVENTS)[number];

/** Maximum length of a message in bytes: resources of a patient and a study take about 2 kB. */
export const MAX_HUB_MESSAGE_BYTES = 64 << 10;
/**
 * Maximum number of resources in a message, of identifiers in a resource, and of codings in a type.
 */
const MAX_LIST = 20, MAX_TEXT = 256, MAX_TOPIC = 512;

const word = z.string().check(z.maxLength(MAX_TEXT));
const identifierOf = z.object({
  system: z.optional(word),
  value: z.optional(word),
  type: z.optional(z.object({
    coding: z.optional(
      z.array(z.object({ code: z.optional(word) })).check(z.maxLength(MAX_LIST)),
    ),
  })),
});
type Identifier = z.infer<typeof identifierOf>;
const resource = z.object({
  resourceType: word,
  id: z.optional(word),
  identifier: z.optional(z.array(identifierOf).check(z.maxLength(MAX_LIST))),
  birthDate: z.optional(word),
  subject: z.optional(z.object({ reference: z.optional(word) })),
});
type Resource = z.infer<typeof resource>;

const confirmation = z.object({
  "hub.mode": z.enum(["subscribe", "denied"]),
  "hub.topic": z.string().check(z.maxLength(MAX_TOPIC)),
});
const notification = z.object({
  id: word.check(z.minLength(1)),
  timestamp: z.optional(z.unknown()),
  event: z.object({
    "hub.topic": z.string().check(z.maxLength(MAX_TOPIC)),
    "hub.event": word,
    context: z.unknown(),
  }),
});
const contextList = z.array(z.object({ key: word, resource: z.optional(resource) }))
  .check(z.maxLength(MAX_LIST));

/** Values of an event that identify a study or a patient; `null`: not in the message. */
export interface ContextSubject {
  patientId: string | null;
  birthDate: string | null;
  studyUid: string | null;
  accessionNumber: string | null;
}

const NO_VALUES: ContextSubject = {
  patientId: null,
  birthDate: null,
  studyUid: null,
  accessionNumber: null,
};

/** Event of another application, as received from the hub. */
export interface ContextEvent {
  id: string;
  name: FollowedEvent;
  /** time in the message, by the clock of the other application; "" if missing */
  stamp: string;
  subject: ContextSubject;
}

export type HubMessage =
  | { kind: "confirmed"; topic: string }
  | { kind: "denied"; topic: string }
  | { kind: "event"; topic: string; event: ContextEvent }
  /** an event of a kind that this site only acknowledges */
  | { kind: "other"; topic: string; id: string }
  /** `id`: identifier that the refusal must repeat; `null`: no refusal can be sent */
  | { kind: "invalid"; id: string | null };

const hasCode = ({ type }: Identifier, code: string): boolean =>
  type?.coding?.some((coding) => coding.code === code) === true;

/** Value of an identifier; `null` if empty, too long or with control characters. */
function plainValue({ value = "" }: Identifier): string | null {
  const text = value.trim();
  return text === "" || text.length > 64 || NOT_IN_VALUES.test(text) ? null : text;
}

/**
 * The value that all identifiers share; `null` if there is no value, or if the values differ,
 * because each value may identify a different patient.
 */
function oneValue(identifiers: readonly Identifier[]): string | null {
  const values = new Set(identifiers.map(plainValue));
  const [first] = values;
  return values.size === 1 && first !== undefined ? first : null;
}

/** Medical record number (HL7 table 0203, MR); without this type, the only identifier. */
function patientIdOf({ identifier = [] }: Resource): string | null {
  const records = identifier.filter((each) => hasCode(each, "MR"));
  return oneValue(records.length > 0 ? records : identifier);
}

const DICOM_UID = /^urn:oid:((?=.{1,64}$)[0-9]+(\.[0-9]+)*)$/;
function studyUidOf({ identifier = [] }: Resource): string | null {
  const uids = new Set(
    identifier.filter(({ system }) => system === "urn:dicom:uid").map(({ value = "" }) =>
      DICOM_UID.exec(value)?.[1] ?? null
    ),
  );
  const [uid] = uids;
  return uids.size === 1 && uid !== undefined ? uid : null;
}

/** Parses the resources of an event; `null` for a form that differs from the event catalogue. */
function subjectOf(name: FollowedEvent, context: unknown): ContextSubject | null {
  const list = contextList.safeParse(context);
  if (!list.success) return null;
  const ofType = (type: string) =>
    list.data.flatMap((each) => each.resource?.resourceType === type ? [each.resource] : []);
  const patients = ofType("Patient"), studies = ofType("ImagingStudy");
  const isOfStudy = name.startsWith("ImagingStudy");
  const [patient] = patients, [study] = studies;
  if (patients.length > 1 || studies.length > 1 || (isOfStudy ? !study : !patient)) return null;
  const birthDate = patient?.birthDate;
  return {
    patientId: patient ? patientIdOf(patient) : null,
    // a year alone, which FHIR allows, cannot be compared
    birthDate: birthDate !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(birthDate) &&
        isCalendarDate(birthDate)
      ? birthDate
      : null,
    studyUid: isOfStudy ? studyUidOf(study!) : null,
    accessionNumber: isOfStudy
      ? oneValue((study!.identifier ?? []).filter((each) => hasCode(each, "ACSN")))
      : null,
  };
}

const nameOf = (text: string): FollowedEvent | undefined =>
  FOLLOWED_EVENTS.find((name) => name.toLowerCase() === text.toLowerCase());

/** Identifier of an otherwise invalid message, for the refusal of the message. */
function idOf(json: unknown): string | null {
  const parsed = z.object({ id: word.check(z.minLength(1)) }).safeParse(json);
  return parsed.success ? parsed.data.id : null;
}

/**
 * Parses a message of at most {@link MAX_HUB_MESSAGE_BYTES}. An unreadable open becomes an event
 * without values: the other application shows another study, and the page informs the user.
 */
export function readHubMessage(text: string): HubMessage {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: "invalid", id: null };
  }
  const confirmed = confirmation.safeParse(json);
  if (confirmed.success) {
    const { "hub.mode": mode, "hub.topic": topic } = confirmed.data;
    return { kind: mode === "subscribe" ? "confirmed" : "denied", topic };
  }
  const notified = notification.safeParse(json);
  if (!notified.success) return { kind: "invalid", id: idOf(json) };
  const { id, timestamp, event } = notified.data, name = nameOf(event["hub.event"]);
  const topic = event["hub.topic"];
  if (name === undefined) return { kind: "other", topic, id };
  const subject = subjectOf(name, event.context) ?? (name.endsWith("-open") ? NO_VALUES : null);
  if (subject === null) return { kind: "invalid", id };
  const stamp = typeof timestamp === "string" ? timestamp.slice(0, MAX_TEXT) : "";
  return { kind: "event", topic, event: { id, name, stamp, subject } };
}

/**
 * Search for the studies of an event; `null` without a patient ID or without a study.
 * A study UID or accession number cannot be checked without a patient ID.
 */
export function requestOfContext({ name, subject }: ContextEvent): LaunchRequest | null {
  const { patientId, birthDate, studyUid, accessionNumber } = subject;
  const isOfStudy = name.startsWith("ImagingStudy");
  if (patientId === null || (isOfStudy && studyUid === null && accessionNumber === null)) {
    return null;
  }
  const parsed = launchRequest.safeParse({
    patient_id: patientId,
    birth_date: birthDate,
    study_uids: studyUid === null ? [] : [studyUid],
    accession_numbers: accessionNumber === null ? [] : [accessionNumber],
  });
  return parsed.success ? parsed.data : null;
}

/** The study on this site to which an event refers. */
export interface SharedStudy {
  pid: number;
  studyUid: string;
  patientId: string;
  birthDate: string | null;
  accessionNumbers: readonly string[];
}

const V2_TYPES = "http://terminology.hl7.org/CodeSystem/v2-0203";
const typed = (code: string, value: string) => ({
  type: { coding: [{ system: V2_TYPES, code }] },
  value,
});

/** Event for a study on this site, as sent to the hub. */
export function studyEvent(
  name: "ImagingStudy-open" | "ImagingStudy-close",
  { id, topic, nowMs }: { id: string; topic: string; nowMs: number },
  study: SharedStudy,
) {
  const patientKey = `patient-${study.pid}`;
  return {
    timestamp: new Date(nowMs).toISOString(),
    id,
    event: {
      "hub.topic": topic,
      "hub.event": name,
      context: [
        {
          key: "patient",
          resource: {
            resourceType: "Patient",
            id: patientKey,
            identifier: [typed("MR", study.patientId)],
            ...(study.birthDate === null ? {} : { birthDate: study.birthDate }),
          },
        },
        {
          key: "study",
          resource: {
            resourceType: "ImagingStudy",
            id: `study-${study.pid}`,
            status: "available",
            subject: { reference: `Patient/${patientKey}` },
            identifier: [
              { system: "urn:dicom:uid", value: `urn:oid:${study.studyUid}` },
              ...study.accessionNumbers.map((value) => typed("ACSN", value)),
            ],
          },
        },
      ],
    },
  };
}

/** Event that reports that another application's event was refused (FHIRcast 3.0, SyncError). */
export function refusalEvent(
  refused: ContextEvent,
  { id, topic, nowMs }: { id: string; topic: string; nowMs: number },
) {
  const coding = (system: string, code: string) => ({
    system: `https://fhircast.hl7.org/events/syncerror/${system}`,
    code,
  });
  return {
    timestamp: new Date(nowMs).toISOString(),
    id,
    event: {
      "hub.topic": topic,
      "hub.event": "SyncError",
      context: [{
        key: "operationoutcome",
        resource: {
          resourceType: "OperationOutcome",
          issue: [{
            severity: "warning",
            code: "processing",
            details: {
              coding: [
                coding("eventid", refused.id),
                coding("eventname", refused.name),
                coding("subscriber", "Sulcus"),
              ],
            },
          }],
        },
      }],
    },
  };
}
