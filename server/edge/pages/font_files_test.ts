// covers: D1-7.1
import assert from "node:assert/strict";
import { SCRIPTS } from "@/report/pdf/text/pdf_fonts.ts";
import { openSite } from "@/tests/sites/web_site.ts";

const CSS = await Deno.readTextFile(new URL("../../../static/css/fonts.css", import.meta.url));
const NAMES = [...CSS.matchAll(/\/static\/fonts\/([\w-]+\.ttf)/g)].map(([, name]) => name!);

Deno.test("the stylesheet names a font for each script of the PDFs, and each can be read", async () => {
  for (const script of ["", "KR", "JP", "SC", ...SCRIPTS]) {
    assert.ok(NAMES.includes(`NotoSans${script}-Regular.ttf`), script);
  }
  await using site = await openSite();
  for (const name of NAMES) {
    const answer = await site.send(`/static/fonts/${name}`, { method: "HEAD" });
    assert.equal(answer.status, 200, name);
  }
});

Deno.test("a font is the same compressed and decompressed, and is kept by its tag", async () => {
  await using site = await openSite();
  const path = "/static/fonts/NotoSansThai-Regular.ttf";
  const plain = await site.send(path);
  assert.equal(plain.headers.get("content-type"), "font/ttf");
  assert.equal(plain.headers.get("content-encoding"), null);
  const bytes = await plain.bytes();
  assert.deepEqual([...bytes.subarray(0, 4)], [0, 1, 0, 0]);
  const packed = await site.send(path, { headers: { "accept-encoding": "gzip, br" } });
  assert.equal(packed.headers.get("content-encoding"), "br");
  const { brotliDecompressSync } = await import("node:zlib");
  assert.deepEqual(new Uint8Array(brotliDecompressSync(await packed.bytes())), bytes);
  const again = await site.send(path, {
    headers: { "if-none-match": plain.headers.get("etag")! },
  });
  assert.equal(again.status, 304);
});

Deno.test("no other file is read by a font's address", async () => {
  await using site = await openSite();
  for (
    const name of [
      "OFL.txt",
      "NotoSansThai-Bold.ttf",
      "NotoSansNone-Regular.ttf",
      "../pdf.ts",
      "%2e",
    ]
  ) {
    const answer = await site.send(`/static/fonts/${name}`);
    assert.equal(answer.status, 404, name);
    await answer.body?.cancel();
  }
});
