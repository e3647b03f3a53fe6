/**
 * Decodes DICOM text by Specific Character Set (0008,0005), PS3.5 §6.1, PS3.3 C.12.1.1.2.
 * One or several ISO 2022 sets with escape sequences, or a stand-alone multi-byte set.
 */
import { withoutPadding } from "@/model/dicom/padding.ts";

/**
 * Decodes the bytes of one code element of ISO 2022. `high` sets are given in the 8-bit (GR) form.
 */
type Decode = (bytes: Uint8Array) => string;

/** Decoders by label: making one takes longer than decoding a short value. */
const decoders = new Map<string, TextDecoder>();

function decodeAs(label: string): Decode {
  return (bytes) => {
    const decoder = decoders.get(label) ?? new TextDecoder(label);
    decoders.set(label, decoder);
    return decoder.decode(bytes);
  };
}

/** Decodes a set of one byte per character by its table, which is fast for short runs. */
function singleBytes(label: string): Decode {
  let table: string | null = null;
  return (bytes) => {
    table ??= decodeAs(label)(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    let text = "";
    for (const byte of bytes) text += table[byte];
    return text;
  };
}

const withHighBit = (bytes: Uint8Array) => bytes.map((b) => b | 0x80);
const ascii: Decode = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
};
/**
 * JIS X 0201 romaji. The yen sign and overline stay `\` and `~`, to keep the delimiters.
 */
const katakana = decodeAs("shift_jis");
const jis0208: Decode = (bytes) => decodeAs("euc-jp")(withHighBit(bytes));
const jis0212: Decode = (bytes) => {
  const euc = new Uint8Array(Math.floor(bytes.length / 2) * 3);
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    euc.set([0x8f, bytes[i]! | 0x80, bytes[i + 1]! | 0x80], i / 2 * 3);
  }
  return decodeAs("euc-jp")(euc);
};

interface CodeElement {
  /** bytes that the set decodes: 0 (G0) = below 0x80, 1 (G1) = from 0x80 on */
  area: 0 | 1;
  /** bytes per character; bytes of a two-byte G0 set can look like delimiters */
  width: 1 | 2;
  decode: Decode;
}

const latin = (label: string): CodeElement => ({
  area: 1,
  width: 1,
  decode: singleBytes(label),
});
const G0_ASCII: CodeElement = { area: 0, width: 1, decode: ascii };
const KATAKANA: CodeElement = { area: 1, width: 1, decode: katakana };
const KSX1001: CodeElement = { area: 1, width: 2, decode: decodeAs("euc-kr") };
const GB2312: CodeElement = { area: 1, width: 2, decode: decodeAs("gb18030") };

/**
 * Character set for the bytes that follow 0x1B in an escape sequence. PS3.3 tables C.12-3, C.12-4.
 */
const ESCAPES: Readonly<Record<string, CodeElement>> = {
  "(B": G0_ASCII,
  "(J": G0_ASCII,
  ")I": KATAKANA,
  "-A": latin("iso-8859-1"),
  "-B": latin("iso-8859-2"),
  "-C": latin("iso-8859-3"),
  "-D": latin("iso-8859-4"),
  "-L": latin("iso-8859-5"),
  "-G": latin("iso-8859-6"),
  "-F": latin("iso-8859-7"),
  "-H": latin("iso-8859-8"),
  "-M": latin("windows-1254"),
  "-T": latin("windows-874"),
  "-b": latin("iso-8859-15"),
  "$B": { area: 0, width: 2, decode: jis0208 },
  "$@": { area: 0, width: 2, decode: jis0208 },
  "$(B": { area: 0, width: 2, decode: jis0208 },
  "$(D": { area: 0, width: 2, decode: jis0212 },
  "$)C": KSX1001,
  "$)A": GB2312,
};

/**
 * Defined terms, each with the G1 set that is active without an escape sequence.
 * `undefined` if G1 is empty.
 */
const TERMS: Readonly<Record<string, CodeElement | undefined>> = {
  "": undefined,
  "ISO_IR 6": undefined,
  "ISO_IR 100": ESCAPES["-A"],
  "ISO_IR 101": ESCAPES["-B"],
  "ISO_IR 109": ESCAPES["-C"],
  "ISO_IR 110": ESCAPES["-D"],
  "ISO_IR 144": ESCAPES["-L"],
  "ISO_IR 127": ESCAPES["-G"],
  "ISO_IR 126": ESCAPES["-F"],
  "ISO_IR 138": ESCAPES["-H"],
  "ISO_IR 148": ESCAPES["-M"],
  "ISO_IR 166": ESCAPES["-T"],
  "ISO_IR 203": ESCAPES["-b"],
  "ISO_IR 13": KATAKANA,
  "ISO_IR 87": undefined,
  "ISO_IR 159": undefined,
  "ISO_IR 149": KSX1001,
  "ISO_IR 58": GB2312,
};

/** Multi-byte character sets without escape sequences, which cannot be combined with other sets. */
const ALONE: Readonly<Record<string, string>> = {
  "ISO_IR 192": "utf-8",
  "GB18030": "gb18030",
  "GBK": "gbk",
};

