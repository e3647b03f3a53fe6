// covers: S-18
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { parseFile } from "@/server/core/dicom/read/instance.ts";
import { isLossy } from "@/server/core/dicom/read/lossy.ts";
import { writeInstance } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";

const isLossyFile = (bytes: Uint8Array) => isLossy(parseFile(bytes, bytes.length));
const slice = writeInstance(
  [[0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"], [0x00080018, "UI", "1.2.3"]],
  {
    columns: 64,
    rows: 64,
    pixels: Uint16Array.from({ length: 64 * 64 }, (_, at) => (at * 37) % 4096),
  },
  "explicit",
  "ISO_IR 100",
);

Deno.test("isLossy() finds nothing to say of images as they were made", () => {
  assert.equal(isLossyFile(slice), false);
});

const hasDcmtk = existsSync("/usr/bin/dcmcjpls");
/** DCMTK programs in sequence, the resulting transfer syntax, and whether compression was lossy. */
const PACKED = [
  { steps: [["dcmcjpls"]], syntax: "4.80", isLost: false },
  { steps: [["dcmcjpeg", "+e1"]], syntax: "4.70", isLost: false },
  { steps: [["dcmcjpls", "+en"]], syntax: "4.81", isLost: true },
  { steps: [["dcmcjpeg", "+ee"]], syntax: "4.51", isLost: true },
  { steps: [["dcmcjpeg", "+ee"], ["dcmdjpeg"]], syntax: "1", isLost: true },
  { steps: [["dcmcjpeg", "+ee"], ["dcmdjpeg"], ["dcmcjpeg", "+e1"]], syntax: "4.70", isLost: true },
] as const;

Deno.test({
  name: `isLossy() tells what lost something, also when it was unpacked since${
    hasDcmtk ? "" : " (skipped: dcmtk is not installed)"
  }`,
  ignore: !hasDcmtk,
  fn: () => {
    const folder = Deno.makeTempDirSync(),
      file = `${folder}/slice.dcm`,
      next = `${folder}/next.dcm`;
    try {
      for (const { steps, syntax, isLost } of PACKED) {
        Deno.writeFileSync(file, slice);
        for (const [program, ...args] of steps) {
          const { success } = new Deno.Command(program, { args: [...args, file, next] })
            .outputSync();
          assert.ok(success, program);
          Deno.renameSync(next, file);
        }
        const bytes = Deno.readFileSync(file), parsed = parseFile(bytes, bytes.length);
        assert.equal(parsed.transferSyntax, `1.2.840.10008.1.2.${syntax}`);
        assert.equal(isLossy(parsed), isLost, steps.join(" | "));
        // by the header alone, without the transfer syntax
        if (isLost) {
          assert.equal(isLossy({ ...parsed, transferSyntax: "" }), true, steps.join(" | "));
        }
      }
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});
