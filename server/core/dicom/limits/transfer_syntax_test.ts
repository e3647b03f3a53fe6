// covers: S-17
import assert from "node:assert/strict";
import type { AppError } from "@/model/errors.ts";
import { readTags } from "@/client/dicom_scan/read_tags.ts";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import { LANGUAGES } from "@/model/text.ts";
import { storedAsText } from "@/model/text/worklist/upload_values.ts";
import { reasonIn, type UploadReason } from "@/model/text/worklist/upload.ts";
import {
  type Element,
  type PixelEncoding,
  writeInstance,
} from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import {
  readHeader,
  readInstance,
  readInstanceFile,
  transferSyntaxOf,
} from "@/server/core/dicom/read/instance.ts";
import { groupSeries } from "@/server/core/dicom/read/series.ts";
import { methodConflict } from "@/server/core/dicom/limits/transfer_syntax.ts";

const ELEMENTS: readonly Element[] = [
  [0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M"]],
  [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"],
  [0x00080018, "UI", "1.2.3.1"],
  [0x00080060, "CS", "MR"],
  [0x0008103e, "LO", "T1 MPRAGE"],
  [0x00100020, "LO", "P-1"],
  [0x0020000d, "UI", "1.2.3"],
  [0x0020000e, "UI", "1.2.3.4"],
  [0x00200032, "DS", "0\\0\\0"],
  [0x00200037, "DS", "1\\0\\0\\0\\1\\0"],
  [0x00280030, "DS", "1\\1"],
];
const IMAGE = { rows: 8, columns: 8, pixels: Uint16Array.from({ length: 64 }, (_, at) => at) };

const UIDS = {
  implicit: "1.2.840.10008.1.2",
  explicit: "1.2.840.10008.1.2.1",
  big_endian: "1.2.840.10008.1.2.2",
  rle: "1.2.840.10008.1.2.5",
  jpeg_lossless: "1.2.840.10008.1.2.4.70",
} as const satisfies Record<PixelEncoding, string>;

/** A file with another encoding than the stated Transfer Syntax UID. */
function stated(encoding: PixelEncoding, uid: string): Uint8Array<ArrayBuffer> {
  const bytes = writeInstance(ELEMENTS, IMAGE, encoding, "ISO_IR 100");
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const valueOf = (value: string) => value.length % 2 ? `${value}\0` : value;
  const elementOf = (value: string) =>
    `\x02\0\x10\0UI${String.fromCharCode(value.length)}\0${value}`;
  const from = elementOf(valueOf(UIDS[encoding])), to = elementOf(valueOf(uid));
  assert.ok(text.includes(from));
  const changed = Uint8Array.from(text.replace(from, to), (letter) => letter.charCodeAt(0));
  const view = new DataView(changed.buffer);
  view.setUint32(140, view.getUint32(140, true) + to.length - from.length, true);
  return changed;
}

const CONFLICTS: readonly [PixelEncoding, string, declared: string, actual: string][] = [
  ["explicit", UIDS.implicit, "Implicit VR Little Endian", "explicit"],
  ["implicit", UIDS.explicit, "Explicit VR Little Endian", "implicit"],
  ["implicit", UIDS.jpeg_lossless, "JPEG Lossless", "implicit"],
  ["explicit", UIDS.big_endian, "Explicit VR Big Endian", "explicit"],
  ["big_endian", UIDS.explicit, "Explicit VR Little Endian", "big_endian"],
  ["explicit", UIDS.jpeg_lossless, "JPEG Lossless", "uncompressed"],
  ["explicit", UIDS.rle, "RLE Lossless", "uncompressed"],
  // the stated transfer syntax is not supported either, but the pixels are not compressed
  ["explicit", "1.2.840.10008.1.2.4.51", "JPEG Extended", "uncompressed"],
  ["rle", UIDS.explicit, "Explicit VR Little Endian", "compressed"],
  ["jpeg_lossless", UIDS.explicit, "Explicit VR Little Endian", "compressed"],
];

Deno.test("a file that contradicts its transfer syntax is refused with both, in its series", async () => {
  const path = await Deno.makeTempFile();
  try {
    for (const [encoding, uid, declared, actual] of CONFLICTS) {
      const bytes = stated(encoding, uid), name = `${encoding} as ${uid}`;
      const header = readInstance(bytes, "a");
      assert.deepEqual(header.syntaxConflict, { declared, actual }, name);
      assert.equal(header.seriesDescription, "T1 MPRAGE");
      await Deno.writeFile(path, bytes);
      assert.deepEqual(await readInstanceFile(path, "a"), header, name);
      const { studies, rejected } = groupSeries([{ fileName: "a", header }], DEFAULT_RULES);
      assert.deepEqual(studies, []);
      assert.deepEqual(rejected, [{
        fileName: "a",
        code: "upload.format_not_supported",
        reason: "transfer_syntax",
        details: { declared, actual },
      }]);
    }
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("a file of any encoding that states it contradicts nothing", () => {
  for (const [encoding, uid] of Object.entries(UIDS) as [PixelEncoding, string][]) {
    assert.equal(readInstance(stated(encoding, uid), "a").syntaxConflict, undefined, encoding);
  }
});

Deno.test("readHeader() refuses a data set that contradicts its transfer syntax", () => {
  const bytes = stated("implicit", UIDS.explicit);
  assert.throws(() => readHeader(bytes, "a"), (error: AppError) => {
    assert.equal(error.details.reason, "transfer_syntax");
    return true;
  });
  assert.equal(transferSyntaxOf(bytes), UIDS.explicit);
});

Deno.test("the upload page lists the series of such a file, so that it is sent", () => {
  for (const [encoding, uid] of CONFLICTS) {
    const answer = readTags(stated(encoding, uid));
    assert.ok("tags" in answer, `${encoding} as ${uid}`);
    assert.deepEqual([answer.tags.seriesUid, answer.tags.seriesDescription], [
      "1.2.3.4",
      "T1 MPRAGE",
    ]);
  }
});

Deno.test("methodConflict() names the compression of a frame", () => {
  const lossless = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc3, 0, 11];
  const frames: [number[], string, string | undefined][] = [
    [lossless, UIDS.jpeg_lossless, undefined],
    [lossless, "1.2.840.10008.1.2.4.90", "jpeg_lossless"],
    [lossless, UIDS.rle, "jpeg_lossless"],
    [[0xff, 0x4f, 0xff, 0x51], UIDS.jpeg_lossless, "jpeg_2000"],
    [[0xff, 0xd8, 0xff, 0xf7, 0, 11], UIDS.jpeg_lossless, "jpeg_ls"],
    [[0xff, 0xd8, 0xff, 0xc0, 0, 11], "1.2.840.10008.1.2.4.80", "jpeg"],
    [[1, 2, 3, 4], UIDS.jpeg_lossless, undefined],
    [[], UIDS.jpeg_lossless, undefined],
  ];
  for (const [bytes, uid, actual] of frames) {
    assert.equal(methodConflict(uid, Uint8Array.from(bytes))?.actual, actual, `${bytes} ${uid}`);
  }
});

Deno.test("the refusal of a contradiction says what is true, in both languages", () => {
  const reason: UploadReason = "transfer_syntax";
  const details = { declared: "JPEG Lossless", actual: "uncompressed" };
  for (const language of LANGUAGES) {
    const text = reasonIn(language, reason, details);
    assert.ok(text.includes(storedAsText.uncompressed[language]), text);
    assert.ok(text.includes(details.declared), text);
  }
});
