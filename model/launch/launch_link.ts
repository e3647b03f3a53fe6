// Links by which other systems open a study: IHE RAD-106 (Invoke Image Display), and ?study=UID.
import { INVOKE_NAMES, parameterReading, STUDY_NAMES } from "@/model/launch/link_names.ts";
import { readPatientId } from "@/model/launch/linked_patient_id.ts";
import { isCalendarDate } from "@/model/schema/studies/study.ts";
import {
  type LaunchRequest,
  launchRequest,
  MAX_LAUNCH_VALUES,
} from "@/model/schema/studies/launch.ts";

/** Maximum length of a link's query in characters, as sent: about ten study UIDs. */
export const MAX_LINK_CHARS = 1000;
/** Maximum length of a query, in characters; parameters of a longer one are not compared. */
const MAX_QUERY_CHARS = 4000;
const TOO_LONG: ReadLink = { problem: { reason: "too_long", field: "" } };

export type LaunchTarget = "viewer" | "report";

/** Reason why a link cannot be read; `field` is the name of the faulty parameter. */
export interface LinkProblem {
  reason:
    | "too_long"
    | "expired"
    | "missing"
    | "repeated"
    | "invalid"
    | "misspelled"
    | "unsupported"
    | "reversed";
  field: string;
  /**
   * `unsupported`: name of the parameter to use instead. `reversed`: name of the parameter with the
   * end of the range
   */
  use?: string;
  /** `misspelled`: name of the parameter as sent */
  sent?: string;
}
export interface LaunchLink {
  request: LaunchRequest;
  target: LaunchTarget;
}
type ReadLink = LaunchLink | { problem: LinkProblem };

const VIEWERS: Readonly<Record<string, LaunchTarget>> = {
  "": "viewer",
  IHE_BIR: "viewer",
  VIEWER: "viewer",
  REPORT: "report",
};

class BadLink extends Error {
  constructor(readonly problem: LinkProblem) {
    super(`Cannot read a link: ${problem.field} is ${problem.reason}`);
  }
}
const refuse = (
  reason: LinkProblem["reason"],
  field: string,
  more: Pick<LinkProblem, "use" | "sent"> = {},
): never => {
  throw new BadLink({ reason, field, ...more });
};

/**
 * Characters that no identifier may contain: control characters, U+FFFD (invalid UTF-8), and
 * DICOM's separator and wild cards.
 */
// deno-lint-ignore no-control-regex
export const NOT_IN_VALUES = /[\u0000-\u001f\u007f-\u009f\ufffd\u2028\u2029\\*?]/;

/**
 * Values by parameter name, "" for a missing parameter. Upper and lower case are the same name.
 * Other names have no effect, but a name that resembles a documented one or means the same is
 * refused: an ignored `amp;patientID` or `mrn` would silently disable the check of the patient.
 */
function valuesOf(search: string, names: readonly string[]): Record<string, string> {
  if (search.length > MAX_LINK_CHARS) refuse("too_long", "");
  const values: Record<string, string> = {};
  for (const [sent, sentValue] of new URLSearchParams(search)) {
    const reading = parameterReading(sent, sentValue, names);
    if (reading.kind === "misspelled") refuse("misspelled", reading.name, { sent: reading.sent });
    if (reading.kind === "unsupported") refuse("unsupported", reading.name, { use: reading.use });
    if (reading.kind !== "read") continue;
    const { name } = reading, value = sentValue.trim();
    if (values[name] !== undefined) refuse("repeated", name);
    if (NOT_IN_VALUES.test(value)) refuse("invalid", name);
    // an empty patient ID would silently disable the check that the study belongs to the patient
    if (name === "patientID" && value === "") refuse("missing", name);
    values[name] = value;
  }
  return Object.fromEntries(names.map((name) => [name, values[name] ?? ""]));
}

function listOf(text: string, field: string, pattern: RegExp): string[] {
  const values = text === "" ? [] : text.split(/[,;]/).map((value) => value.trim());
  if (values.length > MAX_LAUNCH_VALUES || values.some((value) => !pattern.test(value))) {
    refuse("invalid", field);
  }
  return [...new Set(values)];
}

/** Day in a DICOM date, XML date or XML time; `null` for "". */
function dayOf(text: string, field: string): string | null {
  if (text === "") return null;
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ]?[\d:.]*(?:Z|[+-][\d:]+)?)?$/
    .exec(text) ?? [];
  const iso = `${year}-${month}-${day}`;
  return year !== undefined && isCalendarDate(iso) ? iso : refuse("invalid", field);
}

/** A patient ID as sent: only stored IDs decide whether `^` belongs to the ID. */
function patientIdOf(text: string, field: string): string | null {
  if (text === "") return null;
  return readPatientId(text) === null ? refuse("invalid", field) : text;
}

const UID = /^(?=.{1,64}$)[0-9]+(\.[0-9]+)*$/, ACCESSION = /^.{1,64}$/;

/**
 * Values of a RAD-106 link. Values of the other request type count as well: a study must match all
 * values, and an ignored one could be another patient's. Only the number of results has no effect
 * on a request for studies.
 */
