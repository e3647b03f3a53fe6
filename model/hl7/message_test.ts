// covers: S-142
import assert from "node:assert/strict";
import { type Identifier, patientIdOf, readAdt } from "@/model/hl7/adt.ts";
import {
  acknowledgement,
  eventInstant,
  headerOf,
  type Hl7Condition,
  Hl7Error,
  type Hl7Header,
  instantOf,
  MAX_MESSAGE_BYTES,
  readMessage,
  tooLong,
} from "@/model/hl7/message.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const MSH = "MSH|^~\\&|HIS|HOSP|SULCUS|MR|20260301||ADT^A08|C1|P|2.5";
const PID = "PID|1||4711||Doe^Jane||19600101|F";
const read = (bytes: Uint8Array, fallback?: Parameters<typeof readMessage>[1]) => {
  const message = readMessage(bytes, fallback);
  return readAdt(message, headerOf(message), "UTC");
};

/** The condition and place of a refusal. */
function refusal(bytes: Uint8Array): [Hl7Condition, string] {
  try {
    read(bytes);
  } catch (error) {
    if (error instanceof Hl7Error) return [error.condition, error.place];
    throw error;
  }
  throw new Error("It was read");
}

/** ISO 2022: the bytes of EUC without their high bit, between a designation and ASCII. */
const designated = (code: string, euc: readonly number[]) => [
  0x1b,
  ...utf8(code),
  ...euc.map((byte) => byte & 0x7f),
  ...utf8("\x1b(B"),
];

Deno.test("readAdt() reads names in each character set of MSH-18, and in none that is wrong", () => {
  const message = (set: string, name: readonly number[]) =>
    Uint8Array.from([
      ...utf8(`${MSH}||||||${set}\rPID|1||4711||`),
      ...name,
      ...utf8("||19600101|F\r"),
    ]);
  // KS X 1001, 8859-1, JIS X 0208 (its second byte is a field separator), JIS X 0212
  const korean = [0xb1, 0xe8, 0x5e, 0xb9, 0xce, 0xbc, 0xf6];
  const cases: [string, readonly number[], string][] = [
    ["UNICODE UTF-8", [...utf8("김^민수")], "김^민수"],
    ["KS X 1001", korean, "김^민수"],
    ["ISO IR149", korean, "김^민수"],
    ["ISO IR 149", korean, "김^민수"],
    ["8859/1", [0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72], "Müller"],
    ["8859-1", [0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72], "Müller"],
    ["ASCII~ISO IR87", designated("$B", [0xbb, 0xb3, 0xc5, 0xc4]), "山田"],
    ["ISO IR87", designated("$B", [0xc3, 0xfc]), "凋"],
    ["~ISO IR159", designated("$(D", [0xb0, 0xa1]), "丂"],
    ["", [...utf8("김^민수")], "김^민수"],
  ];
  for (const [set, bytes, name] of cases) {
    assert.equal(read(message(set, bytes)).patient.name, name, `MSH-18 is "${set}"`);
  }
  assert.equal(read(message("", korean), "ISO_IR 149").patient.name, "김^민수");
  assert.deepEqual(refusal(message("", korean)), ["type", "MSH^1^18"]);
  assert.deepEqual(refusal(message("UNICODE UTF-8", korean)), ["type", "MSH^1^18"]);
  assert.deepEqual(refusal(message("ASCII", korean)), ["type", "MSH^1^18"]);
  assert.deepEqual(refusal(message("EBCDIC", korean)), ["value", "MSH^1^18"]);
});

Deno.test("readAdt() reads a merge with other separators, escapes, repetitions and ends of lines", () => {
  const text = [
    "MSH$%!?*$HIS$HOSP$$$20260301$$ADT%A40$C2$P$2.3.1",
    "EVN$A40$20260228101500+0900",
    "PID$1$$77%%%RIS%PI!0815%%%HOSP*1.2.3*ISO%MR$$Lee?T?Co%Ann%B%Jr%Dr!李%安%%%%%%I$$196001$X",
    "PV1$1$I",
    "MRG$42%%%HOSP%MR",
    "",
  ].join("\r\n");
  assert.deepEqual(read(utf8(text)), {
    kind: "merge",
    patient: {
      identifiers: [
        { id: "77", authority: "RIS", type: "PI" },
        { id: "0815", authority: "HOSP", type: "MR" },
      ],
      name: "Lee*Co^Ann^B^Dr^Jr=李^安",
      birthDate: null,
      birthPart: "1960-01",
      sex: null,
    },
    prior: [{ id: "42", authority: "HOSP", type: "MR" }],
    eventMs: Date.parse("2026-02-28T01:15:00Z"),
  });
});

