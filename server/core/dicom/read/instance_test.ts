import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import { TIMING, writeAcquisition } from "@/server/commands/demo/phantom/acquisitions.ts";
import { readTags } from "@/client/dicom_scan/read_tags.ts";
import { isUploadReason } from "@/model/text/worklist/upload.ts";
import { readHeader, readInstance, readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { SCANS, withScans } from "@/server/core/dicom/read/scans_testing.ts";

const reasonOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, "upload.format_not_supported");
    assert.ok(isUploadReason(error.details.reason), String(error.details.reason));
    return String(error.details.reason);
  }
  return "accepted";
};

const read = (path: string) => Deno.readFileSync(`${SCANS}/${path}`);

const ODD: Readonly<Record<string, string>> = {
  "CT_small.dcm": "modality",
  "MR_small.dcm": "accepted",
  "MR_small_RLE.dcm": "accepted",
  "MR_small_implicit.dcm": "accepted",
  "MR_small_jpeg_ls_lossless.dcm": "accepted",
  "MR_truncated.dcm": "truncated",
  "badVR.dcm": "modality",
  "image_dfl.dcm": "compression",
  "meta_missing_tsyntax.dcm": "not_dicom",
  "no_meta.dcm": "not_dicom",
  "rtplan_truncated.dcm": "truncated",
};

for (const [file, verdict] of Object.entries(ODD)) {
  Deno.test({
    ...withScans(`readInstance() gives the verdict "${verdict}" for ${file}, whole and from disk`),
    fn: async () => {
      assert.equal(reasonOf(() => readInstance(read(`dicom_odd/${file}`), file)), verdict);
      const fromDisk = await readInstanceFile(`${SCANS}/dicom_odd/${file}`, file).then(
        () => "accepted",
        (error) =>
          reasonOf(() => {
            throw error;
          }),
      );
      assert.equal(fromDisk, verdict);
    },
  });
}

const NAMES: Readonly<Record<string, string>> = {
  "chrFren.dcm": "Buc^Jérôme",
  "chrH31.dcm": "Yamada^Tarou=山田^太郎=やまだ^たろう",
  "chrJapMulti.dcm": "やまだ^たろう",
  "chrKoreanMulti.dcm": "김희중",
};

for (const [file, name] of Object.entries(NAMES)) {
  Deno.test({
    ...withScans(`readHeader() reads the patient's name in ${file}`),
    fn: () => assert.equal(readHeader(read(`dicom_charsets/${file}`), file).patientName, name),
  });
}

Deno.test({
  ...withScans("readInstance() of any beginning of a real file is a verdict or the same header"),
  fn: () => {
    const bytes = read("dicom_odd/MR_small.dcm"), whole = readInstance(bytes, "a");
    const { offset, sizeBytes } = whole.pixels!;
    for (let size = 0; size < offset + sizeBytes!; size += 97) {
      const reason = reasonOf(() => readInstance(bytes.subarray(0, size), "a"));
      assert.ok(
        ["not_dicom", "truncated", "no_pixel_data"].includes(reason),
        `${size} bytes: ${reason}`,
      );
    }
    const head = readInstance(bytes.subarray(0, whole.pixels!.offset + 16), "a", {
      fileSizeBytes: bytes.length,
    });
    assert.deepEqual(head, whole);
  },
});

Deno.test({
  ...withScans("readInstance() of a real file with flipped bytes never throws anything untyped"),
  fn: () => {
    const bytes = read("dicom_odd/MR_small.dcm");
    for (let at = 128, n = 0; at < 1500; at += 7, n++) {
      const broken = bytes.slice();
      broken[at] = (broken[at]! ^ (1 + n * 37)) & 255;
      reasonOf(() => readInstance(broken, "a"));
    }
  },
});

Deno.test("readInstance() refuses text, zeros and an empty file as not DICOM", () => {
  const text = new TextEncoder().encode("patient,age\n".repeat(100));
  for (const bytes of [text, new Uint8Array(4096), new Uint8Array(0), new Uint8Array(7)]) {
    assert.equal(reasonOf(() => readInstance(bytes, "a")), "not_dicom");
  }
});

