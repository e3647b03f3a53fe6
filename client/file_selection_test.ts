import assert from "node:assert/strict";
import { mergeSelections, selectDicomFiles } from "@/client/file_selection.ts";

const dicomBytes = () => {
  const bytes = new Uint8Array(140);
  bytes.set(new TextEncoder().encode("DICM"), 128);
  return bytes;
};
const chosen = (path: string, bytes = new Uint8Array(200)) => ({
  path,
  file: new File([bytes], path.split("/").pop()!),
});

Deno.test("selectDicomFiles() takes the three extensions in any case, and files without one that are DICOM", async () => {
  const { accepted, leftOut } = await selectDicomFiles([
    chosen("a/1.dcm"),
    chosen("a/2.DICOM"),
    chosen("a/3.dicm"),
    chosen("a/IM0001", dicomBytes()),
    chosen("a/README"),
    chosen("a/notes.txt", dicomBytes()),
    chosen("a/DICOMDIR", dicomBytes()),
    chosen("a/short", new Uint8Array(3)),
  ]);
  assert.deepEqual(accepted.map(({ path }) => path), ["a/1.dcm", "a/2.DICOM", "a/3.dicm", "a/IM0001"]);
  assert.equal(leftOut, 4);
});

Deno.test("mergeSelections() keeps a path once and equal names of other folders apart", async () => {
  const first = await selectDicomFiles([chosen("a/1.dcm"), chosen("b/1.dcm")]);
  const second = await selectDicomFiles([chosen("a/1.dcm"), chosen("c/1.dcm"), chosen("x.txt")]);
  const merged = mergeSelections(first, second);
  assert.deepEqual(merged.accepted.map(({ path }) => path), ["a/1.dcm", "b/1.dcm", "c/1.dcm"]);
  assert.equal(merged.leftOut, 1);
});
