// The documents for the people who run a site: a part of Markdown (headings, paragraphs, lists,
// tables, code, links), which the pages of help show.

/** A piece of a text. */
export type DocumentPiece =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong"; pieces: DocumentPiece[] }
  | {
    kind: "link";
    text: string;
    /** as it is written: relative to the document, or an address of another site */
    target: string;
  };

export type DocumentBlock =
  | { kind: "heading"; level: number; id: string; pieces: DocumentPiece[] }
  | { kind: "paragraph"; pieces: DocumentPiece[] }
  | {
    kind: "list";
    /** number of the first item; `null`: the list has no numbers */
    start: number | null;
    items: DocumentPiece[][];
  }
  | { kind: "table"; head: DocumentPiece[][]; rows: DocumentPiece[][][] }
  | { kind: "code"; text: string };

const PIECES =
  /`([^`]+)`|\*\*((?:[^*]|\*(?!\*))+)\*\*|!?\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** Pieces of a line; marks that are not understood stay as they are. */
export function documentPieces(text: string): DocumentPiece[] {
  const pieces: DocumentPiece[] = [];
  let end = 0;
  const addText = (plain: string) => {
    if (plain !== "") pieces.push({ kind: "text", text: plain });
  };
  for (const match of text.matchAll(PIECES)) {
    addText(text.slice(end, match.index));
    end = match.index + match[0].length;
    const [, code, strong, words, target] = match;
    if (code !== undefined) pieces.push({ kind: "code", text: code });
    else if (strong !== undefined) {
      pieces.push({ kind: "strong", pieces: documentPieces(strong) });
    } else pieces.push({ kind: "link", text: words!.replaceAll("`", ""), target: target! });
  }
  addText(text.slice(end));
  return pieces;
}

/** Text of pieces without their marks. */
export const plainText = (pieces: readonly DocumentPiece[]): string =>
  pieces.map((piece) => piece.kind === "strong" ? plainText(piece.pieces) : piece.text).join("");

/** Anchor of a heading, as GitHub makes it. */
export const headingAnchor = (heading: string): string =>
  heading.trim().toLowerCase().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");

const HEADING = /^(#{1,6}) +(.+)$/, ITEM = /^(-|\d+\.) +(.*)$/;
/** Code within an item of a list is indented. */
const FENCE = /^ *```/;
const isRule = (line: string | undefined) => line !== undefined && /^\|[\s:|-]+\|$/.test(line);
const startsBlock = (line: string) =>
  line.trim() === "" || HEADING.test(line) || ITEM.test(line) || line.startsWith("|") ||
  FENCE.test(line) || line.startsWith("<!--");

/** Cells of a row of a table; `\|` is a sign within a cell. */
const cellsOf = (line: string) =>
  line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) =>
    documentPieces(cell.trim().replaceAll("\\|", "|").replaceAll("&lt;", "<"))
  );

/** Reads lines one after another into blocks. */
class BlockReader {
  readonly blocks: DocumentBlock[] = [];
  readonly #anchors = new Map<string, number>();
  #at = 0;

  constructor(readonly lines: readonly string[]) {}

  /** A heading's anchor, with a number when an earlier heading has the same. */
  #anchorOf(heading: string): string {
    const anchor = headingAnchor(heading), count = this.#anchors.get(anchor) ?? 0;
    this.#anchors.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }

  /** The line at hand and those after it up to the next block, as one text. */
  #joined(first: string): string {
    const parts = [first.trim().replace(/^> ?/, "")];
    this.#at++;
    while (this.#at < this.lines.length && !startsBlock(this.lines[this.#at]!)) {
      parts.push(this.lines[this.#at++]!.trim().replace(/^> ?/, ""));
    }
    return parts.join(" ");
  }

  /** Lines from the one at hand as long as they fit. */
  #while(fits: (line: string) => boolean): string[] {
    const start = this.#at;
    while (this.#at < this.lines.length && fits(this.lines[this.#at]!)) this.#at++;
    return this.lines.slice(start, this.#at);
  }

  #list(start: number | null): DocumentBlock {
    const items: DocumentPiece[][] = [];
    for (;;) {
      const [, mark, text] = ITEM.exec(this.lines[this.#at] ?? "") ?? [];
      if (text === undefined || (mark === "-") !== (start === null)) {
        return { kind: "list", start, items };
      }
      items.push(documentPieces(this.#joined(text)));
    }
  }

  read(): DocumentBlock[] {
    while (this.#at < this.lines.length) {
      const line = this.lines[this.#at]!, [, marks, heading] = HEADING.exec(line) ?? [];
      if (line.trim() === "" || line.startsWith("<!--")) this.#at++;
      else if (FENCE.test(line)) {
        this.#at++;
        const indent = line.indexOf("`"), code = this.#while((next) => !FENCE.test(next));
        this.#at++;
        this.blocks.push({ kind: "code", text: code.map((text) => text.slice(indent)).join("\n") });
      } else if (line.startsWith("    ")) {
        const code = this.#while((next) => next.startsWith("    "));
        this.blocks.push({ kind: "code", text: code.map((text) => text.slice(4)).join("\n") });
      } else if (marks && heading) {
        this.#at++;
        const pieces = documentPieces(heading), id = this.#anchorOf(heading);
        this.blocks.push({ kind: "heading", level: marks.length, id, pieces });
      } else if (line.startsWith("|") && isRule(this.lines[this.#at + 1])) {
        const [head, , ...rows] = this.#while((next) => next.startsWith("|"));
        this.blocks.push({ kind: "table", head: cellsOf(head!), rows: rows.map(cellsOf) });
      } else if (ITEM.test(line)) {
        this.blocks.push(this.#list(line.startsWith("-") ? null : parseInt(line, 10)));
      } else this.blocks.push({ kind: "paragraph", pieces: documentPieces(this.#joined(line)) });
    }
    return this.blocks;
  }
}

export const readDocument = (markdown: string): DocumentBlock[] =>
  new BlockReader(markdown.split("\n")).read();

/** The document's title: its first heading. */
export const documentTitle = (markdown: string): string =>
  plainText(documentPieces(/^# +(.+)$/m.exec(markdown)?.[1] ?? ""));

/**
 * Address that a link of a document leads to.
 * @param path Of the document, as `site/pacs`. @param paths Of the documents that there are.
 * @returns `null`: the page shows the words without a link.
 */
export function documentHref(
  target: string,
  path: string,
  paths: ReadonlySet<string>,
): string | null {
  if (/^https?:\/\//.test(target) || target.startsWith("#")) return target;
  const [file = "", anchor] = target.split("#");
  const place = new URL(file, `http://docs/${path}`).pathname.slice(1);
  if (!place.endsWith(".md") || !paths.has(place.slice(0, -3))) return null;
  return `/help/${place.slice(0, -3)}${anchor ? `#${anchor}` : ""}`;
}
