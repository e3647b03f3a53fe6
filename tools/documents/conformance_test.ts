import assert from "node:assert/strict";
import { conformance } from "@/tools/documents/conformance.ts";

/** What the formatter may change. */
const plain = (text: string) => text.replaceAll(/[ \t-]+/g, " ");

Deno.test("the conformance statement is that of the code's tables", async () => {
  const written = await Deno.readTextFile(new URL("../../docs/conformance.md", import.meta.url));
  assert.equal(plain(written), plain(conformance));
});
