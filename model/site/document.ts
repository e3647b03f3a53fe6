// Documents for administrators: a subset of Markdown (headings, paragraphs, lists, tables, code,
// links), which the help pages show.

/** An inline element of a text. */
export type DocumentPiece =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong"; pieces: DocumentPiece[] }
  | {
    kind: "link";
    text: string;
    /** link target as in the Markdown: a path relative to the document, or a web address */
    target: string;
  };

export type DocumentBlock =
  | { kind: "heading"; level: number; id: string; pieces: DocumentPiece[] }
  | { kind: "paragraph"; pieces: DocumentPiece[] }
  | {
    kind: "list";
    /** number of the first item; `null`: unordered list */
    start: number | null;
    items: DocumentPiece[][];
  }
  | { kind: "table"; head: DocumentPiece[][]; rows: DocumentPiece[][][] }
  | { kind: "code"; text: string };

const PIECES =
  /`([^`]+)`|\*\*((?:[^*]|\*(?!\*))+)\*\*|!?\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** Inline elements of a line; unsupported marks stay in the text. */
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

/** Plain text of inline elements. */
export const plainText = (pieces: readonly DocumentPiece[]): string =>
  pieces.map((piece) => piece.kind === "strong" ? plainText(piece.pieces) : piece.text).join("");

/** Anchor of a heading, generated like GitHub's. */
export const headingAnchor = (heading: string): string =>
  heading.trim().toLowerCase().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");

const HEADING = /^(#{1,6}) +(.+)$/, ITEM = /^(-|\d+\.) +(.*)$/;
/** Code inside a list item is indented. */
const FENCE = /^ *```/;
const isRule = (line: string | undefined) => line !== undefined && /^\|[\s:|-]+\|$/.test(line);
const startsBlock = (line: string) =>
  line.trim() === "" || HEADING.test(line) || ITEM.test(line) || line.startsWith("|") ||
  FENCE.test(line) || line.startsWith("<!--");

/** Cells of a table row; `\|` is a literal bar. */
const cellsOf = (line: string) =>
  line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) =>
    documentPieces(cell.trim().replaceAll("\\|", "|").replaceAll("&lt;", "<"))
  );

/** Parses lines of Markdown into blocks. */
class BlockReader {
  readonly blocks: DocumentBlock[] = [];
  readonly #anchors = new Map<string, number>();
  #at = 0;

  constructor(readonly lines: readonly string[]) {}

  /** Anchor of a heading; a number is appended if an earlier heading has the same anchor. */
  #anchorOf(heading: string): string {
    const anchor = headingAnchor(heading), count = this.#anchors.get(anchor) ?? 0;
    this.#anchors.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }

  /** Text of the current line and the following lines of the same block. */
  #joined(first: string): string {
    const parts = [first.trim().replace(/^> ?/, "")];
    this.#at++;
    while (this.#at < this.lines.length && !startsBlock(this.lines[this.#at]!)) {
      parts.push(this.lines[this.#at++]!.trim().replace(/^> ?/, ""));
    }
    return parts.join(" ");
  }

  /** Collects the lines from the current one on that satisfy `fits`. */
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

/** Title of the document: its first heading. */
export const documentTitle = (markdown: string): string =>
  plainText(documentPieces(/^# +(.+)$/m.exec(markdown)?.[1] ?? ""));

/**
 * Resolves a link of a document to an address.
 * @param path Path of the document, such as `site/pacs`. @param paths Paths of all documents.
 * @returns `null`: the page shows the link's text only.
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
