import type { StoredAudit } from "@/server/core/site/storage/audit.ts";

/** A coded concept: value, coding scheme, meaning. */
type Code = readonly [value: string, scheme: string, meaning: string];
/** Kind of event: code of PS3.16 CID 400, and action (create, read, update, delete, execute). */
interface EventKind {
  id: Code;
  action: "C" | "R" | "U" | "D" | "E";
  /** event type: code of PS3.16 CID 401 */
  type?: Code;
}

const dcm = (value: string, meaning: string): Code => [value, "DCM", meaning];
const AUTHENTICATION = dcm("110114", "User Authentication");
const ACCESSED = dcm("110103", "DICOM Instances Accessed");
const TRANSFERRED = dcm("110104", "DICOM Instances Transferred");
const STUDY_DELETED = dcm("110105", "DICOM Study Deleted");
const EXPORT = dcm("110106", "Export");
const IMPORT = dcm("110107", "Import");
const QUERY = dcm("110112", "Query");
const SECURITY = dcm("110113", "Security Alert");
const AUDIT_USED = dcm("110101", "Audit Log Used");
const PATIENT = dcm("110110", "Patient Record");
const PROCEDURE = dcm("110111", "Procedure Record");
const LOGIN = dcm("110122", "Login"), LOGOUT = dcm("110123", "Logout");
const SECURITY_CHANGE = dcm("110129", "Security Configuration");
const RESTRICTED = dcm("110132", "Use of Restricted Function");
const ATTRIBUTES = dcm("110137", "User security Attributes Changed");

/**
 * Kinds of events for which the standard has no code, as they concern no patient and no security.
 */
const RULES: Code = ["rules", "99SULCUS", "Norms, scanners and demo patients"];
const STATUS: Code = ["status", "99SULCUS", "Status of the server and its connections"];

/** Kinds of audit events, by event name or by the part of the name before the dot. */
const KINDS: Readonly<Record<string, EventKind>> = {
  acceptance: { id: RULES, action: "U" },
  "acceptance.view": { id: RULES, action: "R" },
  "admin.registry-export.csv": { id: EXPORT, action: "R" },
  "admin.registry-export.json": { id: EXPORT, action: "R" },
  "connection.test": { id: STATUS, action: "E" },
  "connection.view": { id: STATUS, action: "R" },
  control: { id: RULES, action: "U" },
  demo: { id: RULES, action: "C" },
  drift: { id: RULES, action: "U" },
  norm: { id: RULES, action: "U" },
  "norm.export": { id: RULES, action: "R" },
  "norm.view": { id: RULES, action: "R" },
  "status.view": { id: STATUS, action: "R" },
  stop: { id: RULES, action: "U" },
  "stop.view": { id: RULES, action: "R" },
  "reading_study.add": { id: RULES, action: "C" },
  "reading_study.answer": { id: RULES, action: "C" },
  "reading_study.export": { id: EXPORT, action: "R" },
  "reading_study.read": { id: ACCESSED, action: "R" },
  "reading_study.remove": { id: RULES, action: "D" },
  "reading_study.seen": { id: ACCESSED, action: "R" },
  "reading_study.view": { id: RULES, action: "R" },
  "access.refused": { id: SECURITY, action: "E", type: RESTRICTED },
  analysis: { id: ACCESSED, action: "C" },
  "archive.search": { id: QUERY, action: "E" },
  "archive.take": { id: TRANSFERRED, action: "C" },
  audit: { id: AUDIT_USED, action: "R" },
  auth: { id: AUTHENTICATION, action: "E", type: LOGIN },
  "auth.logout": { id: AUTHENTICATION, action: "E", type: LOGOUT },
  dicom: { id: EXPORT, action: "R" },
  export: { id: EXPORT, action: "R" },
  registry: { id: EXPORT, action: "R" },
  "image.export": { id: EXPORT, action: "R" },
  "report.download": { id: EXPORT, action: "R" },
  "report.export": { id: EXPORT, action: "R" },
  "report.print": { id: EXPORT, action: "R" },
  history: { id: ACCESSED, action: "R" },
  image: { id: ACCESSED, action: "R" },
  key_image: { id: ACCESSED, action: "U" },
  label: { id: ACCESSED, action: "U" },
  lesion: { id: ACCESSED, action: "U" },
  measurement: { id: ACCESSED, action: "U" },
  merge: { id: PATIENT, action: "U" },
  message: { id: PATIENT, action: "U" },
  patient: { id: PATIENT, action: "U" },
  report: { id: ACCESSED, action: "U" },
  "report.view": { id: ACCESSED, action: "R" },
  "result.send": { id: TRANSFERRED, action: "R" },
  study: { id: ACCESSED, action: "R" },
  password: { id: SECURITY, action: "E", type: ATTRIBUTES },
  second_factor: { id: SECURITY, action: "E", type: ATTRIBUTES },
  sign_in: { id: SECURITY, action: "E", type: ATTRIBUTES },
  user: { id: SECURITY, action: "E", type: ATTRIBUTES },
  "study.delete": { id: STUDY_DELETED, action: "D" },
  "study.purge": { id: STUDY_DELETED, action: "D" },
  "study.restore": { id: PROCEDURE, action: "U" },
  "study.update": { id: PATIENT, action: "U" },
  "study.upload": { id: IMPORT, action: "C" },
  "bin.view": { id: QUERY, action: "E" },
  "worklist.view": { id: QUERY, action: "E" },
};
/** Kind of all events without an entry above: settings, connections, commands of the server. */
const CONFIGURATION: EventKind = { id: SECURITY, action: "E", type: SECURITY_CHANGE };

