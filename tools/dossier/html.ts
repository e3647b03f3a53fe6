// Writes the dossier as an HTML page without scripts; links lead to files of the tree.
import { type Block, piecesOf, type Text } from "@/tools/dossier/blocks.ts";

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(
    '"',
    "&quot;",
  );

const STYLE = "body{font:15px/1.5 sans-serif;color:#1d2733;max-width:1200px;margin:2rem auto;" +
  "padding:0 1rem}h1,h2,h3{color:#123a5c}h2{margin-top:2.5rem;border-bottom:1px solid #c5ced6}" +
  "table{border-collapse:collapse;width:100%;font-size:13px}th,td{border:1px solid #c5ced6;" +
  "padding:4px 6px;text-align:left;vertical-align:top}th{background:#eef2f5}code{font-size:.9em}" +
  "td{overflow-wrap:anywhere}";

/** @param toRoot Relative path from the folder of the page to the root of the tree. */
export function htmlOf(title: string, blocks: readonly Block[], toRoot: string): string {
  const inline = (text: Text) =>
    piecesOf(text).map(({ text: words, isCode, link }) => {
      const markup = isCode ? `<code>${escaped(words)}</code>` : escaped(words);
      return link === null
        ? markup
        : `<a href="${escaped(/^(#|https:)/.test(link) ? link : toRoot + link)}">${markup}</a>`;
    }).join("");
  const row = (cells: readonly Text[], tag: "td" | "th") =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join("")}</tr>`;
  const body = blocks.map((block) => {
    switch (block.kind) {
      case "heading": {
        const tag = block.level === 1 ? "h2" : "h3";
        return `<${tag} id="${block.id}">${escaped(block.text)}</${tag}>`;
      }
      case "paragraph":
        return `<p>${inline(block.text)}</p>`;
      case "list":
        return `<ul>${block.items.map((item) => `<li>${inline(item)}</li>`).join("")}</ul>`;
      case "table":
        return `<table><thead>${row(block.head, "th")}</thead><tbody>${
          block.rows.map((cells) => row(cells, "td")).join("\n")
        }</tbody></table>`;
    }
  });
  const contents = blocks.flatMap((block) =>
    block.kind === "heading" && block.level === 1
      ? [`<li><a href="#${block.id}">${escaped(block.text)}</a></li>`]
      : []
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body>
<h1>${escaped(title)}</h1>
<ol>${contents.join("")}</ol>
${body.join("\n")}
</body>
</html>
`;
}
