import { type Piece, splitPieces } from "@/report/pdf/text/font_runs.ts";
import { wholeWords } from "@/report/pdf/text/whole_words.ts";

/**
 * Thai letter SARA AM after marks above a letter: its ring belongs below those marks. fontkit draws
 * it above them (https://github.com/foliojs/fontkit/issues/134), so it is written before them.
 */
const THAI_SARA_AM = /([\u0e31\u0e34-\u0e37\u0e47-\u0e4e]+)\u0e33/g;
const withThaiRings = (text: string): string => text.replaceAll(THAI_SARA_AM, "\u0e4d$1\u0e32");

/** A node of a pdfmake document definition. */
type Node = Record<string, unknown>;

/** Properties of a node that contain further nodes. */
const CONTENT = ["section", "stack", "columns", "ul", "ol"] as const;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

/**
 * Prepares a part of a pdfmake document definition: splits each text by font and direction.
 * Korean words are kept on one line.
 */
export function printable<T>(content: T): T;
export function printable(content: unknown): unknown {
  if (Array.isArray(content)) return content.map((each) => printable(each));
  if (typeof content === "string") return textOf(content);
  if (!isNode(content)) return content;
  const out: Node = { ...content };
  if (out.text !== undefined) out.text = textOf(out.text);
  for (const key of CONTENT) if (out[key] !== undefined) out[key] = printable(out[key]);
  if (isNode(out.table)) out.table = { ...out.table, body: printable(out.table.body) };
  return out;
}

/** Text of a node: a plain string if a single style suffices, otherwise pieces with styles. */
function textOf(text: unknown): unknown {
  const pieces = (Array.isArray(text) ? text : [text]).map((piece): Piece =>
    isNode(piece)
      ? { ...piece, text: withThaiRings(String(piece.text)) }
      : { text: withThaiRings(String(piece)) }
  );
  const split = splitPieces(pieces).map((piece) => ({ ...piece, text: wholeWords(piece.text) }));
  const [only] = split;
  return split.length === 1 && Object.keys(only!).length === 1 ? only!.text : split;
}
