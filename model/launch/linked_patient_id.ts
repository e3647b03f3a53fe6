// Patient IDs in links of other systems: an ID, or an HL7 CX (`ID^^^AUTHORITY`).

/** Maximum length of an ID (DICOM LO), and of an ID with its assigning authority. */
const MAX_ID_CHARS = 64;
export const MAX_LINKED_ID_CHARS = 250;

/** Ways in which a text can be interpreted as a patient ID. */
export interface LinkedPatientId {
  /** IDs that the text can mean by itself, the most probable first */
  ids: string[];
  /**
   * text before the first `^`: the ID of a CX with a check digit (`ID^7`), or a part of an ID. It
   * may be another patient's ID, so it never identifies the patient of a link.
   */
  part: string;
  /**
   * names of the assigning authority (HL7 CX.4: namespace, universal ID) after the last ID of
   * `ids`; empty without an authority
   */
  authorities: string[];
}

/**
 * Reads a patient ID. `^` occurs in IDs, too: the text before `^` is an ID only if an
 * assigning authority follows. `null`: not a patient ID.
 */
export function readPatientId(text: string): LinkedPatientId | null {
  const trimmed = text.trim(), part = trimmed.split("^")[0]!.trim();
  const [, beforeAuthority, authority = ""] = /^(.*?)\^\^\^\s*([^\s^][^^]*)/.exec(trimmed) ?? [];
  const ids = [...new Set([trimmed, beforeAuthority?.trim() ?? trimmed])];
  const shortest = ids.at(-1)!;
  if (part === "" || shortest.length > MAX_ID_CHARS || trimmed.length > MAX_LINKED_ID_CHARS) {
    return null;
  }
  const authorities = authority.split("&").slice(0, 2).map((name) => name.trim())
    .filter((name) => name !== "");
  return { ids, part, authorities };
}
