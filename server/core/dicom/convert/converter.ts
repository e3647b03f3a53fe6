/**
 * The converter: a process beside the server that packs series, so that dcm2niix's memory is never
 * the server's. It listens on a Unix socket in a folder of its own; a connection carries one
 * request and one answer, each a line of JSON.
 */
import { askLine, connectTo, serveLines } from "@/server/wire/line_socket.ts";
import type { PackAnswer, PackRequest } from "@/server/core/dicom/convert/convert_messages.ts";

/** A converter that starts again is back within this time. */
const CONVERTER_TIMEOUT_MS = 10_000;

/**
 * Has one series packed by the converter that listens at `path`. One that is just being started is
 * waited for.
 * @returns its answer; `absent` when none listens within `absentMs`, `dead` when it ended over this
 *   series.
 */
export async function requestConversion(
  path: string,
  request: PackRequest,
  absentMs = CONVERTER_TIMEOUT_MS,
): Promise<PackAnswer | "absent" | "dead"> {
  const connection = await connectTo(path, absentMs);
  if (connection === null) return "absent";
  try {
    return await askLine<PackRequest, PackAnswer>(connection, request) ?? "dead";
  } finally {
    connection.close();
  }
}

/**
 * Answers {@link requestConversion} until the signal aborts and earlier requests are answered.
 * @param pack    Packs one series; its errors are answers.
 * @param atOnce  Series that are converted at the same time; others wait.
 */
export const serveConverter = (
  path: string,
  pack: (request: PackRequest) => Promise<PackAnswer>,
  atOnce: number,
  signal: AbortSignal,
): Promise<unknown> => serveLines(path, pack, atOnce, signal).then(({ answered }) => answered);