// covers: S-187
Deno.test("readInstance() and readTags() name the format of a packed file", () => {
  const packed: Record<string, string> = {
    "ZIP": "504b03041400",
    "gzip": "1f8b08000000",
    "7z": "377abcaf271c",
    "RAR": "526172211a07",
    "bzip2": "425a68393141",
    "xz": "fd377a585a00",
    "Zstandard": "28b52ffd0458",
  };
  const files = Object.entries(packed).map(([format, hex]) => {
    const bytes = new Uint8Array(1024);
    bytes.set(hex.match(/../g)!.map((byte) => parseInt(byte, 16)));
    return [format, bytes] as const;
  });
  const tar = new Uint8Array(1024);
  tar.set(new TextEncoder().encode("ustar"), 257);
  for (const [format, bytes] of [...files, ["tar", tar] as const]) {
    assert.throws(() => readInstance(bytes, "a"), (error: AppError) => {
      assert.deepEqual(error.details, { reason: "packed", format });
      return true;
    });
    assert.deepEqual(readTags(bytes), { reason: "packed", details: { format }, more: false });
  }
  // a DICOM file may begin with any preamble
  const image = phantomSeries("short", "PK-1")[0]!.bytes.slice();
  for (const [, bytes] of files) {
    image.set(bytes.subarray(0, 6));
    assert.equal(readInstance(image, "a").patientId, "PK-1");
    assert.ok("tags" in readTags(image));
  }
});

Deno.test({
  ...withScans("readInstanceFile() reads identity, timing and place of a Siemens slice"),
  fn: async () => {
    const folder = `${SCANS}/t1_dicom_child_siemens`, [entry] = [...Deno.readDirSync(folder)];
    const h = await readInstanceFile(`${folder}/${entry!.name}`, entry!.name);
    assert.deepEqual(
      [h.sex, h.birthDate, h.studyDate, h.ageYears],
      ["male", "2009-07-01", "2013-03-08", 3],
    );
    assert.deepEqual([h.repetitionTimeMs, h.echoTimeMs, h.inversionTimeMs, h.fieldStrengthT], [
      2000,
      2.52,
      900,
      3,
    ]);
    assert.deepEqual([h.rows, h.columns, h.planes.length], [256, 256, 1]);
    assert.equal(h.texts.SeriesDescription, "SAG MPRAGE 220 FOV");
  },
});

// covers: S-78
Deno.test("readInstance() refuses a deflated data set without unpacking it: it could be a bomb", () => {
  const syntax = new TextEncoder().encode("1.2.840.10008.1.2.1.99");
  const meta = [2, 0, 0x10, 0, 0x55, 0x49, syntax.length, 0, ...syntax];
  const unpackable = new Uint8Array(1000).fill(0xff);
  const bytes = new Uint8Array([
    ...new Uint8Array(128),
    ...new TextEncoder().encode("DICM"),
    ...meta,
    ...unpackable,
  ]);
  assert.equal(reasonOf(() => readInstance(bytes, "a")), "compression");
});

Deno.test("readHeader() reads a date of birth with dots or hyphens, and none that is no day", () => {
  const dates: [written: string, read: string | undefined][] = [
    ["19600520", "1960-05-20"],
    ["1960.05.20", "1960-05-20"],
    ["1960-05-20", "1960-05-20"],
    ["19600230", undefined],
    ["1960-0520", undefined],
    ["00000000", undefined],
    ["1960", undefined],
  ];
  for (const [written, read] of dates) {
    const attributes = [[0x00100030, "DA", written]] as const;
    const [file] = writeAcquisition({ name: "t1_mprage", attributes, ...TIMING.mprage }, 1, 1);
    assert.equal(readHeader(new Uint8Array(file!.bytes), "a").birthDate, read, written);
  }
});
