import type { DataSet, Element } from "dicom-parser";
import { characterSetTerms, decodeText, type DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { withoutPadding } from "@/model/dicom/padding.ts";

/** An element of DICOM JSON (PS3.18 Annex F). */
interface JsonAttribute {
  vr: string;
  Value?: unknown[];
}
export type JsonDataSet = Record<string, JsonAttribute>;

const MAX_VALUE_BYTES = 65_536, MAX_DEPTH = 8;
const NUMBERS: Readonly<
  Record<
    string,
    [bytes: number, read: (dataSet: DataSet, tag: string, at: number) => number | undefined]
  >
> = {
  US: [2, (dataSet, tag, at) => dataSet.uint16(tag, at)],
  SS: [2, (dataSet, tag, at) => dataSet.int16(tag, at)],
  UL: [4, (dataSet, tag, at) => dataSet.uint32(tag, at)],
  SL: [4, (dataSet, tag, at) => dataSet.int32(tag, at)],
  FL: [4, (dataSet, tag, at) => dataSet.float(tag, at)],
  FD: [8, (dataSet, tag, at) => dataSet.double(tag, at)],
};
const BULK = new Set(["OB", "OW", "OF", "OD", "OL", "OV", "UN"]);
/** VRs of common elements for files with implicit VR; all other elements are read as text. */
const IMPLICIT: Readonly<Record<string, string>> = {
  "00280002": "US",
  "00280010": "US",
  "00280011": "US",
  "00280100": "US",
  "00280101": "US",
  "00280102": "US",
  "00280103": "US",
  "00280106": "US",
  "00280107": "US",
  "00100010": "PN",
  "7FE00010": "OW",
};
/** VRs of texts in which a backslash is a character, not a separator of values. */
const WHOLE = new Set(["LT", "ST", "UT", "UR"]);

function valuesOf(
  dataSet: DataSet,
  element: Element,
  vr: string,
  decode: (bytes: Uint8Array, isName: boolean) => string,
): unknown[] {
  const number = NUMBERS[vr];
  if (number) {
    const [bytes, read] = number, count = Math.floor(element.length / bytes);
    return Array.from({ length: count }, (_, at) => read(dataSet, element.tag, at) ?? 0);
  }
  if (vr === "AT") return [];
  const raw = dataSet.byteArray.subarray(element.dataOffset, element.dataOffset + element.length);
  const text = withoutPadding(decode(raw, vr === "PN"));
  if (text === "") return [];
  const texts = WHOLE.has(vr) ? [text] : text.split("\\").map((one) => one.trim());
  if (vr === "DS" || vr === "IS") return texts.map((one) => one === "" ? null : Number(one));
  if (vr !== "PN") return texts;
  return texts.map((one) => {
    const [Alphabetic, Ideographic, Phonetic] = one.split("=");
    return {
      Alphabetic,
      ...(Ideographic ? { Ideographic } : {}),
      ...(Phonetic ? { Phonetic } : {}),
    };
  });
}

/**
 * A data set as DICOM JSON, without pixels, bulk data and meta information.
 * NaN and infinite numbers are left out, because JSON cannot represent them.
 * @param wanted Tags to include, as eight upper-case hexadecimal digits; default: all.
 */
export function dicomJson(
  dataSet: DataSet,
  encoding: DicomEncoding | undefined,
  wanted?: ReadonlySet<string>,
  depth = 0,
  terms = characterSetTerms(dataSet.string("x00080005")),
): JsonDataSet {
  const json: JsonDataSet = {};
  for (const element of Object.values(dataSet.elements)) {
    const tag = element.tag.slice(1).toUpperCase();
    if (tag.startsWith("0002") || (wanted && !wanted.has(tag))) continue;
    if (element.items) {
      if (depth >= MAX_DEPTH || !element.items.every(({ dataSet }) => dataSet)) continue;
      json[tag] = {
        vr: "SQ",
        Value: element.items.map((item) =>
          dicomJson(item.dataSet!, encoding, undefined, depth + 1, terms)
        ),
      };
      continue;
    }
    const vr = element.vr ?? IMPLICIT[tag] ?? "LO";
    if (BULK.has(vr) || element.length > MAX_VALUE_BYTES || element.length === 0xffffffff) continue;
    const decode = (bytes: Uint8Array, isName: boolean) =>
      decodeText(bytes, terms, encoding, isName);
    const Value = valuesOf(dataSet, element, vr, decode);
    if (Value.some((one) => typeof one === "number" && !Number.isFinite(one))) continue;
    json[tag] = Value.length > 0 ? { vr, Value } : { vr };
  }
  return json;
}
