import assert from "node:assert/strict";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";

/** Script of a worker that answers tasks with their page number, and hangs at page 9. */
const SCRIPT = new URL(
  "data:text/javascript," + encodeURIComponent(`self.onmessage = ({ data: { id, at } }) => {
    if (at === 9) for (;;);
    const end = Date.now() + 500;
    while (Date.now() < end);
    self.postMessage({ id, result: at });
  };`),
);
const PDF = new Uint8Array(1);

Deno.test("PdfRenderer ends a task that hangs, and makes the next report", async () => {
  const renderer = new PdfRenderer({ script: SCRIPT, timeoutMs: 3000 });
  try {
    // tasks behind others have the whole time for themselves
    const pages = Array.from({ length: 8 }, (_, at) => renderer.page(PDF, at) as unknown);
    assert.deepEqual(await Promise.all(pages), [0, 1, 2, 3, 4, 5, 6, 7]);
    const hung = [renderer.page(PDF, 9), renderer.page(PDF, 1)];
    await Promise.all(hung.map((page) => assert.rejects(page, { code: "internal" })));
    assert.equal(await renderer.page(PDF, 2) as unknown, 2);
  } finally {
    renderer.close();
  }
});
