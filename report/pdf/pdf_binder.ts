import { Buffer } from "node:buffer";

/** Document information (title and language) of a merged PDF. */
interface BoundInfo {
  title: string;
  /** language of the first report, BCP 47 */
  language: string;
  producer: string;
}

const CATALOG = 1, PAGES = 2, STRUCTURE = 3, OUTLINE = 4, INFO = 5;
/** Matches literal strings, hexadecimal strings, keys of the parent tree, and references. */
const TOKEN = /\((?:\\[^]|[^\\()])*\)|<[0-9a-fA-F\s]*>|\/StructParents (\d+)|\b(\d+) 0 R\b/g;

const textOf = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
/** Encodes a text string (ISO 32000-1, 7.9.2.2). */
const hexOf = (text: string) =>
  `<feff${
    [...Array(text.length).keys()].map((n) => text.charCodeAt(n).toString(16).padStart(4, "0"))
      .join("")
  }>`;

/** One object of a PDF file: its text, and the bytes of its stream; `null` without a stream. */
interface PdfObject {
  head: string;
  stream: Uint8Array | null;
}

/**
 * Parses the objects of a file written by pdfkit, with a plain cross-reference table.
 * Such a file has no object streams and no incremental updates.
 * @throws Error for any other file.
 */
function objectsOf(
  pdf: Uint8Array,
): { objects: Map<number, PdfObject>; root: number; info: number } {
  const end = textOf(pdf.subarray(-1024));
  const start = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(end)?.[1]);
  const root = Number(/\/Root (\d+) 0 R/.exec(end)?.[1]),
    info = Number(/\/Info (\d+) 0 R/.exec(end)?.[1]);
  if (!(start > 0 && root > 0)) {
    throw new Error("Cannot bind PDF: no cross-reference table at its end");
  }
  const lines = textOf(pdf.subarray(start)).split("\n"), count = Number(lines[1]?.split(" ")[1]);
  const offsets = lines.slice(2, 2 + count).flatMap((line, number) =>
    line.slice(17, 18) === "n" ? [{ number, at: Number(line.slice(0, 10)) }] : []
  );
  const ends = offsets.map(({ at }) => at).concat(start).sort((a, b) => a - b);
  const objects = new Map<number, PdfObject>();
  for (const { number, at } of offsets) {
    const bytes = pdf.subarray(at, ends[ends.indexOf(at) + 1]);
    const head = textOf(bytes.subarray(0, 65_536)), marker = head.indexOf("\nstream\n");
    const headText = marker < 0 ? textOf(bytes) : head.slice(0, marker);
    if (!headText.startsWith(`${number} 0 obj`)) {
      throw new Error(`Cannot bind PDF: object ${number} is not there`);
    }
    objects.set(number, {
      head: headText.slice(headText.indexOf("obj") + 3),
      stream: marker < 0 ? null : bytes.subarray(marker),
    });
  }
  return { objects, root, info };
}

const numberIn = (text: string, pattern: RegExp): number => {
  const match = pattern.exec(text)?.[1];
  if (match === undefined) throw new Error(`Cannot bind PDF: ${pattern.source} is not there`);
  return Number(match);
};

/**
 * Merges report PDFs as they are generated, with bookmarks and a common structure tree.
 * Memory holds one report, and one number per PDF object of the reports before it.
 *
 * @param write Appends bytes to the merged file.
 */
export class PdfBinder {
  readonly #offsets: number[] = [];
  readonly #pages: { node: number; count: number; first: number; title: string }[] = [];
  readonly #roots: string[] = [];
  readonly #parents: string[] = [];
  #keys = 0;
  #next = INFO + 1;
  #at = 0;

  constructor(
    private readonly write: (bytes: Uint8Array) => Promise<void>,
    private readonly info: BoundInfo,
  ) {}

