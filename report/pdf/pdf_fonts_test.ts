import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { brotliDecompressSync } from "node:zlib";
import "@/report/pdf/pdf_fonts.ts";
import documentModule from "pdfmake/js/PDFDocument.js";
import pdfmake from "pdfmake";

/** SHA-256 of the files in @expo-google-fonts/noto-sans-kr 0.4.3. */
const PUBLISHED = {
  "NotoSansKR-Regular.ttf": "8cbc9b353bb9ce848fd69bb6a507319dfacc659cf5fd643db5d88f3c4970e1dd",
  "NotoSansKR-Bold.ttf": "4ffa20c272ae6d689f7c8d34ff9c8039a326e9c334d9fc8852b2a7396227d077",
};

Deno.test("both faces are the published files, byte for byte", async () => {
  for (const [name, hash] of Object.entries(PUBLISHED)) {
    const packed = await Deno.readFile(new URL(`./fonts/${name}.br`, import.meta.url));
    assert.equal(createHash("sha256").update(brotliDecompressSync(packed)).digest("hex"), hash, name);
  }
});

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

Deno.test("both faces have every Hangul syllable, the letters of Korean and Latin names, and the signs of the pages", () => {
  const wanted = [
    ...range(0x20, 0x7e),
    ...range(0xa0, 0xff),
    ...range(0x3131, 0x318e),
    ...range(0xac00, 0xd7a3),
    ..."–—‘’“”…·×±≤≥−→←↑↓√²³μ".split("").map((sign) => sign.codePointAt(0)!),
  ];
  const document = new documentModule.default(pdfmake.fonts, {}, {}, {}, {}, pdfmake.virtualfs);
  for (const bold of [false, true]) {
    const { characterSet } = document.provideFont("Noto Sans KR", bold, false).font,
      has = new Set(characterSet);
    assert.deepEqual(wanted.filter((code) => !has.has(code)).map((code) => String.fromCodePoint(code)), []);
  }
});
