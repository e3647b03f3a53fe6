// covers: S-81
import assert from "node:assert/strict";
import { type FontFamily, fontFileOf, lettersOf, SCRIPTS } from "@/report/pdf/text/pdf_fonts.ts";
import { fontRunsOf, orderLine, splitPieces } from "@/report/pdf/text/font_runs.ts";
import { printable } from "@/report/pdf/text/printable.ts";
import { type Pictures, renderPdf } from "@/report/pdf/pdf.ts";
import { encodePng } from "@/report/pdf/png.ts";
import { imageKey } from "@/model/schema/report/report.ts";
import { hasPoppler, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import { fullReport } from "@/server/core/reports/service/report_fixture.ts";

const NAMES = {
  thai: "สมชาย ใจดี",
  arabic: "محمد العلي",
  hebrew: "דוד כהן",
  hindi: "राजेश कुमार",
  chinese: "张智宏 王小东 嘸乗俓",
  japanese: "山田 太郎 ﾔﾏﾀﾞ 髙橋 﨑",
  vietnamese: "Nguyễn Thị Hương",
  polish: "Łukasz Żółć",
  cyrillic: "Иванов Ґалаґан",
  greek: "Παπαδόπουλος",
  turkish: "İbrahim Şahin Ğ",
  korean: "김하늘",
  armenian: "Արամ Խաչատրյան",
  georgian: "ნინო ბერიძე",
  bengali: "রহমান আলম",
  gurmukhi: "ਹਰਜੀਤ ਕੌਰ",
  gujarati: "રમેશ પટેલ",
  oriya: "ମମତା ଦାସ",
  tamil: "முருகன் குமார்",
  telugu: "రమణ రావు",
  kannada: "ರಮಾ ಗೌಡ",
  malayalam: "അനു മാത്യു",
  sinhala: "නිමල් සිල්වා",
  khmer: "សុខ ចាន់ថា",
  lao: "ສົມຊາຍ",
  burmese: "အောင်မင်း",
  amharic: "አበበ ቢቂላ",
} as const;
const picture = encodePng(new Uint8Array(3 * 16 * 16).fill(90), 16, 16);
const pictures: Pictures = Object.fromEntries(imageKey.options.map((key) => [key, picture]));
/** Names with joiners (U+200C, U+200D), which change the letters beside them. */
const JOINED = ["علی\u200cرضا می\u200cخواه", "ශ්\u200dරී", "রহিম র\u200d্যামন", "രമേശന്\u200d"];
const LETTERS = ["张", "东", "髙", "﨑", "﨔", "𠮷"];

const glyphsOf = (family: FontFamily, text: string) =>
  [false, true].flatMap((bold) => fontFileOf(family, bold).layout(text).glyphs.map(({ id }) => id));

Deno.test("fontRunsOf() gives every letter of names in 27 languages a glyph, regular and bold", () => {
  for (
    const text of [
      ...Object.values(NAMES),
      ...LETTERS,
      ...JOINED,
      ...Object.values(NAMES).map((name) => name.normalize("NFD")),
    ]
  ) {
    const runs = fontRunsOf(text);
    for (const { family, text: part } of runs) {
      assert.ok(!glyphsOf(family, part).includes(0), `.notdef in ${text}: ${part} in ${family}`);
    }
    assert.equal(runs.map((run) => run.text).join("").normalize("NFC"), text.normalize("NFC"));
  }
});

/** Characters of a coded character set; for a multi-byte set, all pairs of bytes are tried. */
function lettersOfCharset(label: string, isMultiByte: boolean): string {
  const decoder = new TextDecoder(label, { fatal: true }), letters = new Set<string>();
  const add = (bytes: number[]): void => {
    try {
      for (const letter of decoder.decode(new Uint8Array(bytes))) letters.add(letter);
    } catch {
      // these bytes are not a character of the set
    }
  };
  for (let first = 0xa0; first < 0xff; first++) {
    if (!isMultiByte) add([first]);
    else for (let second = 0xa1; second < 0xff; second++) add([first, second]);
  }
  return [...letters].filter((letter) => /\p{L}|\p{N}/u.test(letter)).join("");
}

// the character sets of PS3.3 C.12.1.1.2, Tables C.12-2 to C.12-5
Deno.test("a font has each letter of each character set that DICOM names", () => {
  const sets: [label: string, isMultiByte: boolean][] = [
    ...[2, 3, 4, 5, 6, 7, 8, 15].map((part): [string, boolean] => [`iso-8859-${part}`, false]),
    ["windows-1254", false],
    ["windows-874", false],
    ["euc-jp", true],
    ["euc-kr", true],
    ["gb2312", true],
  ];
  for (const [label, isMultiByte] of sets) {
    const missing = [...lettersOfCharset(label, isMultiByte)].filter((letter) =>
      fontRunsOf(letter).some(({ text }) => text.startsWith("[U+"))
    );
    assert.deepEqual(missing, [], label);
  }
});

Deno.test("a joiner between Arabic letters parts them", () => {
  const idsOf = (family: FontFamily, text: string) =>
    fontFileOf(family).layout(text).glyphs.map(({ id }) => id);
  const [final] = idsOf("Noto Sans Arabic", "علی");
  assert.ok(!idsOf("Noto Sans Arabic", "علیرضا").includes(final!));
  assert.ok(idsOf("Noto Sans Arabic", "علی\u200cرضا").includes(final!));
});

Deno.test("regular and bold of a family have the same letters", () => {
  for (
    const family of [
      "Noto Sans",
      ...SCRIPTS.map((script) => `Noto Sans ${script}` as const),
    ] as const
  ) {
    const bold = new Set(fontFileOf(family, true).characterSet);
    assert.deepEqual([...lettersOf(family)].filter((code) => !bold.has(code)), [], family);
  }
});

Deno.test("letters of Arabic names are joined, from right to left, in the regular and the bold font", () => {
  for (const bold of [false, true]) {
    const font = fontFileOf("Noto Sans Arabic", bold), name = "محمد";
    const { glyphs } = font.layout(name), letters = [...name].toReversed();
    assert.deepEqual(glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints)), letters);
    // letters have their initial, medial and final forms instead of the isolated form
    for (const [at, letter] of letters.entries()) {
      assert.notEqual(glyphs[at]!.id, font.layout(letter).glyphs[0]!.id, letter);
    }
  }
});

