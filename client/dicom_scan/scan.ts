import { deflatedFrom, hasDicomPrefix, readTags } from "@/client/dicom_scan/read_tags.ts";
import { packedFormat } from "@/model/dicom/packed_file.ts";
import type { ScanFile, ScanResult } from "@/client/dicom_scan/meta.ts";

/**
 * Lengths in bytes of the beginning of a file: a longer beginning is read if tags are missing.
 * The first length is enough for nearly every file.
 */
const HEAD_BYTES = [8 << 10, 512 << 10, 8 << 20];

/** FNV-1a hash, 32 bit, of the beginning of a file, to detect duplicates; not for security. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Number of bytes to inflate of a deflated data set: enough for the needed tags. */
const INFLATED_BYTES = 1 << 20;

/** Inflates the beginning of a deflated data set, up to the first damage. */
async function inflatedBeginning(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const head = new Uint8Array(INFLATED_BYTES);
  let at = 0;
  try {
    const inflated = new Blob([packed]).stream()
      .pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    for (let next; at < head.length && !(next = await inflated.read()).done;) {
      head.set(next.value.subarray(0, head.length - at), at);
      at = Math.min(head.length, at + next.value.length);
    }
    await inflated.cancel();
  } catch { /* the deflated bytes end here or are damaged; the tags may come earlier */ }
  return head.subarray(0, at);
}

/**
 * Reads the tags of one file from the first bytes.
 * A file that has become unreadable gives `truncated`.
 */
export async function scanFile({ index, file, isNamed }: ScanFile): Promise<ScanResult> {
  try {
    for (const [attempt, size] of HEAD_BYTES.entries()) {
      const bytes = new Uint8Array(await file.slice(0, size).arrayBuffer());
      const isImage = isNamed || hasDicomPrefix(bytes);
      if (attempt === 0 && !isImage && packedFormat(bytes) === null) {
        return { index, isLeftOut: true };
      }
      const packedAt = deflatedFrom(bytes);
      const answer = readTags(
        packedAt === null ? bytes : await inflatedBeginning(bytes.slice(packedAt)),
      );
      if ("tags" in answer) {
        const { modality } = answer.tags;
        return modality === "MR" || modality === ""
          ? { index, tags: answer.tags, sizeBytes: file.size, head: hashOf(bytes) }
          : { index, reason: "modality", details: { modality } };
      }
      const isAll = bytes.length >= file.size, isLast = attempt === HEAD_BYTES.length - 1;
      if (isAll || isLast || !answer.more) {
        const { reason, details } = answer;
        return { index, reason, ...(details && { details }) };
      }
    }
  } catch {
    // the file was changed or removed after the selection
  }
  return { index, reason: "truncated" };
}
