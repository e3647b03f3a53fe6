/**
 * The reader: a process beside the server that parses and draws DICOM from outside, so that bytes
 * over which a thread hangs, or that fill its memory, cost the server neither. It listens on a Unix
 * socket; a connection carries one task.
 */
import { BYTE_MESSAGES } from "@/server/wire/byte_messages.ts";
import { askLine, connectTo, serveLines } from "@/server/wire/line_socket.ts";
import {
  failureOf,
  type ReadAnswer,
  type ReadTask,
} from "@/server/core/dicom/worker/read_tasks.ts";

/** A reader that starts again is back within this time. */
const READER_TIMEOUT_MS = 10_000;

/**
 * Has one task done by the reader that listens at `path`. One that is just being started is waited
 * for.
 * @returns its answer; `absent` when none listens, `dead` when it ended over the task or took
 *   longer than `timeoutMs`.
 */
export async function askReader(
  path: string,
  task: ReadTask,
  timeoutMs: number,
): Promise<ReadAnswer | "absent" | "dead"> {
  const connection = await connectTo(path, Math.min(READER_TIMEOUT_MS, timeoutMs));
  if (connection === null) return "absent";
  let isOpen = true;
  const close = () => {
    if (isOpen) connection.close();
    isOpen = false;
  };
  const timer = setTimeout(close, timeoutMs);
  try {
    return await askLine<ReadTask, ReadAnswer>(connection, task, BYTE_MESSAGES) ?? "dead";
  } finally {
    clearTimeout(timer);
    close();
  }
}

/**
 * Answers {@link askReader} until the signal aborts.
 * @param atOnce Tasks that are done at the same time; others wait.
 */
export const serveReader = (
  path: string,
  answer: (task: ReadTask) => Promise<ReadAnswer>,
  atOnce: number,
  signal: AbortSignal,
): Promise<unknown> => {
  const answered = (task: ReadTask) =>
    answer(task).catch((error) => ({ failure: failureOf(error) }));
  return serveLines(path, answered, atOnce, signal, BYTE_MESSAGES).then(({ answered }) => answered);
};