Deno.test("the ring of a Thai letter is below the tone mark, in the regular and the bold font", () => {
  const shown = (text: string) =>
    printable([text]) as unknown as [{ text: string; font: string }[]];
  // น้ำ: letter, tone mark, and SARA AM, which is a ring and a letter; each mark is set on the last
  const [[{ text, font }]] = shown("\u0e19\u0e49\u0e33") as [[{ text: string; font: string }]];
  assert.equal(font, "Noto Sans Thai");
  for (const bold of [false, true]) {
    const file = fontFileOf("Noto Sans Thai", bold), [ring] = file.layout("\u0e4d").glyphs;
    assert.equal(file.layout(text).glyphs[1]!.id, ring!.id);
  }
  // without a mark above the letter nothing is changed
  assert.deepEqual(shown("\u0e17\u0e33"), [[{ text: "\u0e17\u0e33", font: "Noto Sans Thai" }]]);
});

Deno.test("a letter without a font is printed as its code point, never as an empty box", () => {
  assert.deepEqual(fontRunsOf("ཀ𓀀"), [{ text: "[U+0F40][U+13000]", family: "Noto Sans KR" }]);
  assert.equal(fontRunsOf("张\ufe01b").map(({ text }) => text).join(""), "张b");
});

Deno.test("words share a font, and a lone compatibility letter is not normalised", () => {
  assert.deepEqual(fontRunsOf("Ґалаґан").length, 1);
  assert.equal(fontRunsOf("张智宏").length, 1);
  assert.equal(fontRunsOf("\ufa19张").map(({ text }) => text).join(""), "\ufa19张");
});

/** Texts of a line's pieces, from left to right as they are drawn. */
function drawn(text: string): string[] {
  // pdfmake breaks the pieces into words
  const pieces = splitPieces([{ text }]).flatMap((piece) =>
    (piece.text.match(/\S+\s*|^\s+/g) ?? []).map((text) => ({ ...piece, text }))
  );
  let x = 0;
  const inlines = pieces.map((piece) => ({ x: (x += 10) - 10, width: 10, ...piece }));
  orderLine(inlines);
  return inlines.toSorted((a, b) => a.x - b.x).map(({ text }) => text);
}

Deno.test("orderLine() puts words of right-to-left names from right to left, numbers and Latin words as they are", () => {
  assert.deepEqual(drawn("محمد العلي"), ["العلي", " ", "محمد"]);
  assert.deepEqual(drawn("Ali / محمد العلي"), ["Ali ", "/ ", "العلي", " ", "محمد"]);
  assert.deepEqual(drawn("(דוד) כהן 12").join(""), "(דוד) 12 כהן");
  assert.deepEqual(drawn("Müller Anna"), ["Müller ", "Anna"]);
});

Deno.test({
  name: "renderPdf() prints names of 27 languages so that they can be read back" +
    (hasPoppler ? "" : " (skipped: no poppler)"),
  ignore: !hasPoppler,
  fn: async () => {
    const { arabic, hebrew, ...others } = NAMES, left = Object.values(others);
    // right-to-left names one by one, because several in one line would have an unclear order
    const groups = [0, 5, 10, 15, 20].map((at) => left.slice(at, at + 5));
    for (const names of [[arabic], [hebrew], ...groups]) {
      const name = names.join(" / ");
      const pdf = await renderPdf(fullReport("en", { pages: [] }, { name }), pictures);
      const text = await runOnPdf("pdftotext", ["-raw", "", "-"], pdf);
      const plain = (words: string) =>
        words.normalize("NFKC").replace(/[\s\u200e\u200f\u202a-\u202e]/g, "");
      for (const each of names) {
        assert.ok(plain(text).includes(plain(each)), `${each} is not in\n${text.slice(0, 400)}`);
      }
    }
  },
});
