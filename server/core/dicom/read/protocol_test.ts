import assert from "node:assert/strict";
import {
  type Element,
  Items,
  writeInstance,
} from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import { readInstance } from "@/server/core/dicom/read/instance.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";
import {
  coilName,
  protocolDifferences,
  protocolName,
  protocolOf,
  scannerName,
} from "@/server/core/dicom/read/protocol.ts";

const USUAL: readonly Element[] = [
  [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"],
  [0x00080018, "UI", "1.2.3.1"],
  [0x00080060, "CS", "MR"],
  [0x00080070, "LO", "SIEMENS"],
  [0x00081090, "LO", "Skyra"],
  [0x00180050, "DS", "1"],
  [0x00180080, "DS", "2300"],
  [0x00180081, "DS", "2.98"],
  [0x00180082, "DS", "900"],
  [0x00180087, "DS", "3"],
  [0x00181000, "LO", "45123"],
  [0x00181250, "SH", "HeadNeck_20"],
  [0x00181314, "DS", "9"],
  [0x0020000d, "UI", "1.2.3"],
  [0x0020000e, "UI", "1.2.3.0"],
  [0x00200032, "DS", "0\\0\\0"],
  [0x00200037, "DS", "1\\0\\0\\0\\1\\0"],
  [0x00280030, "DS", "1\\1"],
];

/** DICOM bytes with some elements replaced; "" removes an element. */
function bytesWith(changes: Record<number, string>, added: readonly Element[] = []) {
  const elements = [...USUAL, ...added].map((
    [tag, vr, value],
  ): Element => [tag, vr, changes[tag] ?? value])
    .filter(([, , value]) => value !== "");
  const image = { rows: 4, columns: 4, pixels: new Int16Array(16) };
  return writeInstance(
    elements,
    image as Parameters<typeof writeInstance>[1],
    "explicit",
    "ISO_IR 100",
  );
}

/** The protocol read back from DICOM bytes. */
const protocolWith = (changes: Record<number, string> = {}, added: readonly Element[] = []) =>
  protocolOf(readInstance(bytesWith(changes, added), "a"));

const dataSetWith = (changes: Record<number, string>, added: readonly Element[] = []) =>
  parseStored(bytesWith(changes, added), false).dataSet;
const spaced = (mm: string): Element[] => [[0x00180088, "DS", mm]];

Deno.test("a scanner is named by maker, model and serial number, as far as the header says them", () => {
  const named = (changes: Record<number, string>) => scannerName(dataSetWith(changes));
  assert.equal(named({}), "SIEMENS Skyra 45123");
  assert.equal(named({ 0x00181000: "", 0x00081090: "Sky\nra  Fit" }), "SIEMENS Sky ra Fit");
  assert.equal(named({ 0x00080070: "", 0x00081090: "", 0x00181000: "" }), "");
});

Deno.test("coilName() reads the receive coil, also from the group of an enhanced image", () => {
  assert.equal(coilName(dataSetWith({})), "HeadNeck_20");
  assert.equal(coilName(dataSetWith({ 0x00181250: "Head\n 32 " })), "Head 32");
  assert.equal(coilName(dataSetWith({ 0x00181250: "" })), "");
  const coil = new Items([[[0x00181250, "SH", "Head_64"]]]);
  const groups: Element[] = [[0x52009229, "SQ", new Items([[[0x00189042, "SQ", coil]]])]];
  assert.equal(coilName(dataSetWith({ 0x00181250: "" }, groups)), "Head_64");
});

// covers: S-150
Deno.test("protocolName() gives the distance between slices, which gaps make longer", () => {
  const named = (...added: Element[]) => protocolName(dataSetWith({ 0x00180050: "2" }, added));
  const times = "3 T, TR 2300, TE 3, TI 900, 9°";
  assert.equal(named(), `${times}, 1 × 1 × 2 mm`);
  assert.equal(named(...spaced("3.5")), `${times}, 1 × 1 × 3.5 mm`);
  assert.equal(named(...spaced("1")), `${times}, 1 × 1 × 1 mm`, "slices overlap");
  for (const damaged of ["0", "-3.5", "x"]) {
    assert.equal(named(...spaced(damaged)), `${times}, 1 × 1 × 2 mm`, damaged);
  }
  assert.equal(
    protocolName(dataSetWith({ 0x00280030: "1" })),
    `${times}, 1 × – × 1 mm`,
    "a size is missing",
  );
});

Deno.test("protocolName() reads the groups of an enhanced image", () => {
  const group = (...elements: Element[]) => new Items([elements]);
  const shared = group(
    [0x00189112, "SQ", group([0x00180080, "DS", "2300"], [0x00181314, "DS", "9"])],
    [0x00289110, "SQ", group([0x00180050, "DS", "2"], ...spaced("3"), [0x00280030, "DS", "1\\1"])],
  );
  const plain = [0x00180050, 0x00180080, 0x00180081, 0x00180082, 0x00181314, 0x00280030];
  assert.equal(
    protocolName(
      dataSetWith(Object.fromEntries(plain.map((tag) => [tag, ""])), [[0x52009229, "SQ", shared]]),
    ),
    "3 T, TR 2300, 9°, 1 × 1 × 3 mm",
  );
});

Deno.test("protocolDifferences() of two visits with one protocol is empty", () => {
  assert.deepEqual(protocolDifferences(protocolWith(), protocolWith()), []);
  const rounded = protocolWith({ 0x00180080: "2299.9", 0x00181250: "HEADNECK_20" });
  assert.deepEqual(protocolDifferences(protocolWith(), rounded), []);
});

Deno.test("protocolDifferences() names what differs", () => {
  const differ = (changes: Record<number, string>) =>
    protocolDifferences(protocolWith(), protocolWith(changes));
  assert.deepEqual(differ({ 0x00181000: "9" }), ["scanner"]);
  assert.deepEqual(differ({ 0x00181250: "Head_32" }), ["coil"]);
  assert.deepEqual(differ({ 0x00180087: "1.5", 0x00180082: "1000" }), [
    "field_strength",
    "inversion_time",
  ]);
  assert.deepEqual(differ({ 0x00280030: "0.9\\0.9" }), ["voxel_size"]);
  const gaps = protocolDifferences(protocolWith({}, spaced("1")), protocolWith({}, spaced("1.5")));
  assert.deepEqual(gaps, ["voxel_size"]);
  assert.deepEqual(differ({ 0x00180081: "3.3", 0x00181314: "12" }), ["echo_time", "flip_angle"]);
});

Deno.test("protocolDifferences() counts a field that one header lacks, not one that both lack", () => {
  const silent = protocolWith({ 0x00181250: "" });
  assert.deepEqual(protocolDifferences(protocolWith(), silent), ["coil"]);
  assert.deepEqual(protocolDifferences(silent, silent), []);
});
