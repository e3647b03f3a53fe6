// covers: D1-2.13
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { groupStudies } from "@/model/worklist/upload_study.ts";
import { readTags } from "@/client/dicom_scan/read_tags.ts";
import { scanFile } from "@/client/dicom_scan/scan.ts";
import { readHeader } from "@/server/core/dicom/read/instance.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const slices = phantomSeries("short", "TAGS-1");
const scanOf = (bytes: Uint8Array<ArrayBuffer>, isNamed = true) =>
  scanFile({ index: 3, file: new Blob([bytes]), isNamed });
/** Replaces one text in the bytes by another text of the same length. */
function replaced(
  bytes: Uint8Array<ArrayBuffer>,
  from: string,
  to: string,
): Uint8Array<ArrayBuffer> {
  const copy = Buffer.from(bytes), at = copy.indexOf(from, 132, "latin1");
  assert.ok(at > 0 && from.length === to.length);
  copy.write(to, at, "latin1");
  return new Uint8Array(copy);
}

// covers: D1-3.8
Deno.test("readTags() reads from the head of a file what the server reads from the whole of it", () => {
  for (const { bytes, fileName } of slices.slice(0, 3)) {
    const header = readHeader(bytes, fileName), answer = readTags(bytes.subarray(0, 4096));
    assert.ok("tags" in answer);
    const { tags } = answer;
    for (
      const key of [
        "patientId",
        "studyUid",
        "seriesUid",
        "instanceUid",
        "seriesDescription",
      ] as const
    ) {
      assert.equal(tags[key], header[key], key);
    }
    assert.equal(tags.modality, "MR");
    assert.equal(tags.studyDate, header.studyDate);
    assert.deepEqual(tags.imageType, header.imageType);
    assert.match(tags.patientName, /^Kim Haneul$/);
  }
});

Deno.test("readTags() reads a data set without preamble, and never throws on damaged bytes", () => {
  const whole = slices[0]!.bytes, header = readHeader(whole, "");
  // the group length in the file meta information gives the start of the data set
  const start = 144 + new DataView(whole.buffer, whole.byteOffset).getUint32(140, true);
  const bare = readTags(whole.subarray(start));
  assert.ok("tags" in bare && bare.tags.instanceUid === header.instanceUid);
  for (let length = 0; length < 1200; length += 7) {
    const answer = readTags(whole.subarray(0, length));
    if ("tags" in answer) assert.equal(answer.tags.studyUid, header.studyUid);
  }
  const damaged = whole.slice(0, 2000);
  for (let i = 132; i < damaged.length; i++) damaged[i] = (i * 7919) & 255;
  assert.ok("reason" in readTags(damaged));
});

Deno.test("scanFile() says of every file what it is", async () => {
  const whole = slices[0]!.bytes, text = new TextEncoder().encode("not an image".repeat(20));
  const good = await scanOf(whole, false);
  assert.ok("tags" in good && good.index === 3);
  assert.deepEqual(await scanOf(text), { index: 3, reason: "not_dicom" });
  assert.deepEqual(await scanOf(text, false), { index: 3, isLeftOut: true });
  // a packed file is named by its format, independent of the file name
  const gzip = new Uint8Array([0x1f, 0x8b, 0x08, ...new Uint8Array(100)]);
  const packed = { index: 3, reason: "packed", details: { format: "gzip" } };
  for (const isNamed of [true, false]) assert.deepEqual(await scanOf(gzip, isNamed), packed);
  assert.deepEqual(await scanOf(whole.slice(0, 300)), { index: 3, reason: "truncated" });
  assert.deepEqual(await scanOf(whole.slice(0, 307)), { index: 3, reason: "truncated" });
  assert.deepEqual(await scanOf(replaced(whole, "MR\x08\x00", "CT\x08\x00")), {
    index: 3,
    reason: "modality",
    details: { modality: "CT" },
  });
  const gone = {
    slice: () => ({ arrayBuffer: () => Promise.reject(new Error("gone")) }),
  } as unknown as Blob;
  assert.deepEqual(await scanFile({ index: 3, file: gone, isNamed: true }), {
    index: 3,
    reason: "truncated",
  });
});