/** Kind of an audit event, by its name. */
export const eventKindOf = (event: string): EventKind =>
  KINDS[event] ?? KINDS[event.split(".")[0]!] ?? CONFIGURATION;

/** Outcomes in PS3.15 A.5: success, minor failure (refused), serious failure (of the system). */
function outcomeOf(outcome: string): "0" | "4" | "8" {
  if (outcome === "ok") return "0";
  return outcome === "internal" || outcome.startsWith("storage.") ? "8" : "4";
}

/** Escapes an XML attribute or text; characters that XML 1.0 does not allow become spaces. */
const escaped = (value: string): string =>
  value.toWellFormed()
    // deno-lint-ignore no-control-regex
    .replaceAll(/[\x00-\x1f\x7f-\x9f\ufffe\uffff]/g, " ")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

type Attributes = Readonly<Record<string, string | null>>;

function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const own = Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [` ${key}="${escaped(value)}"`]
  ).join("");
  return children.length === 0
    ? `<${name}${own}/>`
    : `<${name}${own}>${children.join("")}</${name}>`;
}

const coded = (name: string, [value, scheme, meaning]: Code): string =>
  element(name, { "csd-code": value, codeSystemName: scheme, originalText: meaning });

/** Active participant of an event: the user, or this system for an event without user. */
function participants(row: StoredAudit): string[] {
  const { user_id, address } = row;
  const person = user_id === null ? [] : [
    element("ActiveParticipant", {
      UserID: `user ${user_id}`,
      UserIsRequestor: "true",
      NetworkAccessPointID: address,
      // code 2: the network access point is an IP address
      NetworkAccessPointTypeCode: address === null ? null : "2",
    }),
  ];
  const system = element("ActiveParticipant", {
    UserID: "sulcus",
    UserIsRequestor: String(user_id === null),
    NetworkAccessPointID: user_id === null ? address : null,
    NetworkAccessPointTypeCode: user_id === null && address !== null ? "2" : null,
  }, [coded("RoleIDCode", dcm("110150", "Application"))]);
  return [...person, system];
}

const detail = (type: string, value: string): string =>
  element("ParticipantObjectDetail", { type, value: Buffer.from(value).toString("base64") });

/** Identifiers of a study in an audit message. */
export interface StudyIdentity {
  studyUid: string;
  patientId: string;
}

/** A participating object in XML; the schema requires a name. */
const object = (
  attributes: Attributes,
  type: Code,
  name: string,
  details: readonly string[] = [],
): string =>
  element("ParticipantObjectIdentification", attributes, [
    coded("ParticipantObjectIDTypeCode", type),
    `<ParticipantObjectName>${escaped(name)}</ParticipantObjectName>`,
    ...details,
  ]);

/** Participating objects of an audit entry: study, patient, and the entry's number in the chain. */
function objects(row: StoredAudit, identity: StudyIdentity | null): string[] {
  const { seq, pid, details, request_id, hash } = row;
  const study = pid === null ? [] : [object(
    {
      ParticipantObjectID: identity?.studyUid ?? String(pid),
      ParticipantObjectTypeCode: "2",
      ParticipantObjectTypeCodeRole: "3",
    },
    identity ? dcm("110180", "Study Instance UID") : ["study", "99SULCUS", "Number of the study"],
    `study ${pid}`,
  )];
  const patient = !identity?.patientId ? [] : [object(
    {
      ParticipantObjectID: identity.patientId,
      ParticipantObjectTypeCode: "1",
      ParticipantObjectTypeCodeRole: "1",
    },
    ["2", "RFC-3881", "Patient Number"],
    "patient",
  )];
  const entry = object(
    {
      ParticipantObjectID: String(seq),
      ParticipantObjectTypeCode: "2",
      ParticipantObjectTypeCodeRole: "13",
    },
    ["entry", "99SULCUS", "Entry of the audit log"],
    "audit log",
    [
      detail("hash", hash),
      ...details === "{}" ? [] : [detail("details", details)],
      ...request_id === null ? [] : [detail("request", request_id)],
    ],
  );
  return [...study, ...patient, entry];
}

/**
 * An audit entry as an XML message by DICOM PS3.15 A.5.1.
 * @param identity Patient of the entry's study; `null` without a study, or for a deleted study.
 */
export function auditMessage(row: StoredAudit, identity: StudyIdentity | null): string {
  const { id, action, type } = eventKindOf(row.event);
  const event = element("EventIdentification", {
    EventActionCode: action,
    EventDateTime: row.at,
    EventOutcomeIndicator: outcomeOf(row.outcome),
  }, [
    coded("EventID", id),
    ...type ? [coded("EventTypeCode", type)] : [],
    coded("EventTypeCode", [row.event, "99SULCUS", row.event]),
    ...row.outcome === "ok"
      ? []
      : [`<EventOutcomeDescription>${escaped(row.outcome)}</EventOutcomeDescription>`],
  ]);
  // code 4: the audit source is an application server
  const source = element("AuditSourceIdentification", { AuditSourceID: "sulcus" }, [
    element("AuditSourceTypeCode", { "csd-code": "4" }),
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>${
    element("AuditMessage", {}, [event, ...participants(row), source, ...objects(row, identity)])
  }`;
}