  async #put(bytes: Uint8Array): Promise<void> {
    await this.write(bytes);
    this.#at += bytes.length;
  }

  async #object(number: number, head: string, stream: Uint8Array | null = null): Promise<void> {
    this.#offsets[number] = this.#at;
    await this.#put(bytesOf(`${number} 0 obj${head}`));
    if (stream) await this.#put(stream);
  }

  /**
   * Appends all pages of a PDF made by {@link import("@/report/pdf/pdf.ts").renderPdf}.
   * @param title Title of the report's bookmark.
   */
  async add(pdf: Uint8Array, title: string): Promise<void> {
    if (this.#at === 0) await this.#put(bytesOf("%PDF-1.7\n%\xff\xff\xff\xff\n"));
    const { objects, root, info } = objectsOf(pdf);
    const catalog = objects.get(root)!.head;
    const structure = numberIn(catalog, /\/StructTreeRoot (\d+) 0 R/);
    const pages = numberIn(catalog, /\/Pages (\d+) 0 R/);
    // objects that only the catalog refers to are written once for the whole merged file
    const excluded = new Set([root, info, structure]);
    for (
      const [, number] of catalog.matchAll(
        /\/(?:Names|MarkInfo|ViewerPreferences|Metadata) (\d+) 0 R/g,
      )
    ) {
      excluded.add(Number(number));
    }
    const numbers = new Map([[structure, STRUCTURE]]);
    for (const number of objects.keys()) {
      if (!excluded.has(number)) numbers.set(number, this.#next++);
    }
    const keys = this.#keys;
    const moved = (text: string) =>
      text.replace(TOKEN, (whole, key?: string, reference?: string) => {
        if (key !== undefined) return `/StructParents ${keys + Number(key)}`;
        if (reference === undefined) return whole;
        const number = numbers.get(Number(reference));
        if (number === undefined) {
          throw new Error(`Cannot bind PDF: object ${reference} is left out`);
        }
        return `${number} 0 R`;
      });
    for (const [number, { head, stream }] of objects) {
      if (excluded.has(number)) continue;
      const text = moved(head), parent = `/Type /Pages\n/Parent ${PAGES} 0 R`;
      const content = number === pages ? text.replace("/Type /Pages", parent) : text;
      await this.#object(numbers.get(number)!, content, stream);
    }
    const node = objects.get(pages)!.head;
    this.#pages.push({
      node: numbers.get(pages)!,
      count: numberIn(node, /\/Count (\d+)/),
      first: numbers.get(numberIn(node, /\/Kids \[(\d+) 0 R/))!,
      title,
    });
    await this.#addStructure(objects.get(structure)!.head, moved);
  }

  /** Moves a report's structure elements under the common root, and renumbers its page keys. */
  async #addStructure(head: string, moved: (text: string) => string): Promise<void> {
    const list = /\/Nums \[([^]*?)\n\]\n>>/.exec(head)?.[1],
      roots = /\n\/K \[([^\]]*)\]/.exec(head)?.[1];
    const count = numberIn(head, /\/ParentTreeNextKey (\d+)/);
    if (list === undefined || roots === undefined) {
      throw new Error("Cannot bind PDF: no structure tree");
    }
    const keys = this.#keys, number = this.#next++;
    const shifted = moved(list).replace(
      /^( *)(\d+)(?= \[)/gm,
      (_, space, key) => space + (keys + Number(key)),
    );
    await this.#object(
      number,
      `\n<<\n/Limits [${keys} ${keys + count - 1}]\n/Nums [${shifted}]\n>>\nendobj\n`,
    );
    this.#keys += count;
    this.#parents.push(`${number} 0 R`);
    this.#roots.push(moved(roots));
  }

  /** Writes the page tree and the catalog. @throws Error if no report was added. */
  async finish(): Promise<void> {
    if (this.#pages.length === 0) throw new Error("Cannot bind PDF: no report");
    const { title, language, producer } = this.info,
      first = this.#next,
      last = first + this.#pages.length - 1;
    for (const [index, page] of this.#pages.entries()) {
      const number = first + index;
      await this.#object(
        number,
        `\n<<\n/Title ${
          hexOf(page.title)
        }\n/Parent ${OUTLINE} 0 R\n/Dest [${page.first} 0 R /Fit]` +
          (number > first ? `\n/Prev ${number - 1} 0 R` : "") +
          (number < last ? `\n/Next ${number + 1} 0 R` : "") + "\n>>\nendobj\n",
      );
    }
    const pageCount = this.#pages.reduce((sum, { count }) => sum + count, 0);
    const kids = this.#pages.map(({ node }) => `${node} 0 R`).join(" ");
    await this.#object(
      PAGES,
      `\n<<\n/Type /Pages\n/Count ${pageCount}\n/Kids [${kids}]\n>>\nendobj\n`,
    );
    await this.#object(
      STRUCTURE,
      `\n<<\n/Type /StructTreeRoot\n/K [${
        this.#roots.join(" ")
      }]\n/ParentTreeNextKey ${this.#keys}\n` +
        `/ParentTree << /Kids [${this.#parents.join(" ")}] >>\n>>\nendobj\n`,
    );
    await this.#object(
      OUTLINE,
      `\n<<\n/Type /Outlines\n/First ${first} 0 R\n/Last ${last} 0 R\n/Count ${this.#pages.length}\n>>\nendobj\n`,
    );
    await this.#object(
      INFO,
      `\n<<\n/Title ${hexOf(title)}\n/Producer ${hexOf(producer)}\n>>\nendobj\n`,
    );
    await this.#object(
      CATALOG,
      `\n<<\n/Type /Catalog\n/Pages ${PAGES} 0 R\n/Lang (${language})\n/MarkInfo << /Marked true >>\n` +
        `/StructTreeRoot ${STRUCTURE} 0 R\n/Outlines ${OUTLINE} 0 R\n/PageMode /UseOutlines\n` +
        "/ViewerPreferences << /DisplayDocTitle true >>\n>>\nendobj\n",
    );
    const start = this.#at, size = last + 1;
    const table = [...Array(size).keys()].map((number) =>
      number === 0
        ? "0000000000 65535 f \n"
        : `${String(this.#offsets[number]).padStart(10, "0")} 00000 n \n`
    );
    await this.#put(bytesOf(
      `xref\n0 ${size}\n${
        table.join("")
      }trailer\n<<\n/Size ${size}\n/Root ${CATALOG} 0 R\n/Info ${INFO} 0 R\n>>\n` +
        `startxref\n${start}\n%%EOF\n`,
    ));
  }
}
