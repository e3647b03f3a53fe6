/** Finds images that a series contains again under another SOP Instance UID. */
import { createHash } from "node:crypto";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import type { InstanceFile } from "@/server/core/dicom/stack/parts.ts";

/** Maximum number of files of which the pixels are compared. */
const MAX_COMPARED = 2000;

/** Attributes that copies of an image have in common. */
const imageOf = (h: InstanceHeader): string =>
  JSON.stringify([
    // a copy with another patient is no copy, but a mixture of patients
    ...[h.patientId, h.patientName, h.birthDate],
    ...[h.studyUid, h.seriesUid, h.planes, h.imageType, h.echoTimeMs, h.transferSyntax],
    ...[h.rows, h.columns, h.bitsAllocated, h.bitsStored, h.highBit, h.isSigned, h.photometric],
    ...[h.frames, h.pixels?.sizeBytes, h.units],
  ]);

const byNumber = ({ header: a }: InstanceFile, { header: b }: InstanceFile): number =>
  (a.instanceNumber ?? 0) - (b.instanceNumber ?? 0) || (a.instanceUid < b.instanceUid ? -1 : 1);

/** Digest of the stored pixels, and of all that follows them in the file if compressed. */
async function digestOf(path: string, { pixels }: InstanceHeader): Promise<string> {
  using file = await Deno.open(path);
  const { size } = await file.stat(), { offset, sizeBytes } = pixels!;
  const bytes = new Uint8Array(Math.max(0, Math.min(sizeBytes ?? Infinity, size - offset)));
  await file.seek(offset, Deno.SeekMode.Start);
  for (let at = 0; at < bytes.length;) {
    const count = await file.read(bytes.subarray(at));
    if (count === null) break;
    at += count;
  }
  return createHash("sha256").update(bytes).digest("hex");
}

/** The images of files, each once, and copies with equal pixels, position and attributes. */
export interface Copies {
  unique: InstanceFile[];
  /** each with the file that is used instead */
  copies: { copy: InstanceFile; used: InstanceFile }[];
}

/**
 * Finds copies of single-frame images among the files of an upload. Pixels are read, and compared
 * as stored, only for files of one series that have the same position.
 *
 * @param pathOf Path of a file on disk.
 * @throws errors of the disk unchanged.
 */
export async function partCopies(
  files: readonly InstanceFile[],
  pathOf: (file: InstanceFile) => string,
): Promise<Copies> {
  const alike = [...Map.groupBy(files, ({ header }) => imageOf(header)).values()].filter((same) =>
    same.length > 1 && same[0]!.header.frameCount === 1 && same[0]!.header.pixels &&
    new Set(same.map(({ header }) => header.instanceUid)).size === same.length
  );
  const copies: Copies["copies"] = [];
  if (alike.reduce((sum, same) => sum + same.length, 0) > MAX_COMPARED) {
    return { unique: [...files], copies };
  }
  for (const same of alike) {
    const firstOf = new Map<string, InstanceFile>();
    // in an order that does not depend on the upload: the same copy is used when it is sent again
    for (const file of same.toSorted(byNumber)) {
      const digest = await digestOf(pathOf(file), file.header), used = firstOf.get(digest);
      if (used) copies.push({ copy: file, used });
      else firstOf.set(digest, file);
    }
  }
  const removed = new Set(copies.map(({ copy }) => copy));
  return { unique: files.filter((file) => !removed.has(file)), copies };
}
