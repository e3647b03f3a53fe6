/** Compares objects that were received repeatedly with the same SOP Instance UID. */
import { createHash } from "node:crypto";
import { dataSetStart } from "@/server/core/dicom/read/data_set_start.ts";
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";

/** Number of bytes of a DICOM file (Part 10) that include the length of the meta information. */
const HEAD_BYTES = 144;

/**
 * SHA-256 of a DICOM file without the meta information, which names the sender and may differ.
 * Files are read in chunks, because objects can have hundreds of megabytes.
 */
export async function dataSetHash(file: AsyncIterable<Uint8Array>): Promise<string> {
  const digest = createHash("sha256");
  let head: Uint8Array | null = new Uint8Array(0), at = 0, start = 0;
  const add = (piece: Uint8Array) => {
    if (at + piece.length > start) digest.update(piece.subarray(Math.max(0, start - at)));
    at += piece.length;
  };
  for await (const piece of file) {
    if (head === null) add(piece);
    else {
      head = new Uint8Array(Buffer.concat([head, piece]));
      if (head.length < HEAD_BYTES) continue;
      start = dataSetStart(head);
      add(head);
      head = null;
    }
  }
  if (head !== null) add(head);
  return digest.digest("hex");
}

/** {@link dataSetHash} of a DICOM file on disk. */
export const dataSetHashOf = async (path: string): Promise<string> =>
  await dataSetHash((await Deno.open(path)).readable);

/** Logs that a repeated object has different content and was quarantined. */
export async function noteDiffers(
  { db }: Pick<ServiceContext, "db">,
  sopUid: string,
): Promise<void> {
  const event = { at: nowIso(), peer: "", address: "", event: "differs", isError: true } as const;
  await logConnection(db, { ...event, details: { sop_uid: sopUid } });
}
