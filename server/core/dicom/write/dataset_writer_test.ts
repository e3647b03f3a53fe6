import assert from "node:assert/strict";
import dicomParser from "dicom-parser";
import { decimalString, dicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import { cielabValue } from "@/server/core/dicom/write/cielab.ts";
import { maskedUid, uidOf } from "@/server/core/dicom/write/uid.ts";

const joined = (chunks: Iterable<Uint8Array>) => new Uint8Array(Buffer.concat([...chunks]));

Deno.test("dicomFile() is read back by another program: order, padding, nested items, Korean names", () => {
  const file = dicomFile({
    StudyInstanceUID: "1.2.3",
    PatientName: "Kim^Haneul=金^하늘=김^하늘",
    SOPClassUID: "1.2.840.10008.5.1.4.1.1.66.4",
    SOPInstanceUID: "1.2.34",
    PixelSpacing: [0.1 + 0.2, 1e-7],
    AccessionNumber: "",
    StudyID: undefined,
    DimensionIndexPointer: 0x00209113,
    SegmentSequence: [{ SegmentNumber: 1, RecommendedDisplayCIELabValue: [1, 2, 65535] }, {
      SegmentNumber: 2,
    }],
    EncapsulatedDocument: Uint8Array.of(1, 2, 3),
  }, { sizeBytes: 3, chunks: () => [Uint8Array.of(7, 8), Uint8Array.of(9)] });
  const bytes = joined(file.chunks());
  assert.equal(bytes.length, file.sizeBytes);
  const dataSet = dicomParser.parseDicom(bytes), { elements } = dataSet;
  const tags = Object.keys(elements).filter((tag) => !tag.startsWith("x0002"));
  assert.deepEqual(tags, tags.toSorted());
  assert.equal(dataSet.string("x00020003"), "1.2.34");
  assert.equal(dataSet.string("x0020000d"), "1.2.3");
  assert.deepEqual([elements.x00080050!.length, elements.x00200010], [0, undefined]);
  const name = elements.x00100010!;
  assert.equal(
    new TextDecoder().decode(bytes.subarray(name.dataOffset, name.dataOffset + name.length)).trim(),
    "Kim^Haneul=金^하늘=김^하늘",
  );
  assert.deepEqual([dataSet.floatString("x00280030", 0), dataSet.floatString("x00280030", 1)], [
    0.3,
    1e-7,
  ]);
  assert.equal(elements.x00620002!.items!.length, 2);
  const item = elements.x00620002!.items![0]!.dataSet!;
  assert.deepEqual([0, 1, 2].map((i) => item.uint16("x0062000d", i)), [1, 2, 65535]);
  assert.equal(elements.x00420011!.length, 4);
  const pixels = elements.x7fe00010!;
  assert.deepEqual([...bytes.subarray(pixels.dataOffset)], [7, 8, 9, 0]);
  assert.deepEqual(joined(file.chunks()), bytes);
});

Deno.test("dicomFile() refuses a value that its representation cannot hold", () => {
  assert.throws(
    () => dicomFile({ SOPInstanceUID: "1", PatientName: "x".repeat(70_000) }),
    RangeError,
  );
  assert.throws(() => dicomFile({ SOPInstanceUID: "1", SliceThickness: NaN }), RangeError);
});

Deno.test("decimalString() keeps to 16 characters and to the nearest value", () => {
  for (
    const value of [0, -0.5, 1 / 3, -1 / 3e7, 123456789.123456789, -2.2250738585072014e-308, 1e21]
  ) {
    const text = decimalString(value);
    assert.ok(text.length <= 16, text);
    assert.ok(Math.abs(Number(text) - value) <= 1e-8 * Math.abs(value), `${text} for ${value}`);
  }
  assert.equal(decimalString(0.9375), "0.9375");
});

Deno.test("cielabValue() gives the ICC values of known colours", () => {
  const lab = (rgb: [number, number, number]) => {
    const [l, a, b] = cielabValue(rgb);
    return [l / 655.35, a / 257 - 128, b / 257 - 128].map((x) => Math.round(x * 10) / 10);
  };
  assert.deepEqual(lab([255, 255, 255]), [100, 0, 0]);
  assert.deepEqual(lab([0, 0, 0]), [0, 0, 0]);
  // sRGB red, green and blue relative to D50
  assert.deepEqual(lab([255, 0, 0]), [54.3, 80.8, 69.9]);
  assert.deepEqual(lab([0, 255, 0]), [87.8, -79.3, 81]);
  assert.deepEqual(lab([0, 0, 255]), [29.6, 68.3, -112]);
});

Deno.test("uidOf() and maskedUid() give UIDs of one form, the same for the same and other for other input", () => {
  const key = new Uint8Array(32).fill(1), other = new Uint8Array(32).fill(2);
  const uids = [
    uidOf("a", 1),
    uidOf("a", "1"),
    uidOf("a1"),
    maskedUid(key, "1.2"),
    maskedUid(other, "1.2"),
  ];
  assert.equal(new Set(uids).size, 5);
  assert.ok(uids.every((uid) => /^2\.25\.[1-9]\d{30,38}$/.test(uid) && uid.length <= 64));
  assert.equal(maskedUid(key, "1.2"), uids[3]);
});
