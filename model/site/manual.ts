// The manual's text: a Markdown of headings, lists, steps, pictures and paragraphs, which the PDF
// and the pages of help are made from, and which a test does step by step
// (tests/e2e/manual/tasks.ts).

/** A line of the manual. Names of controls are between `**`. */
export interface ManualLine {
  /** `step`: numbered within the task of the heading above; `picture`: its text is the caption */
  kind: "heading" | "item" | "step" | "picture" | "paragraph";
  text: string;
  /** of a task's heading: its id; of a picture: its file's name without language and ending */
  name?: string;
}

/** A part of the manual, which a page of the product can point to. */
export interface ManualSection {
  id: string;
  title: string;
  lines: ManualLine[];
}

export interface Manual {
  title: string;
  sections: ManualSection[];
}

const SECTION = /^## (.+?) \{#([a-z-]+)\}$/;
const TASK = /^### (.+?) \{#([a-z-]+)\}$/;
const PICTURE = /^!\[(.+)\]\(([a-z-]+)\)$/;
const STEP = /^\d+\. /;

function readLine(line: string): ManualLine {
  const [, task, id] = TASK.exec(line) ?? [], [, caption, name] = PICTURE.exec(line) ?? [];
  if (task && id) return { kind: "heading", text: task, name: id };
  if (caption && name) return { kind: "picture", text: caption, name };
  if (line.startsWith("### ")) return { kind: "heading", text: line.slice(4) };
  if (line.startsWith("- ")) return { kind: "item", text: line.slice(2) };
  const step = STEP.exec(line);
  return step
    ? { kind: "step", text: line.slice(step[0].length) }
    : { kind: "paragraph", text: line };
}

/** A text in pieces: a piece between `**` is the name of a control. */
export const piecesOf = (text: string): { text: string; isControl: boolean }[] =>
  text.split("**").map((piece, n) => ({ text: piece, isControl: n % 2 === 1 })).filter(({ text }) =>
    text !== ""
  );

/** Names of the controls of a step, in their order. */
export const controlsOf = (text: string): string[] =>
  piecesOf(text).filter(({ isControl }) => isControl).map(({ text }) => text);

/** Path of a picture of the manual, relative to the root of the repository. */
export const pictureFile = (name: string, language: string): string =>
  `static/manual/${name}-${language}.jpg`;

/** @throws {SyntaxError} A section without an id. */
export function readManual(markdown: string): Manual {
  const manual: Manual = { title: "", sections: [] };
  for (const line of markdown.split("\n")) {
    if (line.startsWith("# ")) manual.title = line.slice(2);
    else if (line.startsWith("## ")) {
      const [, title, id] = SECTION.exec(line) ?? [];
      if (!title || !id) throw new SyntaxError(`Cannot read the manual: no id in "${line}"`);
      manual.sections.push({ id, title, lines: [] });
    } else if (line.trim() !== "") manual.sections.at(-1)?.lines.push(readLine(line));
  }
  return manual;
}

const folded = (text: string) => text.normalize("NFC").toLowerCase();

/** Words of a search, without case. */
export const wordsOf = (search: string): string[] =>
  folded(search).split(/\s+/).filter((word) => word !== "");

/**
 * Sections that contain every word of a search, each with its matching lines; all sections without
 * a search.
 */
export function searchManual({ sections }: Manual, search: string): ManualSection[] {
  const words = wordsOf(search);
  if (words.length === 0) return sections;
  return sections.flatMap((section) => {
    const sectionText = folded(
      [section.title, ...section.lines.map(({ text }) => text)].join("\n"),
    );
    if (!words.every((word) => sectionText.includes(word))) return [];
    const lines = section.lines.filter(({ text }) =>
      words.some((word) => folded(text).includes(word))
    );
    return [{ ...section, lines: lines.length > 0 ? lines : section.lines }];
  });
}