Deno.test("scanFile() says that a file is deflated, or has no identifier, as the server says it", async () => {
  const syntax = "1.2.840.10008.1.2.1.99";
  const meta = `DICM\x02\0\x10\0UI\x16\0${syntax}`;
  const deflated = new Uint8Array(900);
  for (const [at, letter] of [...meta].entries()) deflated[128 + at] = letter.charCodeAt(0);
  assert.deepEqual(await scanOf(deflated), {
    index: 3,
    reason: "compression",
    details: { transferSyntax: syntax },
  });
  const { seriesUid } = readHeader(slices[0]!.bytes, "");
  const nameless = replaced(slices[0]!.bytes, seriesUid, " ".repeat(seriesUid.length));
  assert.deepEqual(await scanOf(nameless), { index: 3, reason: "identifier" });
  const absent = replaced(slices[0]!.bytes, "\x20\0\x0e\0UI", "\x20\0\x0f\0UI");
  assert.deepEqual(await scanOf(absent), { index: 3, reason: "identifier" });
});

Deno.test("scanFile() reads the tags of a deflated file, and of a bomb only its beginning", async () => {
  const { bytes } = slices[0]!, view = new DataView(bytes.buffer, bytes.byteOffset);
  const end = 144 + view.getUint32(140, true), syntax = "1.2.840.10008.1.2.1.99";
  const meta = Buffer.from(bytes.subarray(0, end)), at = meta.indexOf("1.2.840.10008.1.2.1\0");
  const packed = (dataSet: Uint8Array) => {
    const file = Buffer.concat([
      meta.subarray(0, at - 2),
      Uint8Array.of(syntax.length, 0),
      Buffer.from(syntax),
      meta.subarray(at + 20),
      deflateRawSync(dataSet),
    ]);
    file.writeUInt32LE(file.readUInt32LE(140) + 2, 140);
    return new Uint8Array(file);
  };
  const plain = await scanOf(bytes), read = await scanOf(packed(bytes.subarray(end)));
  assert.ok("tags" in plain && "tags" in read);
  assert.deepEqual(read.tags, plain.tags);
  assert.ok("reason" in await scanOf(packed(new Uint8Array(1 << 26))));
});

Deno.test("groupStudies() sorts by patient and study, counts slices, and sends an instance once", () => {
  const file = (
    index: number,
    patientId: string,
    study: string,
    series: string,
    instance: string,
  ) => ({
    index,
    path: `all/${patientId}/${series}/${index}.dcm`,
    sizeBytes: 10,
    tags: {
      patientId,
      patientName: "",
      studyUid: study,
      seriesUid: series,
      instanceUid: instance,
      seriesDescription: `series ${series}`,
      studyDate: study === "s3" ? "2020-01-01" : "2024-01-01",
      modality: "MR",
      imageType: [],
    },
  });
  const { studies, repeated } = groupStudies([
    file(0, "P10", "s1", "a", "1"),
    file(1, "P10", "s1", "a", "2"),
    file(2, "P10", "s1", "b", "3"),
    file(3, "P2", "s2", "c", "4"),
    file(4, "P10", "s3", "d", "5"),
    file(5, "P10", "s1", "a", "2"),
  ]);
  assert.deepEqual(studies.map(({ studyUid }) => studyUid), ["s2", "s3", "s1"]);
  assert.deepEqual(
    studies[2]!.series.map(({ folderName, slices, description }) => [
      folderName,
      slices,
      description,
    ]),
    [["a", 2, "series a"], ["b", 1, "series b"]],
  );
  assert.equal(studies[2]!.sizeBytes, 30);
  assert.deepEqual(repeated.map(({ index }) => index), [5]);
});
