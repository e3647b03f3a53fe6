// The manual's text: a Markdown of headings, lists and paragraphs, which the PDF and the pages of help are made from.

/** A line of the manual. */
interface ManualLine {
  kind: "heading" | "item" | "paragraph";
  text: string;
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

/** @throws {SyntaxError} A section without an id. */
export function readManual(markdown: string): Manual {
  const manual: Manual = { title: "", sections: [] };
  for (const line of markdown.split("\n")) {
    if (line.startsWith("# ")) manual.title = line.slice(2);
    else if (line.startsWith("## ")) {
      const [, title, id] = SECTION.exec(line) ?? [];
      if (!title || !id) throw new SyntaxError(`Cannot read the manual: no id in "${line}"`);
      manual.sections.push({ id, title, lines: [] });
    } else if (line.trim() !== "") {
      const [kind, start] = line.startsWith("### ")
        ? ["heading", 4] as const
        : line.startsWith("- ")
        ? ["item", 2] as const
        : ["paragraph", 0] as const;
      manual.sections.at(-1)?.lines.push({ kind, text: line.slice(start) });
    }
  }
  return manual;
}

const folded = (text: string) => text.normalize("NFC").toLowerCase();

/** Words of a search, without case. */
export const wordsOf = (search: string): string[] =>
  folded(search).split(/\s+/).filter((word) => word !== "");

/** What has every word of a search: of each section the lines with one of them; all without a search. */
export function searchManual({ sections }: Manual, search: string): ManualSection[] {
  const words = wordsOf(search);
  if (words.length === 0) return sections;
  return sections.flatMap((section) => {
    const whole = folded([section.title, ...section.lines.map(({ text }) => text)].join("\n"));
    if (!words.every((word) => whole.includes(word))) return [];
    const lines = section.lines.filter(({ text }) => words.some((word) => folded(text).includes(word)));
    return [{ ...section, lines: lines.length > 0 ? lines : section.lines }];
  });
}