Deno.test("readAdt() prefers the legal name, and reads escaped line ends as blanks", () => {
  const nameIn = (field: string) => {
    const text = ["MSH|^~\\&|HIS|H|||20260301||ADT^A08|C3|P|2.5", `PID|1||7||${field}`].join("\r");
    return read(utf8(text)).patient.name;
  };
  assert.equal(nameIn("Nick^Name^^^^^N~Legal^Name^^^^^L"), "Legal^Name");
  assert.equal(nameIn("Shown^Name^^^^^D~Maiden^Name^^^^^M~No^Type"), "No^Type");
  assert.equal(nameIn("Born^Name^^^^^B~Shown^Name^^^^^D"), "Shown^Name");
  assert.equal(nameIn("First^Name^^^^^A~Second^Name^^^^^N"), "First^Name");
  assert.equal(nameIn("Kim^M^^^^^L^A~Nick^M^^^^^N^A~金^民^^^^^L^I"), "Kim^M=金^民");
  assert.equal(nameIn("A\\X0D0A\\C^B"), "A C^B");
});

Deno.test("readAdt() shows characters that are invisible or turn a text around, as headers do", () => {
  const hidden = "\u202e\u202d\u2066\u2069\u200e\u200f\u061c\u200b\ufeff\u2060\u00ad";
  for (const each of hidden) {
    const text = `${MSH}||||||UNICODE UTF-8\r${
      PID.replace("4711", `47${each}11`).replace("Doe^Jane", `D${each}oe^Jane`)
    }\r`;
    const { patient } = read(utf8(text));
    const code = `[U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`;
    assert.equal(patient.name, `D${code}oe^Jane`);
    assert.equal(patient.identifiers[0]!.id, `47${code}11`);
  }
  const joined = "علی\u200cرضا";
  const text = `${MSH}||||||UNICODE UTF-8\r${PID.replace("Doe^Jane", joined)}\r`;
  assert.equal(read(utf8(text)).patient.name, joined);
});

Deno.test("readMessage() and readAdt() say what they do not take, and where", () => {
  const cases: [string, [Hl7Condition, string]][] = [
    ["", ["sequence", "MSH^1^2"]],
    ["PID|1", ["sequence", "MSH^1^2"]],
    ["MSH|^^\\&|HIS", ["sequence", "MSH^1^2"]],
    [`${MSH}\r${MSH}\r${PID}`, ["sequence", "MSH"]],
    [`${MSH}\rBHS|x\r${PID}`, ["sequence", "BHS"]],
    [`${MSH}\r${PID}\r${PID}`, ["sequence", "PID^2"]],
    [MSH, ["sequence", "PID"]],
    [MSH + "\rNTE|1".repeat(1000), ["limit", "MSH"]],
    ["A".repeat(MAX_MESSAGE_BYTES + 1), ["limit", "MSH"]],
    [`${MSH}\r${PID.replace("4711", "1~".repeat(1000))}`, ["limit", "PID^1^3"]],
    [MSH.replace("2.5", "3.0"), ["version", "MSH^1^12"]],
    [MSH.replace("|C1|", "||"), ["required", "MSH^1^10"]],
    [MSH.replace("|C1|", '|""|'), ["required", "MSH^1^10"]],
    [MSH.replace("|C1|", `|${"C".repeat(200)}|`), ["limit", "MSH^1^10"]],
    [MSH.replace("|C1|", "|C 1|"), ["type", "MSH^1^10"]],
    // an index refused it, and with it every later message
    [MSH.replace("HIS", "H".repeat(500)), ["type", "MSH^1^3"]],
    [MSH.replace("|P|", "|T|"), ["processing", "MSH^1^11"]],
    [MSH.replace("ADT^A08", "ORU^R01"), ["message", "MSH^1^9"]],
    [MSH.replace("A08", "A34"), ["event", "MSH^1^9"]],
    [MSH.replace("A08", "constructor"), ["event", "MSH^1^9"]],
    [`${MSH}\r${PID.replace("4711", "")}`, ["required", "PID^1^3"]],
    [`${MSH}\r${PID.replace("4711", '""')}`, ["required", "PID^1^3"]],
    [`${MSH}\r${PID.replace("4711", "4".repeat(65))}`, ["type", "PID^1^3"]],
    [`${MSH}\r${PID.replace("19600101", "19600231")}`, ["type", "PID^1^7"]],
    [`${MSH}\r${PID.replace("19600101", "30000101")}`, ["type", "PID^1^7"]],
    [`${MSH.replace("A08", "A40")}\r${PID}`, ["sequence", "MRG"]],
    [`${MSH.replace("A08", "A47")}\r${PID}\rMRG|`, ["required", "MRG^1^1"]],
    [`${MSH.replace("A08", "A40")}\r${PID}\rMRG|1\rMRG|2`, ["sequence", "MRG^2"]],
  ];
  for (const [text, expected] of cases) assert.deepEqual(refusal(utf8(text)), expected, text);
});

