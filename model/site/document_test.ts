import assert from "node:assert/strict";
import {
  documentHref,
  documentPieces,
  documentTitle,
  plainText,
  readDocument,
} from "@/model/site/document.ts";

Deno.test("readDocument() reads headings, paragraphs, lists, tables and code", () => {
  const blocks = readDocument([
    "# Title `x`",
    "<!-- a note -->",
    "One line",
    "goes on.",
    "",
    "- first",
    "  with more",
    "- second",
    "1. step",
    "",
    "| A | B |",
    "| --- | ---: |",
    "| a \\| b | **bold `code`** |",
    "",
    "```sh",
    "# no heading",
    "```",
    "    indented",
    "1. step",
    "   ```sh",
    "   a",
    "     b",
    "   ```",
    "## Again",
    "## Again",
  ].join("\n"));
  assert.deepEqual(blocks.map(({ kind }) => kind), [
    "heading",
    "paragraph",
    "list",
    "list",
    "table",
    "code",
    "code",
    "list",
    "code",
    "heading",
    "heading",
  ]);
  const [title, paragraph, list, , table, code, , , inItem, , again] = blocks;
  assert.ok(title?.kind === "heading" && title.id === "title-x");
  assert.ok(paragraph?.kind === "paragraph" && plainText(paragraph.pieces) === "One line goes on.");
  assert.ok(list?.kind === "list" && list.items.map(plainText).join() === "first with more,second");
  assert.ok(table?.kind === "table");
  assert.deepEqual(table.rows[0]!.map(plainText), ["a | b", "bold code"]);
  assert.ok(code?.kind === "code" && code.text === "# no heading");
  assert.ok(inItem?.kind === "code" && inItem.text === "a\n  b");
  assert.ok(again?.kind === "heading" && again.id === "again-1");
});

Deno.test("documentPieces() finds code, strong words and links, and leaves other marks alone", () => {
  assert.deepEqual(documentPieces("a `b*c` [d](e.md#f) 2 * 3 [x]"), [
    { kind: "text", text: "a " },
    { kind: "code", text: "b*c" },
    { kind: "text", text: " " },
    { kind: "link", text: "d", target: "e.md#f" },
    { kind: "text", text: " 2 * 3 [x]" },
  ]);
});

Deno.test("documentHref() leads to documents and other sites, and nowhere else", () => {
  const paths = new Set(["site/pacs", "security"]);
  assert.equal(documentHref("pacs.md#tls", "site/index", paths), "/help/site/pacs#tls");
  assert.equal(documentHref("../security.md", "site/index", paths), "/help/security");
  assert.equal(documentHref("#here", "site/index", paths), "#here");
  assert.equal(documentHref("https://a.test/", "security", paths), "https://a.test/");
  for (const target of ["../../LICENSE", "grafana.json", "javascript:alert(1)", "missing.md"]) {
    assert.equal(documentHref(target, "site/index", paths), null, target);
  }
});

Deno.test("every document of the tree is read without marks that stay behind", async () => {
  const folder = new URL("../../docs/", import.meta.url);
  for (const path of ["site/install", "site/pacs", "site/settings", "security", "accuracy"]) {
    const text = await Deno.readTextFile(new URL(`${path}.md`, folder));
    assert.ok(documentTitle(text).length > 3, path);
    for (const block of readDocument(text)) {
      if (block.kind === "code") continue;
      const pieces = block.kind === "list"
        ? block.items.flat()
        : block.kind === "table"
        ? [...block.head, ...block.rows.flat()].flat()
        : block.pieces;
      for (const piece of pieces) {
        if (piece.kind === "text") assert.doesNotMatch(piece.text, /\*\*|\]\(|^\||```/, path);
        if (piece.kind === "code") assert.ok(!piece.text.includes("`"), path);
      }
    }
  }
});
