// Helpers shared by the tools that write benchmark figures into documents.

/** Markdown table with names on the left and figures on the right. */
export const table = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  [head, head.map((_, n) => n === 0 ? "---" : "---:"), ...lines].map((line) =>
    `| ${line.join(" | ")} |`
  )
    .join("\n");

/** Marks in a document between which a tool writes its figures. */
export const marksOf = (tool: string) => ({
  start: `<!-- figures of the benchmark: tools/documents/${tool}.ts -->`,
  end: "<!-- end of the figures -->",
});

/**
 * Returns a document in which the figures of a tool
 * are replaced. @throws {RangeError} for a document without marks.
 */
export function withFigures(document: string, tool: string, figures: string): string {
  const { start, end } = marksOf(tool),
    from = document.indexOf(start),
    to = document.indexOf(end, from);
  if (from < 0 || to < 0) {
    throw new RangeError("Cannot write figures: the document has no place for them");
  }
  return `${document.slice(0, from + start.length)}\n\n${figures}\n\n${document.slice(to)}`;
}

/**
 * Writes the figures of the benchmark file given on the command line into a document.
 * @throws {RangeError} without a file argument, or as {@link withFigures}.
 */
export function writeFigures<T>(
  document: URL,
  tool: string,
  figuresOf: (record: T) => string,
): void {
  const [path] = Deno.args;
  if (!path) throw new RangeError("Cannot write figures: no benchmark file given");
  const figures = figuresOf(JSON.parse(Deno.readTextFileSync(path)));
  Deno.writeTextFileSync(document, withFigures(Deno.readTextFileSync(document), tool, figures));
}
