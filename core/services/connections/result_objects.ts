import { AppError } from "@/model/errors.ts";
import type { DicomKind } from "@/model/schema/dicom.ts";
import type { ResultKind } from "@/model/schema/connections.ts";
import type { DicomFile } from "@/core/dicom/write/dataset_writer.ts";
import type { OutboxEntry } from "@/core/storage/connections/outbox.ts";
import type { KnownPeer } from "@/core/services/connections/peers.ts";
import type { Caller, ServiceContext } from "@/core/services/context.ts";
import { getDicomResult } from "@/core/services/exports/dicom_results.ts";

/** Nobody's: reports that leave by themselves have the site's settings. */
export const SITE: Caller = { uid: 0, sid: "" };

/** An object that leaves, in explicit little-endian unless it says otherwise. */
export interface ResultObject {
  file: DicomFile;
  transferSyntax?: string;
}

/** The objects of one kind of result; none when the study has no such result. */
export async function* objectsOf(
  services: ServiceContext,
  { config }: KnownPeer,
  pid: number,
  kind: ResultKind | "images",
): AsyncGenerator<ResultObject> {
  try {
    const { file } = await getDicomResult(
      services,
      pid,
      kind as DicomKind,
      { language: config.language },
      SITE,
    );
    yield { file };
  } catch (error) {
    const isNone = error instanceof AppError &&
      ["entity.not_found", "study.not_analyzed"].includes(error.code);
    if (!isNone) throw error;
  }
}

/** Sends a result as a message. @returns what failed, `null` when it arrived, `nothing` when there is none. */
export function textOfResult(
  _services: ServiceContext,
  _peer: KnownPeer,
  _entry: OutboxEntry,
): Promise<{ failure: string; text: string } | null | "nothing"> {
  return Promise.resolve("nothing");
}
