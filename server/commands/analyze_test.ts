import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { AppError } from "@/model/errors.ts";
import { analyzeFolder, readSource } from "@/server/commands/analyze.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";
import { affineFromRows } from "@/model/geometry.ts";
import { encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { deflated } from "@/tests/sites/series/deflated_file.ts";
import { studyFiles } from "@/tests/sites/dicom_study.ts";

const script = fileURLToPath(new URL("./analyze.ts", import.meta.url));

Deno.test("analyzeFolder() names what is wrong with the files of a folder without a T1w series", async () => {
  const input = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${input}/notes.txt`, "not an image");
    const work = analyzeFolder({
      input,
      out: `${input}/out`,
      age: null,
      sex: null,
      biasCorrection: true,
      secondOpinion: false,
      deepStructures: false,
    });
    await assert.rejects(work, (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "upload.format_not_supported");
      assert.equal(error.details.reason, "not_dicom");
      return true;
    });
  } finally {
    await Deno.remove(input, { recursive: true });
  }
});

for (
  const [claim, args, code] of [
    ["without --out", ["x.nii"], 2],
    ["with an unknown option", ["x.nii", "--out", "o", "--fast"], 2],
    ["with a series that is no UID", ["x", "--out", "o", "--series", "t1_mprage"], 2],
    ["with an age that is no number", ["x.nii", "--out", "o", "--age", "old"], 2],
    ["with a file that is not there", ["/nonexistent.nii", "--out", "o"], 1],
  ] as const
) {
  Deno.test(`the analyze command ends with ${code} ${claim}`, async () => {
    const run = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", script, ...args],
    });
    const { code: got, stderr } = await run.output();
    assert.equal(got, code);
    assert.ok(stderr.length > 0);
  });
}

Deno.test("readSource() refuses a NIfTI file whose two affines are mirror images", async () => {
  const path = await Deno.makeTempFile({ suffix: ".nii" });
  try {
    const rasFromIjk = affineFromRows<"Ras", "Ijk">([[-1, 0, 0, 9], [0, 1, 0, 0], [0, 0, 1, 0], [
      0,
      0,
      0,
      1,
    ]]);
    const bytes = encodeNifti({ shape: [2, 3, 4], rasFromIjk, voxels: new Uint8Array(24) });
    await Deno.writeFile(path, bytes);
    assert.deepEqual((await readSource(path, "t1")).volume.shape, [2, 3, 4]);
    // a qform without rotation, along RAS
    new DataView(bytes.buffer).setInt16(252, 1, true);
    await Deno.writeFile(path, bytes);
    await assert.rejects(readSource(path, "t1"), /mirror images.*\bLAS\b.*\bRAS\b/);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("readSource() reads a folder of deflated files as it reads the plain ones", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-analyze-" });
  try {
    const files = studyFiles({ patient: KOREAN_PATIENT })
      .filter(({ fileName }) => fileName.startsWith("t1"));
    for (const name of ["plain", "packed"]) await Deno.mkdir(`${folder}/${name}`);
    for (const [n, { bytes }] of files.entries()) {
      await Deno.writeFile(`${folder}/plain/${n}.dcm`, bytes);
      await Deno.writeFile(`${folder}/packed/${n}.dcm`, deflated(bytes));
    }
    const plain = await readSource(`${folder}/plain`, "t1");
    const packed = await readSource(`${folder}/packed`, "t1");
    assert.deepEqual(packed.volume.shape, plain.volume.shape);
    assert.ok(packed.volume.voxels.every((value, i) => value === plain.volume.voxels[i]));
    // the digests are of the files that were given
    assert.notDeepEqual(packed.files, plain.files);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
