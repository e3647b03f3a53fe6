import { noteUnhandled, unhandledErrorCount } from "@/server/wire/unhandled_errors.ts";

/**
 * Request/response protocol between processes of one machine, over a Unix socket in a folder.
 * Each connection carries one request and one response, each a line of JSON.
 */

const RETRY_MS = 100;
const MAX_LINE_BYTES = 64 << 20;

/**
 * Errors when connecting to a process that does not run.
 * From `ConnectionReset` on: the process ended before accepting the connection.
 */
const ABSENT = [
  Deno.errors.NotFound,
  Deno.errors.ConnectionRefused,
  Deno.errors.ConnectionReset,
  Deno.errors.ConnectionAborted,
  Deno.errors.NotConnected,
  Deno.errors.BrokenPipe,
];

/** Connects to a Unix socket; `null` if no process listens at the path within `absentMs`. */
export async function connectTo(path: string, absentMs: number): Promise<Deno.UnixConn | null> {
  for (const startMs = performance.now();;) {
    try {
      return await Deno.connect({ transport: "unix", path });
    } catch (error) {
      if (!ABSENT.some((kind) => error instanceof kind)) throw error;
      if (performance.now() - startMs >= absentMs) return null;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Reads a line of JSON; `null` if the connection ended first, or the line is too long. */
async function readLine<T>(connection: Deno.UnixConn): Promise<T | null> {
  const decoder = new TextDecoder(), piece = new Uint8Array(65_536), texts: string[] = [];
  for (let size = 0; size < MAX_LINE_BYTES;) {
    const count = await connection.read(piece).catch(() => null);
    if (count === null) return null;
    size += count;
    const text = decoder.decode(piece.subarray(0, count), { stream: true });
    texts.push(text);
    if (text.endsWith("\n")) return JSON.parse(texts.join("")) as T;
  }
  return null;
}

/** Reads and writes messages on a Unix socket. */
export interface Codec {
  /** @returns `null` when the connection ended first, or the message is too large. */
  read<T>(connection: Deno.UnixConn): Promise<T | null>;
  write(connection: Deno.UnixConn, value: unknown): Promise<void>;
}

async function writeLine(connection: Deno.UnixConn, value: unknown): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(value) + "\n");
  for (let written = 0; written < bytes.length;) {
    written += await connection.write(bytes.subarray(written));
  }
}

/** Encodes each message as a line of JSON. */
const LINES: Codec = { read: readLine, write: writeLine };

/** Request to which every process responds with the number of unhandled errors so far. */
const ERRORS_QUESTION = { count: "unhandled errors" };
const isErrorsQuestion = (question: unknown): boolean =>
  (question as Partial<typeof ERRORS_QUESTION>)?.count === ERRORS_QUESTION.count;
const ERRORS_TIMEOUT_MS = 1000;

/**
 * Number of unhandled errors of the process that listens at a socket path.
 * `null` if the process does not respond within a second.
 */
export async function unhandledErrorsAt(path: string, codec = LINES): Promise<number | null> {
  const connection = await connectTo(path, 0).catch(() => null);
  if (connection === null) return null;
  let isOpen = true;
  const close = () => {
    if (isOpen) connection.close();
    isOpen = false;
  };
  const timer = setTimeout(close, ERRORS_TIMEOUT_MS);
  try {
    const answer = await askLine<unknown, { errors?: number }>(connection, ERRORS_QUESTION, codec);
    return answer?.errors ?? null;
  } finally {
    clearTimeout(timer);
    close();
  }
}

/**
 * Response to a request; `null` when the other process closed the connection.
 * The caller must close the connection.
 */
export async function askLine<Question, Answer>(
  connection: Deno.UnixConn,
  question: Question,
  { read, write } = LINES,
): Promise<Answer | null> {
  // the other process may crash before it has read the whole request: `null` is then returned
  const writing = write(connection, question).catch(() => {});
  const answer = await read<Answer>(connection);
  await writing;
  return answer;
}

/**
 * Answers requests of {@link askLine} until the signal aborts.
 * @param atOnce Maximum number of requests answered at the same time; further requests wait.
 * @returns `answered`, a promise that resolves when all earlier requests have been answered.
 */
export async function serveLines<Question, Answer>(
  path: string,
  answerTo: (question: Question) => Promise<Answer>,
  atOnce: number,
  signal: AbortSignal,
  { read, write } = LINES,
): Promise<{ answered: Promise<unknown> }> {
  // a crashed process leaves its socket, which would prevent listening
  await Deno.remove(path).catch(() => {});
  const listener = Deno.listen({ transport: "unix", path });
  signal.addEventListener("abort", () => listener.close(), { once: true });
  const waiting: (() => void)[] = [];
  let free = atOnce;
  const answer = async (connection: Deno.UnixConn) => {
    try {
      const question = await read<Question>(connection);
      if (question === null) return;
      if (isErrorsQuestion(question)) {
        return await write(connection, { errors: unhandledErrorCount() });
      }
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        await write(connection, await answerTo(question));
      } finally {
        const resume = waiting.shift();
        if (resume) resume();
        else free++;
      }
    } finally {
      connection.close();
    }
  };
  const underWay = new Set<Promise<void>>();
  for (;;) {
    const connection = await listener.accept().catch((error) => {
      if (signal.aborted) return null;
      noteUnhandled(error);
      // the usual reason is that no file descriptor is free: tried again later
      return new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), RETRY_MS));
    });
    if (connection === null) break;
    if (connection === undefined) continue;
    // the requesting process has disconnected and needs no response
    const answering: Promise<void> = answer(connection).catch(() => {}).finally(() =>
      underWay.delete(answering)
    );
    underWay.add(answering);
  }
  return { answered: Promise.all(underWay) };
}
