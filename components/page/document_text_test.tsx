import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { DocumentText } from "@/components/page/DocumentText.tsx";

Deno.test("DocumentText shows a document with its links, and a text of others' making as text", () => {
  const content = [
    "# PACS",
    "",
    "See [security](../security.md#keys) and [ADR](../adr/x.md), <b>not bold</b>.",
  ].join("\n");
  const html = renderToStaticMarkup(
    <DocumentText
      path="site/pacs"
      content={content}
      documents={[{ path: "security", title: "Security" }, { path: "site/pacs", title: "PACS" }]}
      language="ko"
    />,
  );
  assert.match(html, /<article lang="en"/);
  assert.match(html, /<a href="\/help\/security#keys"[^>]*>security<\/a> and ADR/);
  assert.match(html, /&lt;b&gt;not bold/);
  assert.match(html, /<a href="\/help\/site\/pacs" aria-current="page"/);
});
