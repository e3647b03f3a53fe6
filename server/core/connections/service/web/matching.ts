// Compares DICOM objects with the criteria of a DICOMweb search.
import { matchesWildcard } from "@/model/dicom/wildcard.ts";
import { matchesSearch } from "@/model/worklist/search_text.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";

/** Criteria of a search that are compared with each object. */
interface Matching {
  /** patterns by tag, with `*` and `?` as wild cards */
  filters: ReadonlyMap<string, string>;
  /** fuzzy matching of names (PS3.18 §8.3.4.2) in alphabetic, ideographic and phonetic form */
  isFuzzy: boolean;
}

/** Values of a DICOM attribute as strings; for names the alphabetic form. */
export function textsOf(json: JsonDataSet, tag: string): string[] {
  return (json[tag]?.Value ?? []).map((one) =>
    typeof one === "object" && one !== null
      ? String((one as { Alphabetic?: string }).Alphabetic ?? "")
      : String(one)
  );
}

/** UIDs of a comma- or backslash-separated list in a search (PS3.18 §8.3.4.1). */
export const uidsOf = (pattern: string): string[] => pattern.split(/[,\\]/);

/** Whether a value matches a pattern (PS3.4 C.2.2.2): list of UIDs, date range, wild cards. */
function isMatch(tag: string, pattern: string, values: readonly string[]): boolean {
  if (/^(0020000D|0020000E|00080018)$/.test(tag)) {
    return uidsOf(pattern).some((uid) => values.includes(uid));
  }
  const range = /^(\d{8})?-(\d{8})?$/.exec(pattern);
  if (tag === "00080020" && range) {
    return values.some((value) => value >= (range[1] ?? "") && value <= (range[2] ?? "99999999"));
  }
  return values.some((value) => matchesWildcard(pattern, value));
}

/** All component groups of a person's name (alphabetic, ideographic, phonetic), without `^`. */
const nameGroupsOf = (json: JsonDataSet): string[] =>
  (json["00100010"]?.Value ?? []).flatMap((name) =>
    typeof name === "object" && name !== null ? Object.values(name).map(String) : [String(name)]
  ).map((group) => group.replaceAll(/[\^=]+/g, " ").trim());

/** Whether DICOM attributes satisfy all criteria of a search. */
export const meets = (json: JsonDataSet, { filters, isFuzzy }: Matching): boolean =>
  [...filters].every(([tag, pattern]) =>
    isFuzzy && tag === "00100010"
      ? matchesSearch(pattern.replaceAll(/[\^=]+/g, " "), nameGroupsOf(json))
      : isMatch(tag, pattern, textsOf(json, tag))
  );
