import assert from "node:assert/strict";
import dicomParser, { type DataSet } from "dicom-parser";
import { deidentifyFile } from "@/server/core/dicom/deidentify/deidentify.ts";
import { pseudonym, shiftDays, shiftedDate } from "@/server/core/dicom/deidentify/identity.ts";
import {
  type Element,
  Items,
  type PixelEncoding,
  writeInstance,
} from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";

const OPTIONS = { key: new Uint8Array(32).fill(3), patient: "id:SP-1", dates: "removed" as const };
/** What must not be found in any export. */
const SECRETS = [
  "Kim",
  "SP-1",
  "19580312",
  "20260105",
  "Dr.Lee",
  "Ward",
  "secret",
  "1.2.410.99",
  "SN-77",
  "042Y",
];

const STUDY: Element[] = [
  [0x00080008, "CS", ["ORIGINAL", "PRIMARY"]],
  [0x00080012, "DA", "20260105"],
  [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"],
  [0x00080018, "UI", "1.2.410.99.1.1"],
  [0x00080020, "DA", "20260105"],
  [0x00080021, "DA", "20260105"],
  [0x00080022, "DA", "20260105"],
  [0x00080023, "DA", "20260105"],
  [0x00080030, "TM", "101112"],
  [0x0008002a, "DT", "20260105101112.5+0900"],
  [0x00080050, "SH", "secret-acc"],
  [0x00080060, "CS", "MR"],
  [0x00080070, "LO", "Vendor"],
  [0x00080080, "LO", "Ward 7 secret"],
  [0x00080090, "PN", "Dr.Lee"],
  [0x0008103e, "LO", "T1 of Kim"],
  [
    0x00081140,
    "SQ",
    new Items([[
      [0x00081150, "UI", "1.2.840.10008.5.1.4.1.1.4"],
      [0x00081155, "UI", "1.2.410.99.1.2"],
    ]]),
  ],
  [0x00090010, "LO", "VENDOR secret"],
  [0x00091001, "LO", "Kim"],
  [0x00100010, "PN", "Kim^Haneul"],
  [0x00100020, "LO", "SP-1"],
  [0x00100030, "DA", "19580312"],
  [0x00100040, "CS", "F"],
  [0x00101010, "AS", "042Y"],
  [0x00104000, "LT", "secret comment"],
  // neither in the profile nor private: a name all the same
  [0x00142006, "PN", "Kim^Evaluator"],
  [0x00180087, "DS", "3"],
  [0x00181000, "LO", "SN-77"],
  [0x0020000d, "UI", "1.2.410.99.2"],
  [0x0020000e, "UI", "1.2.410.99.3"],
  [0x00200052, "UI", "1.2.410.99.4"],
  [0x00200032, "DS", ["-90.5", "1e1", "3"]],
  [0x00204000, "LT", "secret"],
  [0x60000010, "US", 4],
  [0x60003000, "OW", "secret"],
];

const image = { columns: 4, rows: 4, pixels: Int16Array.from({ length: 16 }, (_, i) => 300 * i) };
const written = (encoding: PixelEncoding, more: Element[] = []) =>
  writeInstance([...STUDY, ...more], image, encoding, "ISO_IR 192");
const masked = (bytes: Uint8Array, options: Parameters<typeof deidentifyFile>[1] = OPTIONS) => {
  const out = deidentifyFile(bytes, options)!;
  return {
    out,
    dataSet: dicomParser.parseDicom(out),
    found: new TextDecoder("latin1").decode(out),
  };
};
const raw = (dataSet: DataSet, tag: string) => {
  const { dataOffset, length } = dataSet.elements[tag]!;
  return dataSet.byteArray.slice(dataOffset, dataOffset + length);
};

for (const encoding of ["explicit", "implicit", "big_endian", "rle", "jpeg_lossless"] as const) {
  // covers: S-86
  Deno.test(`deidentifyFile() leaves the image and nothing of whose it is: ${encoding}`, () => {
    const bytes = written(encoding), source = dicomParser.parseDicom(bytes);
    const { dataSet, found } = masked(bytes);
    assert.deepEqual(SECRETS.filter((secret) => found.includes(secret)), []);
    assert.equal(dataSet.string("x00020010"), source.string("x00020010"));
    assert.equal(dataSet.string("x00020003"), dataSet.string("x00080018"));
    // what the pixels mean stays, byte for byte
    for (
      const tag of ["x7fe00010", "x00200032", "x00180087", "x00280010", "x00080008", "x00080070"]
    ) {
      assert.deepEqual(raw(dataSet, tag), raw(source, tag), tag);
    }
    assert.ok(
      !Object.keys(dataSet.elements).some((tag) => parseInt(tag.slice(4, 5), 16) % 2 === 1),
    );
    assert.ok(!Object.keys(dataSet.elements).some((tag) => tag.startsWith("x60")));
    // Z: there, and empty
    for (
      const tag of ["x00080020", "x00080030", "x00080050", "x00080090", "x00100030", "x00100040"]
    ) {
      assert.equal(dataSet.elements[tag]?.length, 0, tag);
    }
    for (
      const tag of ["x00101010", "x00104000", "x0008103e", "x00080012", "x00142006", "x00204000"]
    ) {
      assert.equal(dataSet.elements[tag], undefined, tag);
    }
    // U: in sequences too, and the same for the same
    const reference = dataSet.elements.x00081140!.items![0]!.dataSet!;
    assert.equal(reference.string("x00081150"), "1.2.840.10008.5.1.4.1.1.4");
    assert.match(reference.string("x00081155")!, /^2\.25\.\d+$/);
    assert.notEqual(reference.string("x00081155"), dataSet.string("x00080018"));
    const name = pseudonym(OPTIONS);
    assert.deepEqual([dataSet.string("x00100010"), dataSet.string("x00100020")], [name, name]);
    assert.equal(dataSet.string("x00120062"), "YES");
    const codes = dataSet.elements.x00120064!.items!.map(({ dataSet: item }) =>
      item!.string("x00080100")
    );
    assert.deepEqual(codes, ["113100"]);
    assert.deepEqual([dataSet.string("x00280302"), dataSet.string("x00280303")], [
      "YES",
      "REMOVED",
    ]);
    assert.deepEqual(masked(bytes).out, masked(bytes).out);
  });
}

// covers: S-86
Deno.test("deidentifyFile() masks by the site's key and the patient", () => {
  const bytes = written("explicit");
  const uid = (options: typeof OPTIONS) => masked(bytes, options).dataSet.string("x0020000d");
  const otherKey = { ...OPTIONS, key: new Uint8Array(32).fill(4) };
  assert.equal(uid(OPTIONS), uid({ ...OPTIONS, patient: "id:other" }));
  assert.notEqual(uid(OPTIONS), uid(otherKey));
  assert.equal(
    new Set([OPTIONS, otherKey, { ...OPTIONS, patient: "id:other" }].map(pseudonym)).size,
    3,
  );
});

Deno.test("deidentifyFile() shifts all dates of a patient by the same days when asked to", () => {
  const options = { ...OPTIONS, dates: "shifted" as const }, days = shiftDays(options);
  assert.ok(days >= 1 && days <= 3650);
  for (const encoding of ["explicit", "implicit"] as const) {
    const { dataSet, found } = masked(written(encoding), options);
    assert.ok(!found.includes("20260105") && !found.includes("19580312"));
    for (const tag of ["x00080012", "x00080020", "x00080021", "x00080022", "x00080023"]) {
      assert.equal(dataSet.string(tag), shiftedDate("20260105", days), tag);
    }
    assert.equal(dataSet.string("x0008002a"), `${shiftedDate("20260105", days)}101112.5+0900`);
    assert.equal(dataSet.string("x00080030"), "101112");
    assert.equal(dataSet.elements.x00100030!.length, 0);
    assert.equal(dataSet.string("x00280303"), "MODIFIED");
    const codes = dataSet.elements.x00120064!.items!.map(({ dataSet: item }) =>
      item!.string("x00080100")
    );
    assert.deepEqual(codes, ["113100", "113107"]);
  }
});

Deno.test("shiftedDate() crosses months and leap days, and empties what is no date", () => {
  assert.equal(shiftedDate("20240301", 1), "20240229");
  assert.equal(shiftedDate("20260101120000.000+0100", 1), "20251231120000.000+0100");
  assert.equal(shiftedDate("20260105\\20260106", 5), "20251231\\20260101");
  assert.equal(shiftedDate("2026", 1), "");
});

// covers: S-86
Deno.test("deidentifyFile() gives nothing of a picture with identity burned in, and refuses damage", () => {
  assert.equal(deidentifyFile(written("explicit", [[0x00280301, "CS", "YES"]]), OPTIONS), null);
  assert.ok(deidentifyFile(written("explicit", [[0x00280301, "CS", "NO"]]), OPTIONS));
  assert.throws(() => deidentifyFile(written("explicit").subarray(0, 700), OPTIONS), {
    code: "engine.unsupported_input",
  });
});

Deno.test("deidentifyFile() takes files without preamble or transfer syntax, and makes whole ones of them", () => {
  const bytes = written("implicit"),
    head = dicomParser.parseDicom(bytes, { untilTag: "x00080005" });
  const start = head.elements.x00080005!.dataOffset - 8;
  const { dataSet, found } = masked(bytes.subarray(start));
  assert.deepEqual(SECRETS.filter((secret) => found.includes(secret)), []);
  assert.equal(dataSet.string("x00020010"), "1.2.840.10008.1.2");
  assert.deepEqual(masked(bytes).out, masked(bytes.subarray(start)).out);
});
