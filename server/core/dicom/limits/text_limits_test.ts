// covers: S-105
import assert from "node:assert/strict";
import { boundedText } from "@/server/core/dicom/limits/text_limits.ts";
import { readHeader } from "@/server/core/dicom/read/instance.ts";
import { visibleText } from "@/model/visible_text.ts";

/** A data set of explicit little endian with these elements, [group, element, VR, value], in order of their tags. */
function fileWith(
  elements: [group: number, element: number, vr: string, value: Uint8Array][],
): Uint8Array {
  const parts = elements.map(([group, element, vr, value]) => {
    const even = value.length % 2 === 0 ? value : new Uint8Array([...value, 0x20]);
    const isLong = ["UT", "OB", "UN"].includes(vr);
    const head = new DataView(new ArrayBuffer(isLong ? 12 : 8));
    head.setUint16(0, group, true);
    head.setUint16(2, element, true);
    head.setUint8(4, vr.charCodeAt(0));
    head.setUint8(5, vr.charCodeAt(1));
    if (isLong) head.setUint32(8, even.length, true);
    else head.setUint16(6, even.length, true);
    return Buffer.concat([new Uint8Array(head.buffer), even]);
  });
  return new Uint8Array(
    Buffer.concat([new Uint8Array(128), Buffer.from("DICM"), ...metaOf(), ...parts]),
  );
}
function metaOf(): Uint8Array[] {
  const syntax = Buffer.from("1.2.840.10008.1.2.1\0"), head = Buffer.alloc(8);
  head.writeUInt16LE(2, 0);
  head.writeUInt16LE(0x10, 2);
  head.write("UI", 4);
  head.writeUInt16LE(syntax.length, 6);
  return [head, syntax];
}
const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("a name of ten megabytes, in whatever representation, is cut to what the standard allows", () => {
  const long = new Uint8Array(10 << 20).fill(0x41);
  const header = readHeader(
    fileWith([
      [0x0008, 0x0018, "UI", bytes("1.2.3")],
      [0x0008, 0x103e, "UT", long],
      [0x0010, 0x0010, "UT", long],
      [0x0010, 0x0020, "UT", long],
    ]),
    "",
  );
  assert.equal(header.patientName.length, 64);
  assert.equal(header.seriesDescription.length, 64);
  assert.equal(header.patientId.length, 64);
  assert.match(header.patientName, /^A+…$/);
});

Deno.test("identifiers that differ after the limit stay different", () => {
  const a = boundedText(`${"7".repeat(80)}A`, "LO", true),
    b = boundedText(`${"7".repeat(80)}B`, "LO", true);
  assert.notEqual(a, b);
  assert.equal(a.length, 64);
  assert.equal(boundedText("7".repeat(64), "LO", true), "7".repeat(64));
});

Deno.test("boundedText() counts each group of a name, and characters as people do", () => {
  const group = "김".repeat(70);
  assert.deepEqual(
    boundedText(`${group}=${group}`, "PN").split("=").map((each) => [...each].length),
    [
      64,
      64,
    ],
  );
  assert.equal([...boundedText("𠮷".repeat(64), "LO")].length, 64);
  assert.equal(boundedText("x".repeat(17), "SH").length, 16);
});

Deno.test("control, zero-width and bidirectional characters of tags are shown escaped", () => {
  const name = "Kim\u202Egnip\u200B^A\u0007\u2066B";
  const header = readHeader(
    fileWith([
      [0x0008, 0x0005, "CS", bytes("ISO_IR 192")],
      [0x0008, 0x0018, "UI", bytes("1.2.3")],
      [0x0010, 0x0010, "PN", bytes(name)],
      [0x0010, 0x0020, "LO", bytes("12\u200F34")],
    ]),
    "",
  );
  assert.equal(header.patientName, "Kim[U+202E]gnip[U+200B]^A[U+0007][U+2066]B");
  assert.equal(header.patientId, "12[U+200F]34");
  for (const text of ["김 하늘", "O'Neil", "José", "محمد", "洪^吉洞", "a\u0301"]) {
    assert.equal(visibleText(text), text);
  }
});

/** Names with joiners, which change the letters beside them and which only UTF-8 can carry. */
const JOINED = {
  persian: "علی\u200cرضا^می\u200cخواه",
  sinhala: "ශ්\u200dරී^ප්\u200dරසාද්",
  bengali: "র\u200d্যামন",
  hindi: "लक्ष्मण्\u200dसिंह",
  malayalam: "രമേശന്\u200d",
  kannada: "ರಾಜ್\u200cಕುಮಾರ್",
};

Deno.test("joiners that belong to a name are letters of it, and others are shown escaped", () => {
  for (const name of Object.values(JOINED)) {
    const header = readHeader(
      fileWith([
        [0x0008, 0x0005, "CS", bytes("ISO_IR 192")],
        [0x0008, 0x0018, "UI", bytes("1.2.3")],
        [0x0010, 0x0010, "PN", bytes(name)],
      ]),
      "",
    );
    assert.equal(header.patientName, name);
  }
  // where they change nothing that can be seen
  for (
    const name of [
      "Ki\u200cm",
      "Kim\u200d",
      "김\u200d하늘",
      "د\u200cر",
      "علی\u200c",
      "\u200cعلی",
      "م\u200dح",
      "क\u200d",
      "क्\u200d\u200d",
    ]
  ) {
    assert.match(visibleText(name), /\[U\+200[CD]\]/, name);
  }
});
