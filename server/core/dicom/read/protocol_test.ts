import assert from "node:assert/strict";
import { type Element, writeInstance } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import { readInstance } from "@/server/core/dicom/read/instance.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";
import { protocolDifferences, protocolOf, scannerName } from "@/server/core/dicom/read/protocol.ts";

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

/** DICOM bytes with some elements replaced; "" leaves one out. */
function bytesWith(changes: Record<number, string>) {
  const elements = USUAL.map(([tag, vr, value]): Element => [tag, vr, changes[tag] ?? value])
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
const protocolWith = (changes: Record<number, string> = {}) =>
  protocolOf(readInstance(bytesWith(changes), "a"));

Deno.test("a scanner is named by maker, model and serial number, as far as the header says them", () => {
  const named = (changes: Record<number, string>) =>
    scannerName(parseStored(bytesWith(changes), false).dataSet);
  assert.equal(named({}), "SIEMENS Skyra 45123");
  assert.equal(named({ 0x00181000: "", 0x00081090: "Sky\nra  Fit" }), "SIEMENS Sky ra Fit");
  assert.equal(named({ 0x00080070: "", 0x00081090: "", 0x00181000: "" }), "");
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
  assert.deepEqual(differ({ 0x00180081: "3.3", 0x00181314: "12" }), ["echo_time", "flip_angle"]);
});

Deno.test("protocolDifferences() counts a field that one header lacks, not one that both lack", () => {
  const silent = protocolWith({ 0x00181250: "" });
  assert.deepEqual(protocolDifferences(protocolWith(), silent), ["coil"]);
  assert.deepEqual(protocolDifferences(silent, silent), []);
});