function invokedValues(value: Record<string, string>, isOfPatient: boolean) {
  if (isOfPatient && value.patientID === "") refuse("missing", "patientID");
  const study_uids = listOf(value.studyUID!, "studyUID", UID),
    accession_numbers = listOf(value.accessionNumber!, "accessionNumber", ACCESSION);
  if (!isOfPatient && study_uids.length + accession_numbers.length === 0) {
    refuse("missing", "studyUID");
  }
  const count = value.mostRecentResults!;
  if (!/^([1-9]\d{0,3})?$/.test(count)) refuse("invalid", "mostRecentResults");
  const date_from = dayOf(value.lowerDateTime!, "lowerDateTime");
  const date_to = dayOf(value.upperDateTime!, "upperDateTime");
  if (date_from !== null && date_to !== null && date_from > date_to) {
    refuse("reversed", "lowerDateTime", { use: "upperDateTime" });
  }
  return {
    study_uids,
    accession_numbers,
    date_from,
    date_to,
    most_recent: count === "" || !isOfPatient ? null : Number(count),
    modalities: listOf(value.modalitiesInStudy!, "modalitiesInStudy", /^[A-Z0-9_]{1,16}$/),
  };
}

function read(work: () => LaunchLink): ReadLink {
  try {
    return work();
  } catch (error) {
    if (error instanceof BadLink) return { problem: error.problem };
    throw error;
  }
}

/**
 * Reads the query of `/IHEInvokeImageDisplay` (IHE RAD TF-2 4.106). With a study in the query,
 * `patientID` and `patientBirthDate` must match that study's patient.
 */
export const readInvokeLink = (search: string): ReadLink =>
  read(() => {
    const value = valuesOf(search, INVOKE_NAMES), type = value.requestType;
    if (type === "") refuse("missing", "requestType");
    if (type !== "STUDY" && type !== "PATIENT") refuse("invalid", "requestType");
    const target = Object.hasOwn(VIEWERS, value.viewerType!)
      ? VIEWERS[value.viewerType!]!
      : refuse("invalid", "viewerType");
    const request = launchRequest.parse({
      patient_id: patientIdOf(value.patientID!, "patientID"),
      birth_date: dayOf(value.patientBirthDate!, "patientBirthDate"),
      ...invokedValues(value, type === "PATIENT"),
    });
    return { request, target };
  });

/** Parameters of a study link, as {@link parameterReading} interprets them, even if misspelled. */
const linkReadings = (search: string) =>
  [...new URLSearchParams(search)].flatMap(([sent, value]) => {
    const reading = parameterReading(sent, value, STUDY_NAMES);
    return reading.kind === "other" ? [] : [reading];
  });

const namesStudy = (search: string): boolean =>
  linkReadings(search).some((reading) =>
    (reading.kind === "unsupported" ? reading.use : reading.name) === "study"
  );

/** Whether a link has a parameter, even if its value is empty. */
const hasParameter = (search: string, name: string): boolean =>
  linkReadings(search).some((reading) => reading.kind === "read" && reading.name === name);

/** Values of a study link that must match the study. */
function comparedValues(value: Record<string, string>) {
  return {
    study_uids: listOf(value.study!, "study", UID),
    accession_numbers: listOf(value.accessionNumber!, "accessionNumber", ACCESSION),
    patient_id: patientIdOf(value.patientID!, "patientID"),
    birth_date: dayOf(value.patientBirthDate!, "patientBirthDate"),
  };
}

/**
 * Parses the query of `/viewer` and `/report`: `study` is a Study Instance UID; `accessionNumber`,
 * `patientID` and `patientBirthDate`, if present, must match the study. Without `study`, the
 * accession number names the study, or the patient ID the patient, as in {@link readInvokeLink}.
 * `null` without these parameters.
 */
export function readStudyLink(search: string, target: LaunchTarget): ReadLink | null {
  if (search.length > MAX_QUERY_CHARS) return TOO_LONG;
  if (linkReadings(search).length === 0) return null;
  return read(() => {
    const values = comparedValues(valuesOf(search, STUDY_NAMES));
    const isWithoutStudy = values.study_uids.length === 0;
    if (isWithoutStudy && namesStudy(search)) refuse("missing", "study");
    if (isWithoutStudy && values.accession_numbers.length === 0) {
      // an empty accession number: the patient ID alone could open another study of the patient
      if (hasParameter(search, "accessionNumber")) refuse("missing", "accessionNumber");
      if (values.patient_id === null) refuse("missing", "study");
    }
    return { request: launchRequest.parse(values), target };
  });
}

/**
 * Parses the query of `/viewer/{pid}` and `/report/{pid}`. Study UID, patient ID and birth date in
 * the query must match study `pid`. `null` if the query contains none of these parameters, or if
 * `number` is not a valid study number.
 */
export function readNumberedLink(
  search: string,
  number: string | undefined,
  target: LaunchTarget,
): ReadLink | null {
  const pid = Number(number);
  if (!/^\d+$/.test(number ?? "") || !Number.isSafeInteger(pid) || pid === 0) return null;
  if (search.length > MAX_QUERY_CHARS) return TOO_LONG;
  if (linkReadings(search).length === 0) return null;
  return read(() => {
    const values = comparedValues(valuesOf(search, STUDY_NAMES));
    if (values.study_uids.length === 0 && namesStudy(search)) refuse("missing", "study");
    if (values.study_uids.length > 1) refuse("invalid", "study");
    return { request: launchRequest.parse({ pid, ...values }), target };
  });
}

/** Removes the parameters of a link from a query, and keeps the parameters of the page. */
export function withoutLink(search: string): string {
  const parameters = new URLSearchParams(search);
  for (const [sent, value] of [...parameters]) {
    if (parameterReading(sent, value, STUDY_NAMES).kind !== "other") parameters.delete(sent);
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}
