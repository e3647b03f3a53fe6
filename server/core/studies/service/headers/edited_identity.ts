/** Patient and study attributes in DICOM objects that are sent to other systems. */
import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";

const SEX = { male: "M", female: "F" } as const;
const dicomDate = (iso: string) => iso.replaceAll("-", "");
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "");

/** One component group of an edited name; its words go to the same components as in the images. */
function editedGroup(edited: string, imageGroup: string): string {
  const words = wordsOf(edited), components = imageGroup.split("^").map(wordsOf);
  const count = components.reduce((sum, component) => sum + component.length, 0);
  if (count !== words.length) return words.join(" ");
  return components.map((component) => words.splice(0, component.length).join(" ")).join("^");
}

/**
 * Converts an edited name to a DICOM person name (PS3.5, 6.2); a name typed with `^` is unchanged.
 * In the record, spaces separate the components of a name, and " / " separates its groups.
 * A name with another number of words than in the images becomes a family name.
 */
export function editedName(edited: string, imageName: string): string {
  const text = edited.replaceAll("\\", " ");
  if (/[=^]/.test(text)) return text;
  // the record contains equal component groups of a name only once
  const imageGroups = imageName.split("=");
  const isSplit = text.includes(" / ") && text.split(" / ").length === imageGroups.length;
  if (isSplit) {
    return text.split(" / ").map((group, n) => editedGroup(group, imageGroups[n]!)).join("=");
  }
  return editedGroup(text.replaceAll(" / ", " "), imageGroups[0]!);
}

/** Patient and study date in a study's record, with the identity before edits. */
export interface EditedRecord extends Pick<StoredPatient, "received"> {
  row: Pick<
    StoredPatient["row"],
    | "patient_id"
    | "patient_name"
    | "patient_birthdate"
    | "patient_sex"
    | "patient_age"
    | "study_date"
    | "study_date_source"
  >;
}

/**
 * Attributes of the images, in which edits of the study's record replace the original values.
 * Results must not be sent under a name or number that was corrected.
 */
export function editedIdentity(identity: Dataset, { row, received }: EditedRecord): Dataset {
  if (received === null) return identity;
  const edited: Record<string, string> = {};
  if (row.patient_id !== received.patientId) {
    edited.PatientID = row.patient_id.replaceAll("\\", " ");
  }
  if (row.patient_name !== received.patientName) {
    edited.PatientName = editedName(row.patient_name, String(identity.PatientName ?? ""));
  }
  if (row.patient_birthdate !== null && row.patient_birthdate !== received.birthDate) {
    edited.PatientBirthDate = dicomDate(row.patient_birthdate);
  }
  if (row.patient_sex !== null && SEX[row.patient_sex] !== identity.PatientSex) {
    edited.PatientSex = SEX[row.patient_sex];
  }
  // a study date taken from the series is not an edit
  if (row.study_date !== null && !row.study_date_source) {
    const date = dicomDate(row.study_date);
    if (date !== identity.StudyDate) edited.StudyDate = date;
  }
  const { PatientAge: age, ...ageless } = identity;
  const isAgeEdited = edited.PatientBirthDate !== undefined || edited.StudyDate !== undefined;
  if (age === undefined || !isAgeEdited) return { ...identity, ...edited };
  return {
    ...ageless,
    ...edited,
    ...row.patient_age === null
      ? {}
      : { PatientAge: `${String(Math.floor(row.patient_age)).padStart(3, "0")}Y` },
  };
}

/** Attributes that an edit of the record can change: keyword, tag and VR. */
const ATTRIBUTES = [
  ["StudyDate", "00080020", "DA"],
  ["PatientName", "00100010", "PN"],
  ["PatientID", "00100020", "LO"],
  ["PatientBirthDate", "00100030", "DA"],
  ["PatientSex", "00100040", "CS"],
  ["PatientAge", "00101010", "AS"],
] as const;

const GROUPS = ["Alphabetic", "Ideographic", "Phonetic"] as const;

/** A value of a person name in DICOM JSON, as groups separated by `=`. */
function groupsOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const groups = GROUPS.map((group) => (value as Record<string, string>)[group] ?? "");
  return groups.slice(0, groups.findLastIndex((group) => group !== "") + 1).join("=");
}

const jsonName = (name: string) =>
  Object.fromEntries(name.split("=").flatMap((text, n) => text ? [[GROUPS[n], text]] : []));

/** DICOM JSON of an image with the study's edits, see {@link editedIdentity}. */
export function withEditsInJson(json: JsonDataSet, record: EditedRecord): JsonDataSet {
  if (record.received === null) return json;
  const identity = Object.fromEntries(ATTRIBUTES.flatMap(([keyword, tag]) => {
    const value = json[tag]?.Value?.[0];
    return value == null ? [] : [[keyword, groupsOf(value)]];
  }));
  const edited = editedIdentity(identity, record), corrected = { ...json };
  for (const [keyword, tag, vr] of ATTRIBUTES) {
    const value = edited[keyword];
    if (value === identity[keyword]) continue;
    if (value === undefined) delete corrected[tag];
    else {
      const text = String(value);
      corrected[tag] = { vr, Value: [vr === "PN" ? jsonName(text) : text] };
    }
  }
  return corrected;
}

/** A series with the study's edits, see {@link editedIdentity}. */
export const withEdits = (source: SourceSeries, patient: StoredPatient): SourceSeries => ({
  ...source,
  identity: editedIdentity(source.identity, patient),
});
