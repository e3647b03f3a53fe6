import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { couldBeDicom } from "@/client/dicom_scan/file_selection.ts";
import { withoutArchives } from "@/client/dicom_scan/zip_files.ts";
import { ZipFile } from "@/server/core/exports/service/zip_file.ts";

const signal = new AbortController().signal;

async function archiveOf(parts: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
  const path = await Deno.makeTempFile(), zip = await ZipFile.create(path);
  for (const [name, text] of Object.entries(parts)) await zip.add(name, [text]);
  await zip.finish();
  await zip.close();
  const bytes = await Deno.readFile(path);
  await Deno.remove(path);
  return bytes;
}

/** A ZIP archive of one file without compression. */
function storedArchive(name: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const local = new Uint8Array(30), entry = new Uint8Array(46), end = new Uint8Array(22);
  const letters = new TextEncoder().encode(name);
  const write = (part: Uint8Array, signature: number, at: number) => {
    const view = new DataView(part.buffer);
    view.setUint32(0, signature, true);
    if (part === end) return view;
    view.setUint32(at, bytes.length, true);
    view.setUint32(at + 4, bytes.length, true);
    view.setUint16(at + 8, letters.length, true);
    return view;
  };
  write(local, 0x04034b50, 18);
  write(entry, 0x02014b50, 20);
  const view = write(end, 0x06054b50, 0), listAt = local.length + letters.length + bytes.length;
  view.setUint16(10, 1, true);
  view.setUint32(12, entry.length + letters.length, true);
  view.setUint32(16, listAt, true);
  return Uint8Array.from([local, letters, bytes, entry, letters, end].flatMap((part) => [...part]));
}

const chosen = (bytes: Uint8Array<ArrayBuffer>, path = "study.zip") => [{
  path,
  file: new File([bytes], path),
}];

Deno.test("withoutArchives() puts the files of an archive in its place, and unpacks those that are wanted", async () => {
  const bytes = await archiveOf({
    "CD/DICOM/IM0001": "one ".repeat(500),
    "CD/김.dcm": "two",
    "CD/run.exe": "x",
  });
  const other = { path: "b/1.dcm", file: new File(["b"], "1.dcm") };
  const files = await withoutArchives([...chosen(bytes), other], couldBeDicom, { signal });
  assert.deepEqual(files.map(({ path }) => path), [
    "study.zip/CD/DICOM/IM0001",
    "study.zip/CD/김.dcm",
    "study.zip/CD/run.exe",
    "b/1.dcm",
  ]);
  assert.deepEqual(await Promise.all(files.map(({ file }) => file.text())), [
    "one ".repeat(500),
    "two",
    "",
    "b",
  ]);
});

Deno.test("withoutArchives() refuses archives that are damaged, cut off, encrypted or larger than they say", async () => {
  const good = await archiveOf({ "1.dcm": "0".repeat(5000) });
  const refused = async (bytes: Uint8Array<ArrayBuffer>) =>
    await assert.rejects(withoutArchives(chosen(bytes), couldBeDicom, { signal }), {
      code: "upload.format_not_supported",
    });
  const edited = (edit: (view: DataView, list: number) => void) => {
    const bytes = good.slice(), view = new DataView(bytes.buffer);
    edit(view, view.getUint32(bytes.length - 6, true));
    return bytes;
  };
  await refused(good.slice(0, good.length - 30));
  await refused(new Uint8Array(0));
  await refused(edited((view, list) => view.setUint16(list + 8, 1, true)));
  // the directory states 10 bytes, but the file has 5000
  await refused(edited((view, list) => view.setUint32(list + 24, 10, true)));
  await refused(edited((view, list) => view.setUint32(list + 24, 0xfffffff0, true)));
  await refused(edited((view, list) => view.setUint16(list + 10, 99, true)));
  await refused(edited((view, list) => view.setUint32(list + 42, good.length, true)));
  await refused(edited((view) => view.setUint8(40, 0xff)));
});

Deno.test("withoutArchives() unpacks gzip files beside and inside archives, and leaves damaged ones as they are", async () => {
  const gzip = (text: string) => new Uint8Array(gzipSync(text));
  const file = (path: string, bytes: Uint8Array<ArrayBuffer>) => ({
    path,
    file: new File([bytes], path.split("/").at(-1)!),
  });
  const packed = [
    file("a/1.dcm.gz", gzip("one")),
    file("a/1.dcm", new TextEncoder().encode("plain")),
    file("a/IM2.GZ", gzip("two")),
    file("a/cut.dcm.gz", gzip("three".repeat(99)).slice(0, 30)),
    file("a/not.dcm.gz", new TextEncoder().encode("four")),
    file("a/t1.nii.gz", gzip("five")),
    file("a/more.tar.gz", gzip("six")),
  ];
  const inside = storedArchive("deep/5.dcm.gz", gzip("seven"));
  const files = await withoutArchives([...packed, ...chosen(inside)], couldBeDicom, { signal });
  const read = await Promise.all(
    files.map(async ({ path, file }) => [path, file.size < 9 ? await file.text() : ""]),
  );
  assert.deepEqual(read, [
    ["a/1.dcm.gz/1.dcm", "one"],
    ["a/1.dcm", "plain"],
    ["a/IM2.GZ/IM2", "two"],
    ["a/cut.dcm.gz", ""],
    ["a/not.dcm.gz", "four"],
    ["a/t1.nii.gz", ""],
    ["a/more.tar.gz/more.tar", "six"],
    ["study.zip/deep/5.dcm.gz/5.dcm", "seven"],
  ]);
});
