// covers: D1-3.1
import assert from "node:assert/strict";
import {
  characterSetTerms,
  decodeText,
  DICOM_ENCODINGS,
  encodingTerm,
  readableName,
} from "@/model/dicom/dicom_charset.ts";
import { cpuMs } from "@/tests/linear/linear_time.ts";

const bytesOf = (latin1: string) => Uint8Array.from(latin1, (c) => c.charCodeAt(0));
const name = (raw: string, charset: string) =>
  decodeText(bytesOf(raw), characterSetTerms(charset), undefined, true);

/** Annexes H, I, J and K of PS3.5 and the Cyrillic, Greek, Latin-2, Latin-5 and Thai right halves. */
const CASES: [claim: string, charset: string, raw: string, text: string][] = [
  [
    "Japanese, IR 87",
    "\\ISO 2022 IR 87",
    "Yamada^Tarou=\x1b$B;3ED\x1b(B^\x1b$BB@O:\x1b(B",
    "Yamada^Tarou=山田^太郎",
  ],
  [
    "Japanese, IR 13 first",
    "ISO 2022 IR 13\\ISO 2022 IR 87",
    "\xd4\xcf\xc0\xde^\xc0\xdb\xb3=\x1b$B;3ED\x1b(J^\x1b$BB@O:\x1b(J",
    "ﾔﾏﾀﾞ^ﾀﾛｳ=山田^太郎",
  ],
  ["Japanese supplement, IR 159", "\\ISO 2022 IR 159", "\x1b$(D\x30\x21\x1b(B", "丂"],
  [
    "Korean, IR 149",
    "\\ISO 2022 IR 149",
    "Hong^Gildong=\x1b$)C\xfb\xf3^\x1b$)C\xd1\xce\xd4\xd7=\x1b$)C\xc8\xab^\x1b$)C\xb1\xe6\xb5\xbf",
    "Hong^Gildong=洪^吉洞=홍^길동",
  ],
  ["Korean without escape sequences", "ISO 2022 IR 149", "\xc8\xab^\xb1\xe6\xb5\xbf", "홍^길동"],
  [
    "Chinese, GB18030",
    "GB18030",
    "Wang^XiaoDong=\xcd\xf5^\xd0\xa1\xb6\xab",
    "Wang^XiaoDong=王^小东",
  ],
  ["Chinese, GBK", "GBK", "\xcd\xf5^\xd0\xa1\xb6\xab ", "王^小东"],
  ["Chinese, GBK with ISO 2022 before it", "ISO 2022 GBK", "\xcd\xf5^\xd0\xa1\xb6\xab", "王^小东"],
  ["Chinese, GB18030 with ISO 2022 before it", "ISO 2022 GB18030", "\xcd\xf5", "王"],
  ["UTF-8 beside ISO_IR 6, which has ASCII alone", "ISO_IR 6", "M\xc3\xbcller", "Müller"],
  ["Latin-1 beside ISO_IR 6", "ISO_IR 6", "M\xfcller", "Müller"],
  ["UTF-8 by another name", "ISO-10646-UTF-8", "M\xc3\xbcller", "Müller"],
  [
    "Chinese, ISO 2022 IR 58",
    "\\ISO 2022 IR 58",
    "Zhang=\x1b$)A\xd5\xc5^\x1b$)A\xd0\xa1",
    "Zhang=张^小",
  ],
  ["Unicode", "ISO_IR 192", "Wang=\xe7\x8e\x8b^\xe5\xb0\x8f", "Wang=王^小"],
  ["Latin-1", "ISO_IR 100", "Buc^J\xe9r\xf4me", "Buc^Jérôme"],
  ["Latin-2", "ISO_IR 101", "W\xb3och", "Włoch"],
  ["Latin-5", "ISO_IR 148", "\xdeahin", "Şahin"],
  ["Cyrillic", "ISO_IR 144", "\xbb\xee\xdace\xdc\xd1yp\xd3", "Люкceмбypг"],
  ["Greek", "ISO_IR 126", "\xc4\xe9\xef\xed\xf5\xf3\xe9\xef\xf2", "Διονυσιος"],
  [
    "Latin-1 then Greek",
    "\\ISO 2022 IR 100\\ISO 2022 IR 126",
    "Dion=\x1b-F\xc4\xe9^\xe9",
    "Dion=Δι^é",
  ],
  ["a hyphen where an underscore belongs", "ISO-IR 100", "\xe9", "é"],
];

