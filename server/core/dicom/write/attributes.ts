import table from "@/server/core/dicom/write/attributes.json" with { type: "json" };

/** VRs of the attributes that the writer supports. */
export type Vr =
  | "AS"
  | "CS"
  | "DA"
  | "DS"
  | "DT"
  | "FD"
  | "FL"
  | "AT"
  | "IS"
  | "LO"
  | "OB"
  | "OF"
  | "PN"
  | "SH"
  | "SQ"
  | "ST"
  | "TM"
  | "UI"
  | "UL"
  | "US"
  | "UT";

export type Keyword = keyof typeof table;

/** Attributes that the writer supports, by keyword: tag as 0xGGGGEEEE, and VR (PS3.6). */
export const ATTRIBUTES = Object.fromEntries(
  Object.entries(table).map(([keyword, [tag, vr]]) => [keyword, [parseInt(tag!, 16), vr as Vr]]),
) as unknown as Readonly<Record<Keyword, readonly [tag: number, vr: Vr]>>;