/** Encodings that a hospital can choose for files without a Specific Character Set. */
export const DICOM_ENCODINGS = [
  { encodingId: 1, term: "ISO_IR 192", displayName: "Unicode (UTF-8)" },
  { encodingId: 2, term: "ISO_IR 149", displayName: "Korean (KS X 1001)" },
  { encodingId: 3, term: "ISO_IR 100", displayName: "Western European (Latin-1)" },
  { encodingId: 4, term: "ISO_IR 101", displayName: "Central European (Latin-2)" },
  { encodingId: 5, term: "ISO_IR 148", displayName: "Turkish (Latin-5)" },
  { encodingId: 6, term: "ISO_IR 144", displayName: "Cyrillic" },
  { encodingId: 7, term: "ISO_IR 126", displayName: "Greek" },
  { encodingId: 8, term: "ISO_IR 13", displayName: "Japanese (JIS X 0201)" },
  { encodingId: 9, term: "GB18030", displayName: "Chinese (GB18030)" },
  { encodingId: 10, term: "ISO_IR 166", displayName: "Thai" },
] as const;

export type DicomEncoding = typeof DICOM_ENCODINGS[number]["term"];

/** Term of a settings' `dicom_encoding_id`; UTF-8 for an unknown id. */
export const encodingTerm = (encodingId: number): DicomEncoding =>
  DICOM_ENCODINGS.find((e) => e.encodingId === encodingId)?.term ?? "ISO_IR 192";

/**
 * Normalises spellings of a character set that occur in files: "ISO 2022 IR 149", "ISO-IR 149" and
 * "iso_ir_149" all become "ISO_IR 149".
 */
function canonicalTerm(term: string): string {
  const wanted = term.trim().toUpperCase();
  const number = /^ISO[ _-]*(?:2022[ _-]*)?IR[ _-]*(\d+)$/.exec(wanted);
  if (number) return `ISO_IR ${number[1]}`;
  if (/^(ISO[ _-]?10646[ _-]?)?UTF[ _-]?8$/.test(wanted)) return "ISO_IR 192";
  return wanted.replace(/^ISO[ _-]*2022[ _-]*/, "").replace("GB 18030", "GB18030");
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Reads the escape sequence after 0x1B at `at`; `undefined` for an unknown designation. */
function escapeAt(
  bytes: Uint8Array,
  at: number,
): { element: CodeElement; length: number } | undefined {
  for (const length of [3, 2]) {
    const element = ESCAPES[ascii(bytes.subarray(at, at + length))];
    if (element) return { element, length };
  }
}

/**
 * Decodes one value of a text element.
 *
 * @param bytes     Value as stored, padding included (trailing spaces and NULs are dropped).
 * @param terms     Values of Specific Character Set, in order; empty when the element is absent.
 * @param fallback Character set for bytes from 0x80 when `terms` is empty; valid UTF-8 comes first.
 * @param isName    For a person name: `^` and `=` also return to the initial character sets.
 * @returns Text; bytes outside every declared set become U+FFFD or Latin-1. Never throws.
 */
export function decodeText(
  bytes: Uint8Array,
  terms: readonly string[],
  fallback: DicomEncoding = "ISO_IR 192",
  isName = false,
): string {
  const declared: string[] = terms.map(canonicalTerm);
  // anonymisers and converters write UTF-8 beside ISO_IR 6, which declares ASCII alone
  const isPlain = declared.every((t): boolean => ["", "ISO_IR 6"].includes(t)) &&
    !bytes.includes(0x1b);
  if (isPlain && isUtf8(bytes)) declared.splice(0, declared.length, "ISO_IR 192");
  else if (isPlain && !declared.includes("ISO_IR 6")) declared.splice(0, declared.length, fallback);
  const alone = declared.map((t) => ALONE[t]).find((label) => label !== undefined);
  const text = alone ? decodeAs(alone)(bytes) : decodeIso2022(bytes, declared, isName);
  return withoutPadding(text);
}

/** Time and memory are linear in the bytes, however often they change the set. */
function decodeIso2022(bytes: Uint8Array, declared: readonly string[], isName: boolean): string {
  // a G1 set is active only after an escape sequence, which some files lack
  // for such files the first declared G1 set is used
  const initial = declared.map((t) => TERMS[t]).find((e) => e !== undefined) ?? ESCAPES["-A"]!;
  let g0 = G0_ASCII, g1 = initial, out = "", runStart = 0, runArea: 0 | 1 = 0;
  const flush = (end: number) => {
    if (end > runStart) out += (runArea === 0 ? g0 : g1).decode(bytes.subarray(runStart, end));
    runStart = end;
  };
  for (let i = 0; i < bytes.length; i++) {
    const b = bytes[i]!;
    if (b === 0x1b) {
      const escape = escapeAt(bytes, i + 1);
      flush(i);
      if (escape) {
        if (escape.element.area === 0) g0 = escape.element;
        else g1 = escape.element;
        i += escape.length;
      }
      runStart = i + 1;
      continue;
    }
    const area = b < 0x80 ? 0 : 1;
    if (area !== runArea) flush(i);
    runArea = area;
    const isDelimiter = b < 0x20 || b === 0x5c || (isName && (b === 0x5e || b === 0x3d));
    if (isDelimiter && (g0.width === 1 || b < 0x20)) {
      if (g0.width === 2) g0 = G0_ASCII;
      flush(i + 1);
      g0 = G0_ASCII;
      g1 = initial;
    }
  }
  flush(bytes.length);
  return out;
}

/** Values of Specific Character Set from its bytes. */
export const characterSetTerms = (value: string | undefined): string[] =>
  value === undefined ? [] : value.split("\\").map((t) => t.trim());

/**
 * A person name for display: the first component group that is not empty, with spaces between
 * components ("Hong^Gildong=洪^吉洞" → "Hong Gildong").
 */
export function readableName(personName: string): string {
  const group = personName.split("=").find((g) => g.replaceAll("^", "").trim() !== "") ?? "";
  return group.split("^").map((c) => c.trim()).filter((c) => c !== "").join(" ");
}
