import { open } from "node:fs/promises";
import { AppError } from "@/model/errors.ts";

/** A file as an answer, read while it is sent. @throws {AppError} `entity.not_found` when it is gone. */
export async function fileResponse(path: string, headers: Record<string, string>): Promise<Response> {
  const file = await open(path).catch((cause) => {
    throw new AppError("entity.not_found", "Cannot send the export: its file is gone", {}, { cause });
  });
  const { size } = await file.stat();
  return new Response(file.readableWebStream({ autoClose: true }) as unknown as ReadableStream, {
    headers: { ...headers, "content-length": String(size), "cache-control": "no-store" },
  });
}
