// Parameter names in links of other systems: documented names, and misspellings of these.
import { documentedFor, isUnrelated } from "@/model/launch/foreign_names.ts";
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
export const STUDY_NAMES = ["study", "accessionNumber", "patientID", "patientBirthDate"] as const;

/** Parameters that identify a study or a patient; no page may silently ignore them. */
const IDENTIFYING = ["study", "studyUID", "accessionNumber", "patientID", "patientBirthDate"];
/** Documented parameters of IHE RAD-106 that have no effect here. */
const WITHOUT_EFFECT = ["patientname", "diagnosticquality", "keyimagesonly"];
/** Names of at least this length may differ from a misspelling in two letters, others in one. */
const LONG_NAME = 9;
/** Names of a patient's values, which no other name may contain. */
const OF_PATIENT = ["patientid", "patientbirthdate"];

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

/** Decodes a text that a system percent-encoded several times. */
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

/** Letters of a name in lower case, without those of an `&amp;` before the name. */
const lettersOf = (text: string): string =>
  text.toLowerCase().replaceAll(/[^a-z]/g, "").replace(/^(amp)+/, "");

/** Parts of a name between brackets, separators and other marks, which a template added. */
const partsOf = (text: string): string[] =>
  [text, ...text.split(/[^\p{L}\p{N}\p{C}\s_.-]+/u)].filter((part) => lettersOf(part) !== "");

/** Whether a name means something else. With other marks in it, it may be a documented name. */
const isOther = (text: string): boolean =>
  /^\s*(?:amp;)*[a-z_.-]+\s*$/i.test(text) && isUnrelated(lettersOf(text));

function isNear(text: string, name: string): boolean {
  const expected = name.toLowerCase(), letters = lettersOf(text);
  const most = expected.length >= LONG_NAME && IDENTIFYING.includes(name) ? 2 : 1;
  return !isOther(text) && Math.abs(letters.length - expected.length) <= most &&
    editsBetween(letters, expected) <= most;
}

/** Whether a text contains a name: a patient's anywhere, another with a prefix (`ris_studyUID`). */
function contains(text: string, name: string): boolean {
  const expected = name.toLowerCase();
  if (OF_PATIENT.includes(expected) && lettersOf(text).includes(expected)) return true;
  return expected !== "study" &&
    text.split(/[^A-Za-z]+/).some((part) => part.toLowerCase() === expected);
}

export type NameReading =
  | { kind: "read"; name: string }
  /** `name`: documented name. `sent`: name in the link */
  | { kind: "misspelled"; name: string; sent: string }
  /** `name`: name in the link */
  | { kind: "unsupported"; name: string; use: string }
  | { kind: "other" };

/** Name under which a page reads a documented parameter: `study` and `studyUID` are the same. */
function readAs(name: string, names: readonly string[]): string {
  if (names.includes(name)) return name;
  return name === "study" ? "studyUID" : name === "studyUID" ? "study" : name;
}

/** Maximum length of a name that an error message repeats, in characters. */
const MAX_SHOWN_CHARS = 40;

/** A name as sent, for an error message: without a value behind `=`, and on one line. */
function shownName(text: string): string {
  const name = text.split("=")[0]!.replaceAll(/\p{C}/gu, "").trim();
  return name.length > MAX_SHOWN_CHARS ? `${name.slice(0, MAX_SHOWN_CHARS)}…` : name;
}

/**
 * Compares a parameter's name in a link with the names that a page reads, in any case.
 * `unsupported`: means the same as `use`, which this page reads. `misspelled`: resembles `name`.
 * `other`: any other name, which has no effect.
 */
export function nameReading(sent: string, names: readonly string[]): NameReading {
  const lower = sent.toLowerCase();
  const name = names.find((each) => each.toLowerCase() === lower);
  if (name !== undefined) return { kind: "read", name };
  if (WITHOUT_EFFECT.includes(lower)) return { kind: "other" };
  const text = normalForm(decoded(sent), "NFKC"), letters = lettersOf(text);
  if (isOther(text)) return { kind: "other" };
  const documented = [...new Set([...names, ...IDENTIFYING])];
  const refused = (resembled: string): NameReading => {
    const use = readAs(resembled, names);
    return use === resembled
      ? { kind: "misspelled", name: use, sent: shownName(text) }
      : { kind: "unsupported", name: shownName(text), use };
  };
  const spelled = documented.find((each) => each.toLowerCase() === letters);
  if (spelled !== undefined) return refused(spelled);
  for (const part of partsOf(text).map(lettersOf)) {
    const meant = documentedFor(part);
    if (meant === null || documented.some((each) => each.toLowerCase() === part)) continue;
    return { kind: "unsupported", name: shownName(text), use: readAs(meant, names) };
  }
  const resembled = partsOf(text).values()
    .map((part) => documented.find((each) => isNear(part, each)))
    .find((each) => each !== undefined) ?? documented.find((each) => contains(text, each));
  return resembled === undefined ? { kind: "other" } : refused(resembled);
}

/** Number of words before a `=` that together can be one name, which a system spoilt by spaces. */
const MAX_PIECES = 4;
/** An address as a value, before its own parameters. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/|\.{0,2}\/|[\w./-]+\.(?:aspx?|jspx?|php|html?|do)[?#])/i;

/**
 * Parameter in a value that a faulty separator has joined to it (`A-1;patientID=P-2`).
 * An address in a parameter without effect may have parameters of its own.
 */
function joinedReading(sent: string, value: string, names: readonly string[]): NameReading {
  const text = normalForm(decoded(value), "NFKC");
  if (!text.includes("=")) return { kind: "other" };
  const isDocumented = nameReading(sent, names).kind === "read" ||
    WITHOUT_EFFECT.includes(sent.toLowerCase());
  const searched = !isDocumented && ADDRESS.test(text) ? text.split(/[?#]/)[0]! : text;
  for (const before of searched.split("=").slice(0, -1)) {
    const last = before.split(/[&;?,|]/).at(-1)!.trim();
    if (last === "") continue;
    const pieces = last.split(/(?<=[^\p{L}\p{N}_.[\]-])/u);
    const endings = Array.from({ length: MAX_PIECES }, (_, n) => pieces.slice(-1 - n).join(""));
    for (const candidate of new Set([...endings, last])) {
      const reading = nameReading(candidate, names);
      if (reading.kind === "read") {
        return { kind: "misspelled", name: reading.name, sent: shownName(candidate) };
      }
      if (reading.kind !== "other") return reading;
    }
  }
  return { kind: "other" };
}

/** Reading of a parameter by its name, or of a parameter joined to its value. */
export function parameterReading(
  sent: string,
  value: string,
  names: readonly string[],
): NameReading {
  const reading = nameReading(sent, names);
  if (reading.kind === "misspelled" || reading.kind === "unsupported") return reading;
  const joined = joinedReading(sent, value, names);
  return joined.kind === "other" ? reading : joined;
}
