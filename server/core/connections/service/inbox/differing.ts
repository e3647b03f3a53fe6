/** Objects that come again under the identifier of one that is here: whether they are the same. */
import { createHash } from "node:crypto";
import { dataSetStart } from "@/server/core/dicom/read/data_set_start.ts";
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";

/** A Part 10 file up to the length of its meta information. */
const HEAD_BYTES = 144;

/**
 * SHA-256 of a file without its meta information, which names the sender and may differ. Reads it
 * in pieces: an object may have hundreds of megabytes.
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

/** {@link dataSetHash} of a file on disk. */
export const dataSetHashOf = async (path: string): Promise<string> =>
  await dataSetHash((await Deno.open(path)).readable);

/** Says in the log of connections that an object came again with other bytes, and was put aside. */
export async function noteDiffers(
  { db }: Pick<ServiceContext, "db">,
  sopUid: string,
): Promise<void> {
  const event = { at: nowIso(), peer: "", address: "", event: "differs", isError: true } as const;
  await logConnection(db, { ...event, details: { sop_uid: sopUid } });
}
