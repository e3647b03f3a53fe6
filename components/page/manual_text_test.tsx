import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { readManual } from "@/model/site/manual.ts";
import { ManualText } from "@/components/page/ManualText.tsx";

Deno.test("ManualText numbers the steps of a task in one list, with the pictures between them", () => {
  const manual = readManual([
    "# Manual",
    "## 1. Upload {#upload}",
    "### To upload {#do-upload}",
    "1. Choose **Upload**.",
    "![The dialog](upload)",
    "2. Drop a folder.",
    "![The result](result)",
    "### To export {#do-export}",
    "1. Choose **Export All**.",
  ].join("\n"));
  const html = renderToStaticMarkup(<ManualText manual={manual} search="" language="en" />);
  const lists = [...html.matchAll(/<ol[^>]*>(.*?)<\/ol>/g)].map(([, inner]) => inner!);
  assert.deepEqual(lists.map((list) => list.match(/<li/g)!.length), [2, 1]);
  assert.ok(lists[0]!.includes("The dialog") && !lists[0]!.includes("The result"));
});
