// covers: D1-2.13, D1-5.17
import assert from "node:assert/strict";
import { couldBeDicom, mergeFiles } from "@/client/dicom_scan/file_selection.ts";

const chosen = (path: string) => ({ path, file: new File([], path.split("/").pop()!) });

Deno.test("couldBeDicom() takes DICOM and packed files by extension in any case, and files without one but DICOMDIR", () => {
  const paths = [
    "a/1.dcm",
    "a/2.DICOM",
    "a/3.dicm",
    "a.b/IM0001",
    "a/notes.txt",
    "a/DICOMDIR",
    "a/.DS_Store",
    "__MACOSX/a/._1.dcm",
    "a.zip/__MACOSX/a/1",
    "a/._1.dcm",
    // packed files, to report their format; a ZIP archive inside another one is not unpacked
    "a/1.dcm.zip",
    "a/2.dcm.gz",
    "a/study.TAR.GZ",
    "a/tar",
    // a name that is a UID, or a number after a dot, has no extension
    "a/1.2.840.113619.2.5.1762583153",
    "a/MR.1.3.12.2.1107.5.2.32.35",
    "a/IM.0001",
    "a/1.2.840.txt",
  ];
  assert.deepEqual(paths.filter((path) => couldBeDicom(chosen(path))), [
    "a/1.dcm",
    "a/2.DICOM",
    "a/3.dicm",
    "a.b/IM0001",
    "a/1.dcm.zip",
    "a/2.dcm.gz",
    "a/study.TAR.GZ",
    "a/tar",
    "a/1.2.840.113619.2.5.1762583153",
    "a/MR.1.3.12.2.1107.5.2.32.35",
    "a/IM.0001",
  ]);
});

Deno.test("mergeFiles() keeps a path once and equal names of other folders apart", () => {
  const merged = mergeFiles([chosen("a/1.dcm"), chosen("b/1.dcm")], [
    chosen("a/1.dcm"),
    chosen("c/1.dcm"),
  ]);
  assert.deepEqual(merged.map(({ path }) => path), ["a/1.dcm", "b/1.dcm", "c/1.dcm"]);
});