Deno.test("acknowledgement() answers AA, AE and AR in the sender's version, whatever came", () => {
  const error = (condition: Hl7Condition) => new Hl7Error(condition, "PID^1^3");
  const of = (text: string, refused: Hl7Error | null) =>
    acknowledgement(utf8(text), "9", refused).replace(/\d{14}\+0000/, "AT");
  assert.equal(
    of(`${MSH}\r${PID}`, null),
    "MSH|^~\\&|SULCUS|MR|HIS|HOSP|AT||ACK^A08^ACK|9|P|2.5\rMSA|AA|C1\r",
  );
  assert.equal(
    of(MSH.replace("2.5", "2.3"), error("required")),
    "MSH|^~\\&|SULCUS|MR|HIS|HOSP|AT||ACK^A08^ACK|9|P|2.3\rMSA|AE|C1\r" +
      "ERR||PID^1^3|101^Required field missing^HL70357|E\r",
  );
  assert.ok(of(MSH, error("event")).includes("\rMSA|AR|C1\r"));
  assert.ok(of("", error("sequence")).includes("\rMSA|AR|\r"));
  // the table has no code for a limit of the receiver
  assert.ok(
    of(MSH, tooLong()).endsWith(
      "\rMSA|AE|C1\rERR||MSH|207^Application internal error^HL70357|E||||" +
        "Message too long: more than 262144 bytes\r",
    ),
  );
});

Deno.test("patientIdOf() takes one identifier for certain or none", () => {
  const id = (id: string, type = "", authority = ""): Identifier => ({ id, type, authority });
  const cases: [Identifier[], string, string | null][] = [
    [[id("1")], "", "1"],
    [[id("1"), id("1", "MR")], "", "1"],
    [[id("1"), id("2")], "", null],
    [[id("1", "PI"), id("2", "MR"), id("3", "SS")], "", "2"],
    [[id("1", "MR", "A"), id("2", "MR", "B")], "", null],
    [[id("1", "MR", "A"), id("2", "MR", "B")], "B", "2"],
    [[id("1", "MR", "A")], "B", null],
    [[id("1", "PI"), id("3", "SS")], "", "1"],
  ];
  for (const [identifiers, authority, expected] of cases) {
    assert.equal(patientIdOf(identifiers, authority), expected, JSON.stringify(identifiers));
  }
});

Deno.test("instantOf() reads times with and without parts and zone", () => {
  assert.equal(instantOf("2026"), Date.UTC(2026, 0));
  assert.equal(instantOf("20260301101112.1234-0130"), Date.UTC(2026, 2, 1, 11, 41, 12, 123));
  for (const odd of ["", "x", "202613", "20260301T10", "2026030110111"]) {
    assert.equal(instantOf(odd), null, odd);
  }
  assert.equal(instantOf("20260301101112", "Asia/Seoul"), Date.UTC(2026, 2, 1, 1, 11, 12));
  assert.equal(instantOf("20260301101112+0100", "Asia/Seoul"), Date.UTC(2026, 2, 1, 9, 11, 12));
});

Deno.test("eventInstant() reads a time without a zone in that of MSH-7, or else of the site", () => {
  const at = (sentAt: string, ...times: string[]) =>
    eventInstant(times, { sentAt } as Hl7Header, "Asia/Seoul");
  const one = Date.UTC(2026, 2, 1, 1);
  assert.equal(at("20260301100000"), one);
  assert.equal(at("20260301100000+0900"), one);
  assert.equal(at("", "20260301100000"), one);
  assert.equal(at("20260301020000+0100", "20260301020000"), one);
  assert.equal(at("20260301020000+0100", "20260301010000+0000"), one);
  assert.equal(at("x", "y"), null);
  assert.equal(at("20260301100000", ""), one);
});

/** Random numbers below `n` from a seed (mulberry32). */
export function randomOf(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * n);
  };
}

Deno.test("whatever text a name has, it is read back; whatever bytes come, they are read or refused", () => {
  const random = randomOf(7), letters = "aZé김李|^~\\&\t ·0";
  for (let round = 0; round < 2000; round++) {
    const name = Array.from({ length: 1 + random(20) }, () => [...letters][random(13)]!).join("");
    const encoded = name.replaceAll(
      /[|^~\\&]/g,
      (sign) => `\\${{ "|": "F", "^": "S", "~": "R", "\\": "E", "&": "T" }[sign]}\\`,
    );
    const text = `${MSH}||||||UNICODE UTF-8\r${PID.replace("Doe^Jane", encoded)}\r`;
    const expected = name.replaceAll(/[\t\\^=]/g, " ").trim();
    // DICOM has no backslash and no separators inside a part of a name
    const found = read(utf8(text)).patient.name;
    assert.equal((found ?? "").replaceAll(/ +/g, " "), expected.replaceAll(/ +/g, " "), text);
  }
  const whole = utf8(`${MSH}||||||UNICODE UTF-8\r${PID}\r`);
  let refused = 0;
  for (let round = 0; round < 5000; round++) {
    const bytes = whole.slice(0, random(2) ? whole.length : random(whole.length));
    for (let n = random(6); n >= 0; n--) {
      if (bytes.length) bytes[random(bytes.length)] = random(256);
    }
    try {
      read(bytes);
    } catch (error) {
      if (!(error instanceof Hl7Error)) throw error;
      refused++;
    }
    acknowledgement(bytes, "1", null);
  }
  assert.ok(refused > 1000 && refused < 5000);
});
