// The form of the dossier between its data and its two outputs.

/**
 * A text: `[words](path)` is a link to a file of the tree or to a heading, words between grave
 * accents are code.
 */
export type Text = string;

export type Block =
  | { kind: "heading"; level: 1 | 2; text: string; id: string; isOnNewPage?: boolean }
  | { kind: "paragraph"; text: Text }
  | { kind: "list"; items: Text[] }
  | { kind: "table"; head: string[]; rows: Text[][]; widths?: (number | "*")[] };

/** A piece of a text. */
export interface Piece {
  text: string;
  isCode: boolean;
  /** path from the root of the tree, with its anchor; `null`: no link */
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

/** Every text of a document. */
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

/** Links of a document. */
export const linksOf = (blocks: readonly Block[]): string[] =>
  textsOf(blocks).flatMap(piecesOf).flatMap(({ link }) => link ?? []);
