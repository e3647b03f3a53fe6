/// <reference path="./pdfmake.d.ts" />
// Structure tree of a PDF (ISO 32000-1, 14.8). pdfmake lays out and draws, pdfkit writes the tags.
// This module assigns every line, picture and drawing to an element of the structure tree.
import type { PdfContent, PdfElement, TaggedDocument } from "pdfmake/js/Renderer.js";

/** A node of a pdfmake document definition. */
export type Node = Record<string, unknown>;

type Role =
  | "Document"
  | "Sect"
  | "P"
  | "H1"
  | "H2"
  | "Table"
  | "TR"
  | "TH"
  | "TD"
  | "L"
  | "LI"
  | "Figure";

/** An element of the structure tree, created before the PDF document. */
class Tag {
  readonly children: Tag[] = [];
  element: PdfElement | undefined;

  constructor(
    readonly role: Role,
    readonly parent: Tag | null,
    /** `alt`: description of a figure; `scope`: a table header applies to its row or column */
    readonly options: { alt?: string; scope?: "Row" | "Column" } = {},
  ) {
    parent?.children.push(this);
  }

  get root(): Tag {
    return this.parent?.root ?? this;
  }
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;
const nodesIn = (value: unknown): Node[] => Array.isArray(value) ? value.filter(isNode) : [];

/**
 * Adds to each pdfmake node its position in the structure tree. `role` marks a heading;
 * `alt` describes a picture or drawing, which is decorative without `alt`;
 * and `isLayout` marks a table that is used for layout only.
 */
export function tagged(pages: readonly Node[]): Node[] {
  const document = new Tag("Document", null);
  return pages.map((page) => tag(page, new Tag("Sect", document)));
}

function tag(node: Node, parent: Tag): Node {
  if (typeof node.text === "string" || Array.isArray(node.text)) {
    return words(node, new Tag((node.role as Role | undefined) ?? "P", parent));
  }
  if (node.image !== undefined || node.svg !== undefined) {
    return typeof node.alt === "string"
      ? { ...node, tag: new Tag("Figure", parent, { alt: node.alt }) }
      : node;
  }
  const out = { ...node };
  if (isNode(node.section)) out.section = tag(node.section, parent);
  for (const key of ["stack", "columns"]) {
    if (Array.isArray(node[key])) out[key] = nodesIn(node[key]).map((child) => tag(child, parent));
  }
  if (Array.isArray(node.ul)) {
    const list = new Tag("L", parent);
    out.ul = nodesIn(node.ul).map((item) => words(item, new Tag("LI", list)));
  }
  if (isNode(node.table)) out.table = table(node.table, parent, node.isLayout === true);
  return out;
}

/** Assigns a text to one structure element, even if the text is broken into several lines. */
function words(node: Node, own: Tag): Node {
  const parts = typeof node.text === "string" ? [{ text: node.text }] : nodesIn(node.text);
  return { ...node, text: parts.map((part) => ({ ...part, tag: own })) };
}

function table(given: Node, parent: Tag, isLayout: boolean): Node {
  const rows = given.body as Node[][], headRows = Number(given.headerRows ?? 0);
  if (isLayout) return { ...given, body: rows.map((row) => row.map((cell) => tag(cell, parent))) };
  const tableTag = new Tag("Table", parent);
  const body = rows.map((row, index) => {
    const line = new Tag("TR", tableTag);
    return row.map((cell, column) => {
      const scope = index < headRows ? "Column" as const : column === 0 ? "Row" as const : null;
      const cellTag = scope ? new Tag("TH", line, { scope }) : new Tag("TD", line);
      return cell.text === undefined ? tag(cell, cellTag) : words(cell, cellTag);
    });
  });
  return { ...given, body };
}

/** Creates the elements of a structure tree in reading order. */
function build(document: TaggedDocument, from: Tag): PdfElement {
  const element = from.element = document.struct(from.role, from.options);
  for (const child of from.children) element.add(build(document, child));
  return element;
}

function elementOf(document: TaggedDocument, given: Tag): PdfElement {
  const { root } = given;
  if (!root.element) document.addStructure(build(document, root));
  return given.element!;
}

/** Draws content as part of a structure element, or as decoration (a PDF artifact). */
export function mark(document: TaggedDocument, own: unknown, draw: () => void): void {
  if (!document.options.tagged) return draw();
  let content: PdfContent | null = null;
  if (own instanceof Tag) content = document.markStructureContent(own.role);
  else document.markContent("Artifact");
  draw();
  document.endMarkedContent();
  if (content) elementOf(document, own as Tag).add(content);
}
