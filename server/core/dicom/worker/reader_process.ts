/**
 * The reader: a separate process that parses and renders untrusted DICOM files,
 * so that a task that hangs or uses too much memory does not affect the server.
 * The process listens on a Unix socket; each connection carries one task.
 */
import { BYTE_MESSAGES } from "@/server/wire/byte_messages.ts";
import { LONGEST_WAIT } from "@/server/core/dicom/worker/work_limit.ts";
import { askLine, connectTo, serveLines } from "@/server/wire/line_socket.ts";
import {
  failureOf,
  type ReadAnswer,
  type ReadTask,
} from "@/server/core/dicom/worker/read_tasks.ts";

/** Time within which a reader process that is restarted accepts connections again. */
const READER_TIMEOUT_MS = 10_000;

/**
 * Executes a task in the reader process at the socket `path`, and waits while it is starting.
 * @returns the result; `absent` if no process listens; `dead` if it ended during the task,
 * or took more than {@link LONGEST_WAIT} times `timeoutMs`.
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
  const timer = setTimeout(close, LONGEST_WAIT * timeoutMs);
  try {
    return await askLine<ReadTask, ReadAnswer>(connection, task, BYTE_MESSAGES) ?? "dead";
  } finally {
    clearTimeout(timer);
    close();
  }
}

/**
 * Answers the requests that {@link askReader} sends, until the signal aborts.
 * @param atOnce Maximum number of parallel tasks; further tasks are queued.
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