for (const [claim, charset, raw, text] of CASES) {
  Deno.test(`decodeText() reads ${claim}`, () => assert.equal(name(raw, charset), text));
}

Deno.test("decodeText() keeps two-byte characters that hold delimiter bytes whole", () => {
  // 0x5E, 0x5C and 0x3D are halves of these JIS X 0208 characters
  const raw = "\x1b$B\x30\x5e\x30\x5c\x30\x3d\x1b(B^A";
  assert.equal(
    name(raw, "\\ISO 2022 IR 87"),
    `${new TextDecoder("euc-jp").decode(bytesOf("\xb0\xde\xb0\xdc\xb0\xbd"))}^A`,
  );
});

Deno.test("decodeText() without a character set prefers UTF-8, then the group's encoding", () => {
  const utf8 = new TextEncoder().encode("홍^길동"), korean = bytesOf("\xc8\xab^\xb1\xe6\xb5\xbf");
  assert.equal(decodeText(utf8, [], "ISO_IR 149"), "홍^길동");
  assert.equal(decodeText(korean, [], "ISO_IR 149"), "홍^길동");
  assert.equal(decodeText(korean, [""], "ISO_IR 149"), "홍^길동");
});

Deno.test("decodeText() drops padding and never throws on damaged bytes", () => {
  assert.equal(decodeText(bytesOf("AB \0"), []), "AB");
  for (const raw of ["\x1b", "\x1b$", "\x1b$B;", "\x1b$)C\xb1", "\xff\xfe"]) {
    for (const e of DICOM_ENCODINGS) {
      assert.equal(typeof decodeText(bytesOf(raw), [e.term], e.term, true), "string");
    }
    assert.equal(typeof name(raw, "\\ISO 2022 IR 87\\ISO 2022 IR 149"), "string");
  }
});

Deno.test("decodeText() is fast however often a text changes its sets", async () => {
  const terms = ["ISO_IR 100", "ISO 2022 IR 87", "ISO 2022 IR 149"];
  const pieces = [
    "\x1b$B0!\x1b(B",
    "\x1b$(D0!\x1b(B",
    "\x1b$)C\xb0\xa1a",
    "\x1b)I\xb1\x1b-A\xb1",
    "\x1b(Ba",
    "a\xe9",
    "\xe9^",
  ];
  for (const piece of pieces) {
    const bytes = bytesOf(piece.repeat(65_536 / piece.length));
    const ms = await cpuMs(() => decodeText(bytes, terms, undefined, true));
    assert.ok(ms < 100, `${JSON.stringify(piece)}: ${ms} ms`);
  }
});

Deno.test("decodeText() reads a long text of one set", () => {
  // more bytes than a call takes arguments
  const text = "a".repeat(250_000);
  assert.equal(decodeText(bytesOf(`${text}\x1b(B`), ["", "ISO 2022 IR 87"]), text);
});

Deno.test("encodingTerm() falls back to UTF-8 and ids are unique", () => {
  assert.equal(encodingTerm(2), "ISO_IR 149");
  assert.equal(encodingTerm(99), "ISO_IR 192");
  assert.equal(new Set(DICOM_ENCODINGS.map((e) => e.encodingId)).size, DICOM_ENCODINGS.length);
});

Deno.test("readableName() takes the first group that says something", () => {
  assert.equal(readableName("Hong^Gildong=洪^吉洞=홍^길동"), "Hong Gildong");
  assert.equal(readableName("^^^^=홍^길동"), "홍 길동");
  assert.equal(readableName("^^^^"), "");
});
