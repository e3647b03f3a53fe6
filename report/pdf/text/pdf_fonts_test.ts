import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { brotliDecompressSync } from "node:zlib";
import { fontFileOf } from "@/report/pdf/text/pdf_fonts.ts";

/** SHA-256 of the font files in the packages named in ../fonts/README.md. */
const PUBLISHED = {
  "NotoSans-Bold.ttf": "13a813c49624ae3ba3c5c6e72c5ebffc4b9e1e6ea32f421c04069b037c6ad431",
  "NotoSans-Regular.ttf": "fe8c022f48d8dd29f17b744d16f9346f4357e16f7d4f7be58b000ae7c291b614",
  "NotoSansArabic-Bold.ttf": "a86a704ff8b315082f4859b04c2f8f746f4cefb14553ef10505f143e0d4829d3",
  "NotoSansArabic-Regular.ttf": "252629ca0e87b6233851249b8cbf7b43445211a8caf199f1b306a19202251508",
  "NotoSansDevanagari-Bold.ttf": "67f1ec9e2ac30b261090e32953b2df0adf6c942ab26ac47efb490fa7315bddab",
  "NotoSansDevanagari-Regular.ttf":
    "084a94d89eb54aafb93a056e15425c34fd859f6342875165d304837b3bcfc2d2",
  "NotoSansHebrew-Bold.ttf": "8010b087f33f152e25aef020e68cb5568d6f8deebb6dde8f60d655196e59ebde",
  "NotoSansHebrew-Regular.ttf": "e0ee753f09733337b9236221018d4bf71fd6d06c87dd76bbc83120514bc55911",
  "NotoSansJP-Bold.ttf": "c5b7b9d6a6eb682b0d4e6bbb38509575fd2759a28f147daa74714d1359a7909e",
  "NotoSansJP-Regular.ttf": "d930d5d52d15231c283089760f84584272ad5e37e14607ba0d19c798e7a9caec",
  "NotoSansKR-Bold.ttf": "4ffa20c272ae6d689f7c8d34ff9c8039a326e9c334d9fc8852b2a7396227d077",
  "NotoSansKR-Regular.ttf": "8cbc9b353bb9ce848fd69bb6a507319dfacc659cf5fd643db5d88f3c4970e1dd",
  "NotoSansSC-Bold.ttf": "9a38ae0ab28cd5a256f9ea8e00dedc688aac17f7915fcb000572990afa956b96",
  "NotoSansSC-Regular.ttf": "d45f67f0a7c0ca3f256950777ce6a61cc7ce5f9696d02900cbbaac25f8aa7d16",
  "NotoSansThai-Bold.ttf": "0be544f347b3ab6382bdc2b555a783727a4858a3dc140670406924670967d916",
  "NotoSansThai-Regular.ttf": "9acb585d8662ca4ed1b1cf5889dfa1393f8555103b3986e1ea1e3af4faef70bd",
};

Deno.test("every face is the published file, byte for byte, and there is no other", async () => {
  const folder = new URL("../fonts/", import.meta.url);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
    name.endsWith(".br")
  );
  assert.deepEqual(names.sort(), Object.keys(PUBLISHED).map((name) => `${name}.br`).sort());
  for (const [name, hash] of Object.entries(PUBLISHED)) {
    const packed = await Deno.readFile(new URL(`${name}.br`, folder));
    assert.equal(
      createHash("sha256").update(brotliDecompressSync(packed)).digest("hex"),
      hash,
      name,
    );
  }
});

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

Deno.test("both faces have every Hangul syllable, the letters of Korean and Latin names, and the signs of the pages", () => {
  const wanted = [
    ...range(0x20, 0x7e),
    ...range(0xa0, 0xff),
    ...range(0x3131, 0x318e),
    ...range(0xac00, 0xd7a3),
    ..."–—‘’“”…·×±≤≥−→←↑↓√²³μ".split("").map((sign) => sign.codePointAt(0)!),
  ];
  for (const bold of [false, true]) {
    const has = new Set(fontFileOf("Noto Sans KR", bold).characterSet);
    assert.deepEqual(
      wanted.filter((code) => !has.has(code)).map((code) => String.fromCodePoint(code)),
      [],
    );
  }
});
