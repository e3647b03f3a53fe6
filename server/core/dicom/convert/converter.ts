/**
 * The converter: a separate process that converts and compresses series,
 * so that dcm2niix's memory is not the server's. The process listens on a Unix socket in a
 * private folder. A connection carries one request and one response, each as a line of JSON.
 */
import { askLine, connectTo, serveLines } from "@/server/wire/line_socket.ts";
import type { PackAnswer, PackRequest } from "@/server/core/dicom/convert/convert_messages.ts";

/** Time within which a converter process that is restarted accepts connections again. */
const CONVERTER_TIMEOUT_MS = 10_000;

/**
 * Sends a series to the converter process at the socket `path`, and waits while it is starting.
 * @returns the converter's response; `absent` if no process listens within `absentMs`,
 * `dead` if the converter process ended during this series.
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
 * Serves {@link requestConversion} until the signal aborts and all received requests are answered.
 * @param pack    Converts one series; its errors become responses.
 * @param atOnce  Maximum number of parallel conversions; further requests are queued.
 */
export const serveConverter = (
  path: string,
  pack: (request: PackRequest) => Promise<PackAnswer>,
  atOnce: number,
  signal: AbortSignal,
): Promise<unknown> => serveLines(path, pack, atOnce, signal).then(({ answered }) => answered);
