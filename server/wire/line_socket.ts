import { noteUnhandled, unhandledErrorCount } from "@/server/wire/unhandled_errors.ts";

/**
 * Processes of one machine that ask each other: a Unix socket in a folder of their own, whose
 * connections carry one question and one answer, each a line of JSON.
 */

const RETRY_MS = 100;
const MAX_LINE_BYTES = 64 << 20;

/** The socket at a path; `null` when nobody listens there within `absentMs`. */
export async function connectTo(path: string, absentMs: number): Promise<Deno.UnixConn | null> {
  for (const startMs = performance.now();;) {
    try {
      return await Deno.connect({ transport: "unix", path });
    } catch (error) {
      const isAway = error instanceof Deno.errors.NotFound ||
        error instanceof Deno.errors.ConnectionRefused;
      if (!isAway) throw error;
      if (performance.now() - startMs >= absentMs) return null;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** A line of JSON; `null` when the other side ended first, or the line is too long. */
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

/** How questions and answers are written. */
export interface Codec {
  /** @returns `null` when the other side ended first, or sends more than is allowed. */
  read<T>(connection: Deno.UnixConn): Promise<T | null>;
  write(connection: Deno.UnixConn, value: unknown): Promise<void>;
}

async function writeLine(connection: Deno.UnixConn, value: unknown): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(value) + "\n");
  for (let written = 0; written < bytes.length;) {
    written += await connection.write(bytes.subarray(written));
  }
}

/** Each of them a line of JSON. */
const LINES: Codec = { read: readLine, write: writeLine };

/** A question that every process answers itself: how many errors nothing has handled there. */
const ERRORS_QUESTION = { count: "unhandled errors" };
const isErrorsQuestion = (question: unknown): boolean =>
  (question as Partial<typeof ERRORS_QUESTION>)?.count === ERRORS_QUESTION.count;
const ERRORS_TIMEOUT_MS = 1000;

/**
 * Unhandled errors of the process that listens at a path; `null` when it gives no answer within a
 * second.
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
 * The answer to a question; `null` when the other side ended over it. The caller closes the
 * connection.
 */
export async function askLine<Question, Answer>(
  connection: Deno.UnixConn,
  question: Question,
  { read, write } = LINES,
): Promise<Answer | null> {
  // the other side may die before it has read everything: its answer is missing then
  const writing = write(connection, question).catch(() => {});
  const answer = await read<Answer>(connection);
  await writing;
  return answer;
}

/**
 * Answers {@link askLine} until the signal aborts.
 * @param atOnce Questions that are worked on at the same time; others wait.
 * @returns `answered` settles when what was asked before the end has been answered.
 */
export async function serveLines<Question, Answer>(
  path: string,
  answerTo: (question: Question) => Promise<Answer>,
  atOnce: number,
  signal: AbortSignal,
  { read, write } = LINES,
): Promise<{ answered: Promise<unknown> }> {
  // the socket of a process that died
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
      // no free file descriptor, as a rule: there will be one later
      return new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), RETRY_MS));
    });
    if (connection === null) break;
    if (connection === undefined) continue;
    // an asker that has gone needs no answer
    const answering: Promise<void> = answer(connection).catch(() => {}).finally(() =>
      underWay.delete(answering)
    );
    underWay.add(answering);
  }
  return { answered: Promise.all(underWay) };
}
