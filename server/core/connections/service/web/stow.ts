import { AppError } from "@/model/errors.ts";
import { INBOX, MAX_OBJECT_BYTES } from "@/server/gate/link/tasks.ts";
import { syncFolder } from "@/server/core/blobs/blob_file.ts";
import { objectHeader } from "@/server/core/dicom/worker/reader.ts";
import { InboxFiles } from "@/server/core/connections/service/inbox/inbox_files.ts";
import { noteDiffers } from "@/server/core/connections/service/inbox/differing.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { checkDiskSpace } from "@/server/core/site/service/status.ts";

/**
 * Maximum number of objects of a STOW-RS request. Each is synced to disk before the response, some
 * milliseconds on a slow disk: a larger request would exceed the minute that proxies wait.
 */
export const MAX_STOW_OBJECTS = 5000;

/** Result of storing an object sent by STOW-RS. */
export interface WebStored {
  sopClassUid: string;
  sopInstanceUid: string;
  /**
   * failure reason, PS3.18 Table 10.5.1-2: 0 stored, 0xC000 cannot be understood,
   * 0x0111 stored already with different content, 0xA900 belongs to another study
   */
  reason: number;
}

/** Writes an object. @returns number of bytes. @throws {AppError} `input.invalid` if too large. */
async function writeTo(file: Deno.FsFile, body: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_OBJECT_BYTES) {
      throw new AppError("input.invalid", "Cannot take the object: it is too large");
    }
    for (let done = 0; done < piece.length;) done += await file.write(piece.subarray(done));
  }
  return size;
}

/**
 * Stores an object durably in the inbox folder, as the gate (network process) does.
 * Quarantines the object if a waiting object of the same instance has different content.
 * @throws {AppError} `storage.full`; `input.invalid` for an incomplete body.
 */
export async function stow(
  services: ServiceContext,
  body: AsyncIterable<Uint8Array>,
  studyUid: string | undefined,
): Promise<WebStored> {
  const { gate } = services;
  if (!gate) {
    throw new AppError("entity.not_found", "Cannot take the object: there is no inbox here");
  }
  await checkDiskSpace(services, 0);
  const path = `${gate.inbox}/${INBOX.partial}/web-${crypto.randomUUID()}`;
  await Deno.mkdir(`${gate.inbox}/${INBOX.partial}`, { recursive: true, mode: 0o700 });
  try {
    using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    const size = await writeTo(file, body);
    const read = size === 0 ? null : await objectHeader(services.reader, path).catch((error) => {
      if (error instanceof AppError && error.code !== "server.busy") return null;
      throw error;
    });
    const sopInstanceUid = read?.header.instanceUid ?? "";
    if (!read || !/^[0-9]+(\.[0-9]+)*$/.test(sopInstanceUid) || sopInstanceUid.length > 64) {
      return { sopClassUid: "", sopInstanceUid, reason: 0xc000 };
    }
    const sopClassUid = read.header.texts.SOPClassUID ?? "";
    if (studyUid !== undefined && read.header.studyUid !== studyUid) {
      return { sopClassUid, sopInstanceUid, reason: 0xa900 };
    }
    // only an object that is stored: the sync takes much longer than all steps before
    await file.sync();
    const placed = await new InboxFiles(gate.inbox).receive(path, sopInstanceUid);
    if (placed === "differs") await noteDiffers(services, sopInstanceUid);
    await syncFolder(`${gate.inbox}/${INBOX.received}`);
    return { sopClassUid, sopInstanceUid, reason: placed === "differs" ? 0x0111 : 0 };
  } finally {
    await Deno.remove(path).catch(() => {});
  }
}
