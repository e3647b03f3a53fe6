// Parser of the user manual, a subset of Markdown: headings, lists, steps, pictures, paragraphs.
// Its output becomes the PDF and the help pages,
// and a test performs its steps (tests/e2e/manual/tasks.ts).
import { normalForm } from "@/model/normal_form.ts";

/** A line of the manual. Names of controls are between `**`. */
export interface ManualLine {
  /** `step`: numbered within its task; `picture`: the text is the caption */
  kind: "heading" | "item" | "step" | "picture" | "paragraph";
  text: string;
  /** id of a task's heading; or file name of a picture without language and extension */
  name?: string;
}

/** A section of the manual, to which a page of the product can link. */
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

/** Splits a text at `**`; text between two `**` is the name of a control. */
export const piecesOf = (text: string): { text: string; isControl: boolean }[] =>
  text.split("**").map((piece, n) => ({ text: piece, isControl: n % 2 === 1 })).filter(({ text }) =>
    text !== ""
  );

/** Names of the controls in a step, in order. */
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

const folded = (text: string) => normalForm(text, "NFC").toLowerCase();

/** Words of a search text, in lower case. */
export const wordsOf = (search: string): string[] =>
  folded(search).split(/\s+/).filter((word) => word !== "");

/**
 * Sections that contain every search word, each with its matching lines;
 * all sections when the search is empty.
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
