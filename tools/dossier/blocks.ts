// Intermediate format of the dossier between its data and the HTML and PDF output.

/**
 * Inline markup of a text: `[words](path)` is a link to a file
 * or heading of the tree, words in backticks are code.
 */
export type Text = string;

export type Block =
  | { kind: "heading"; level: 1 | 2; text: string; id: string; isOnNewPage?: boolean }
  | { kind: "paragraph"; text: Text }
  | { kind: "list"; items: Text[] }
  | { kind: "table"; head: string[]; rows: Text[][]; widths?: (number | "*")[] };

/** Characters of a text with the same format. */
export interface Piece {
  text: string;
  isCode: boolean;
  /** target path from the root of the tree, with the anchor, or an address; `null`: no link */
  link: string | null;
}

const PIECE = /\[([^\]]+)\]\(([^)\s]+)\)|`([^`]+)`/g;

export function piecesOf(text: Text): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  const plain = (until: number) => {
    if (until > end) pieces.push({ text: text.slice(end, until), isCode: false, link: null });
  };
  for (const match of text.matchAll(PIECE)) {
    plain(match.index);
    const [source, words, link, code] = match;
    pieces.push({ text: words ?? code!, isCode: words === undefined, link: link ?? null });
    end = match.index + source.length;
  }
  plain(text.length);
  return pieces;
}

/** Collects all texts of a document. */
export const textsOf = (blocks: readonly Block[]): Text[] =>
  blocks.flatMap((block) => {
    switch (block.kind) {
      case "heading":
      case "paragraph":
        return [block.text];
      case "list":
        return block.items;
      case "table":
        return [...block.head, ...block.rows.flat()];
    }
  });

/** Collects all links of a document. */
export const linksOf = (blocks: readonly Block[]): string[] =>
  textsOf(blocks).flatMap(piecesOf).flatMap(({ link }) => link ?? []);
