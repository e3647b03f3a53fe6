import assert from "node:assert/strict";
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
  // says 10 bytes and holds 5000
  await refused(edited((view, list) => view.setUint32(list + 24, 10, true)));
  await refused(edited((view, list) => view.setUint32(list + 24, 0xfffffff0, true)));
  await refused(edited((view, list) => view.setUint16(list + 10, 99, true)));
  await refused(edited((view, list) => view.setUint32(list + 42, good.length, true)));
  await refused(edited((view) => view.setUint8(40, 0xff)));
});
