/**
 * The converter: a process beside the server that packs series, so that dcm2niix's memory is never the server's. It
 * listens on a Unix socket in a folder of its own; a connection carries one request and one answer, each a line of JSON.
 */
import type { PackAnswer, PackRequest } from "@/core/dicom/convert/convert_messages.ts";

/** A converter that starts again is back within this time. */
const CONVERTER_TIMEOUT_MS = 10_000, RETRY_MS = 100;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function connect(path: string, absentMs: number): Promise<Deno.UnixConn | null> {
  for (const start = Date.now();;) {
    try {
      return await Deno.connect({ transport: "unix", path });
    } catch (error) {
      const isAway = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.ConnectionRefused;
      if (!isAway) throw error;
      if (Date.now() - start >= absentMs) return null;
    }
    await pause(RETRY_MS);
  }
}

/** All of a line of JSON; `null` when the other side ended before its end. */
async function readLine<T>(connection: Deno.UnixConn): Promise<T | null> {
  const decoder = new TextDecoder(), piece = new Uint8Array(65_536);
  for (let text = "";;) {
    const size = await connection.read(piece).catch(() => null);
    if (size === null) return null;
    text += decoder.decode(piece.subarray(0, size), { stream: true });
    if (text.endsWith("\n")) return JSON.parse(text) as T;
  }
}

async function writeLine(connection: Deno.UnixConn, value: PackRequest | PackAnswer): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(value) + "\n");
  for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
}

/**
 * Has one series packed by the converter that listens at `path`. One that is just being started is waited for.
 * @returns its answer; `absent` when none listens within `absentMs`, `dead` when it ended over this series.
 */
export async function requestConversion(
  path: string,
  request: PackRequest,
  absentMs = CONVERTER_TIMEOUT_MS,
): Promise<PackAnswer | "absent" | "dead"> {
  const connection = await connect(path, absentMs);
  if (connection === null) return "absent";
  try {
    // one that dies before it has read all says so by its end
    const writing = writeLine(connection, request).catch(() => {});
    const answer = await readLine<PackAnswer>(connection);
    await writing;
    return answer ?? "dead";
  } finally {
    connection.close();
  }
}

/**
 * Answers {@link requestConversion} until the signal aborts.
 * @param pack    Packs one series; its errors are answers.
 * @param atOnce  Series that are converted at the same time; others wait.
 */
export async function serveConverter(
  path: string,
  pack: (request: PackRequest) => Promise<PackAnswer>,
  atOnce: number,
  signal: AbortSignal,
): Promise<void> {
  // of one that died
  await Deno.remove(path).catch(() => {});
  const listener = Deno.listen({ transport: "unix", path });
  signal.addEventListener("abort", () => listener.close(), { once: true });
  const waiting: (() => void)[] = [];
  let free = atOnce;
  const answer = async (connection: Deno.UnixConn) => {
    try {
      const request = await readLine<PackRequest>(connection);
      if (request === null) return;
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        await writeLine(connection, await pack(request));
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
      }
    } finally {
      connection.close();
    }
  };
  // an asker that has gone needs no answer
  for await (const connection of listener) answer(connection).catch(() => {});
}
