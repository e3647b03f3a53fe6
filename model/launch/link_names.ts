// Parameter names in links of other systems: documented names, and misspellings of these.
import { normalForm } from "@/model/normal_form.ts";

/** Parameters of IHE RAD-106 that this site reads. */
export const INVOKE_NAMES = [
  "requestType",
  "studyUID",
  "accessionNumber",
  "patientID",
  "patientBirthDate",
  "lowerDateTime",
  "upperDateTime",
  "mostRecentResults",
  "modalitiesInStudy",
  "viewerType",
] as const;

/** Parameters of `/viewer`, `/report` and the pages of a study. */
export const STUDY_NAMES = ["study", "patientID", "patientBirthDate"] as const;

/** Parameters that name a study or a patient: no page may silently ignore these. */
const IDENTIFYING = ["study", "studyUID", "accessionNumber", "patientID", "patientBirthDate"];
/** Documented parameters of IHE RAD-106 that have no effect here. */
const WITHOUT_EFFECT = ["patientname", "diagnosticquality", "keyimagesonly"];
/** DICOM keywords of the parameters that IHE calls differently. */
const KEYWORDS: Readonly<Record<string, string>> = {
  studyinstanceuid: "studyUID",
  studyinstanceuids: "studyUID",
};
/** Names from this length on may differ from a misspelling in two letters, shorter ones in one. */
const LONG_NAME = 8;

/** Number of inserted, removed, replaced and swapped letters (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i], above = rows[i - 1]!;
    for (let j = 1; j <= b.length; j++) {
      const isEqual = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edits = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (isEqual ? 0 : 1));
      row.push(isSwap ? Math.min(edits, rows[i - 2]![j - 2]! + 1) : edits);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

/** Text without the percent-encoding that a system applied twice or more often. */
function decoded(text: string): string {
  for (let n = 0; n < 3 && text.includes("%"); n++) {
    try {
      text = decodeURIComponent(text);
    } catch {
      break;
    }
  }
  return text;
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, "");

function resembles(text: string, name: string): boolean {
  const expected = name.toLowerCase(), letters = lettersOf(text).replace(/^(amp)+/, "");
  const most = expected.length < LONG_NAME ? 1 : 2;
  if (Math.abs(letters.length - expected.length) <= most) {
    if (editsBetween(letters, expected) <= most) return true;
  }
  // a name in brackets, with a prefix, or together with its value (`patientID%3DP-1`)
  return expected.length >= LONG_NAME &&
    text.split(/[^A-Za-z]+/).some((part) => part.toLowerCase() === expected);
}

export type NameReading =
  | { kind: "read" | "unsupported" | "misspelled"; name: string }
  | { kind: "other" };

/**
 * Compares a parameter's name in a link with the names that a page reads, in any case.
 * `unsupported`: names a study or patient, but not on this page. `misspelled`: resembles `name`.
 * `other`: any other name, which has no effect.
 */
export function nameReading(sent: string, names: readonly string[]): NameReading {
  const lower = sent.toLowerCase();
  const isSame = (name: string) => name.toLowerCase() === lower;
  const name = names.find(isSame);
  if (name !== undefined) return { kind: "read", name };
  const unsupported = IDENTIFYING.find(isSame);
  if (unsupported !== undefined) return { kind: "unsupported", name: unsupported };
  if (WITHOUT_EFFECT.includes(lower)) return { kind: "other" };
  const text = normalForm(decoded(sent), "NFKC");
  const resembled =
    [...new Set([...names, ...IDENTIFYING])].find((each) => resembles(text, each)) ??
      KEYWORDS[lettersOf(text).replace(/^(amp)+/, "")];
  return resembled === undefined ? { kind: "other" } : { kind: "misspelled", name: resembled };
}

/**
 * Parameter in a value that a faulty separator has joined to it (`A-1;patientID=P-2`);
 * `null` without one. Addresses in a parameter without effect may have parameters of their own.
 */
export function joinedName(sent: string, value: string, names: readonly string[]): string | null {
  const isDocumented = nameReading(sent, names).kind === "read" ||
    WITHOUT_EFFECT.includes(sent.toLowerCase());
  const text = decoded(value), own = isDocumented ? text : text.split(/[/?]/)[0]!;
  for (const part of own.split(/[&;?]/).slice(1)) {
    const [name, rest] = part.split("=");
    if (rest === undefined) continue;
    const reading = nameReading(name!.trim(), names);
    if (reading.kind !== "other") return reading.name;
  }
  return null;
}
