// David Clunie's validator of DICOM objects, dciodvfy of the Debian package dicom3tools.
import dicomParser, { type DataSet } from "dicom-parser";
import { inflateRawSync } from "node:zlib";

/** Reason why tests with the validator are skipped; empty where it is installed. */
export const noValidator = await new Deno.Command("dciodvfy", {
  args: ["-version"],
  stdout: "null",
  stderr: "null",
}).output().then(() => "", () => "(skipped: no dciodvfy; package dicom3tools)");

/** Parses a file; a deflated data set is inflated. */
export const parsedFile = (path: string): DataSet =>
  dicomParser.parseDicom(Deno.readFileSync(path), {
    inflater: (bytes: Uint8Array, position: number) =>
      Buffer.concat([
        bytes.subarray(0, position),
        inflateRawSync(bytes.subarray(position), { finishFlush: 2 }),
      ]),
  } as never);

const LABEL_MAP = "1.2.840.10008.5.1.4.1.1.66.7";

/**
 * Whether an error of dciodvfy is false. The Debian package of 2022 is older than Supplement 243 of
 * the standard (2024), which added Label Map Segmentation Storage. The tool has no definition of its
 * object, takes the number 0 of the background's segment for an error (PS3.3 C.8.20.2 allows it), and
 * allows segment numbers only in references to the older class.
 */
function isBeforeSupplement243(line: string, file: DataSet): boolean {
  const isLabelMap = file.string("x00080016") === LABEL_MAP;
  if (line === "Error - Information Object Not found") return isLabelMap;
  if (
    line === "Error - </SegmentSequence(0062,0002)[1]/SegmentNumber(0062,0004)> - " +
        "SegmentNumber not monotonically increasing from one by one - " +
        "have SegmentSequence item number 1 (from one) with SegmentNumber of 0"
  ) return isLabelMap;
  const [, path] = line.match(
    /^Error - <(\/.*\])\/ReferencedSegmentNumber\(0062,000b\)> - Shall not be present for Referenced SOP Class that is not segmentation$/,
  ) ?? [];
  if (path === undefined) return false;
  let item: DataSet | undefined = file;
  for (const [, group, element, at] of path.matchAll(/\((\w{4}),(\w{4})\)\[(\d+)\]/g)) {
    item = item?.elements[`x${group}${element}`]?.items?.[Number(at) - 1]?.dataSet;
  }
  return item?.string("x00081150") === LABEL_MAP;
}

/** Errors that dciodvfy reports of a file, one a line, without those of {@link isBeforeSupplement243}. */
export async function errorsOf(path: string): Promise<string[]> {
  const { stderr, stdout } = await new Deno.Command("dciodvfy", { args: ["-new", path] }).output();
  const decoder = new TextDecoder(), file = parsedFile(path);
  return `${decoder.decode(stdout)}\n${decoder.decode(stderr)}`.split("\n")
    .filter((line) => line.startsWith("Error") && !isBeforeSupplement243(line, file));
}
