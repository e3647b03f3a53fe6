import { fileURLToPath } from "node:url";
import type { Log } from "@/model/site/log.ts";
import { AppError } from "@/model/errors.ts";
import type { DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import type { FileHeader } from "@/server/core/dicom/worker/file_header.ts";
import { askReader } from "@/server/core/dicom/worker/reader_process.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import {
  errorOf,
  isFailure,
  type ReadAnswer,
  type ReadFailure,
  type ReadResult,
  type ReadTask,
} from "@/server/core/dicom/worker/read_tasks.ts";
import { limitWork } from "@/server/core/dicom/worker/work_limit.ts";
import { rightsToFiles, withReal } from "@/server/wire/worker_rights.ts";

/** Number of workers: several, so that a slow file does not block other files. */
export const WORKERS = 2;
/**
 * Heap limit of a worker; a file at the limits of bounded_parser.ts needs 1 % of it.
 */
const TIMEOUT_MS = 20_000;
/** Maximum number of interactive tasks in the queue; further tasks are refused as busy. */
const MAX_WAITING = 64;
/** Time for which a background task waits while the reader process is restarted. */
const PATIENCE_MS = 60_000, RETRY_MS = 1000;
/** Number of files per message, and of messages being processed. */
const BATCH = 32;
/** Time without tasks after which a worker is terminated to free its memory. */
const IDLE_MS = 60_000;

/** Program files that a reader worker loads: this folder and its imports. */
const PROGRAM = ["../../../", "../../../../model/", "../../../../chunks/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url))
);

interface ReaderOptions {
  /** folders with files that may be read */
  folders: readonly string[];
  log: Log;
  /**
   * socket of a reader process, used instead of workers (server/commands/start/reader.ts)
   */
  socket?: string | null;
  /** called when a worker exceeds the time limit, before its task fails */
  onHang?: () => void;
  /** module and time limit of a worker; tests pass a module that hangs or crashes */
  script?: URL;
  timeoutMs?: number;
}

class ReaderTimeout extends Error {
  override name = "ReaderTimeout";
}

/** Parsed header of a DICOM file, or the error. */
type Header<Kind extends "instances" | "objects"> = Exclude<ReadResult<Kind>[number], ReadFailure>;

/** A worker thread and the task that it executes. */
interface Member {
  worker: Worker;
  /** settles the worker's task with a response or an error */
  settle: ((answer: ReadAnswer | Error) => void) | null;
  idle: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Reads untrusted files in a reader process, or in worker threads of this process,
 * which may read only the folders of received files.
 * The task of a worker that exceeds the time limit or crashes fails, and the worker is replaced.
 * `terminate()` does not stop a busy worker (Deno 2.9): its thread ends only with the process,
 * so that the reader process exits in this case, and is restarted.
 */
export class DicomReader {
  readonly #free: Member[] = [];
  readonly #all = new Set<Member>();
  readonly #queue: (() => void)[] = [];
  #busy = 0;
  #isClosed = false;

  constructor(private readonly options: ReaderOptions) {}

  /**
   * Executes a reading task in a worker or in the reader process.
   * @throws {AppError} the task's error; `upload.format_not_supported`, reason `unreadable`, for a
   * worker that hung or crashed; `server.busy` if too many tasks wait.
   */
  async read<Task extends ReadTask>(task: Task): Promise<ReadResult<Task["kind"]>> {
    if (this.#queue.length >= MAX_WAITING) {
      throw new AppError("server.busy", "Cannot read the file: too many are waiting");
    }
    return await this.#do(task);
  }

  /**
   * Executes a background task, which waits in the queue instead of being refused as busy.
   * Waits up to a minute while the reader process restarts. @throws {AppError} as {@link read}.
   */
  async readLater<Task extends ReadTask>(task: Task): Promise<ReadResult<Task["kind"]>> {
    for (const end = performance.now() + PATIENCE_MS;;) {
      try {
        return await this.#do(task);
      } catch (error) {
        // retried only if no reader process took the bytes, because they can be sent only once
        const isAway = isBusy(error) && !this.#isClosed && this.options.socket;
        if (!isAway || performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** Headers of files, in the order given; for an unreadable file the result is an error. */
  async headers<Kind extends "instances" | "objects">(
    kind: Kind,
    paths: readonly string[],
    encoding: DicomEncoding | undefined,
  ): Promise<(Header<Kind> | Error)[]> {
    const headers = new Array<Header<Kind> | Error>(paths.length);
    const readFrom = async (start: number, count: number): Promise<void> => {
      const task = { kind, paths: paths.slice(start, start + count), encoding } as ReadTask;
      try {
        const results = await this.#do(task) as ReadResult<Kind>;
        results.forEach((one, n) =>
          headers[start + n] = isFailure(one) ? errorOf(one) : one as Header<Kind>
        );
      } catch (error) {
        if (count === 1 || isBusy(error)) headers.fill(error as Error, start, start + count);
        // after a failure each file is read alone, to find the file that caused it
        else for (let n = 0; n < count; n++) await readFrom(start + n, 1);
      }
    };
    let nextIndex = 0;
    const lane = async () => {
      while (nextIndex < paths.length) {
        const start = nextIndex, count = Math.min(BATCH, paths.length - start);
        nextIndex += count;
        await readFrom(start, count);
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, lane));
    return headers;
  }

  /** Terminates all workers; running tasks fail. */
  close(): void {
    this.#isClosed = true;
    for (const member of this.#all) {
      this.#end(member);
      member.settle?.(new Error("the reader is closed"));
    }
    for (const resume of this.#queue.splice(0)) resume();
  }

  async #do<Task extends ReadTask>(task: Task): Promise<ReadResult<Task["kind"]>> {
    if (this.#busy >= WORKERS) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#busy++;
    try {
      const answer = await this.#ask(task);
      if ("failure" in answer) throw errorOf(answer.failure);
      return answer.result as ReadResult<Task["kind"]>;
    } finally {
      const resume = this.#queue.shift();
      // the slot of the finished task is given to the next waiting task
      if (resume) resume();
      else this.#busy--;
    }
  }

  async #ask(task: ReadTask): Promise<ReadAnswer> {
    if (this.#isClosed) {
      throw new AppError("server.busy", "Cannot read the file: the site is closing");
    }
    const { socket } = this.options;
    return socket ? await this.#askProcess(socket, task) : await this.answer(task);
  }

  /**
   * Executes a task in the reader process. Retries once if that process
   * exits, possibly because of another file.
   */
  async #askProcess(socket: string, task: ReadTask): Promise<ReadAnswer> {
    const { timeoutMs = TIMEOUT_MS, log } = this.options;
    for (let attempt = 1;; attempt++) {
      const answer = await askReader(socket, task, 2 * timeoutMs);
      if (answer === "absent") {
        throw new AppError(
          "server.busy",
          "Cannot read the file: the process that reads does not run",
        );
      }
      if (answer !== "dead") return answer;
      log("error", "The process that reads DICOM ended over a task", { task: task.kind, attempt });
      if (attempt === 2) throw failure("its process ended");
    }
  }

  /**
   * Executes a task in a worker thread of this process, without queueing.
   * @throws {AppError} if the worker hung or crashed.
   */
  async answer(task: ReadTask): Promise<ReadAnswer> {
    const { timeoutMs = TIMEOUT_MS, log } = this.options,
      member = this.#free.pop() ?? this.#start();
    clearTimeout(member.idle);
    const { promise, resolve } = Promise.withResolvers<ReadAnswer | Error>();
    member.settle = resolve;
    const stopLimit = limitWork(
      timeoutMs,
      () => resolve(new ReaderTimeout(`no answer in ${timeoutMs} ms`)),
    );
    member.worker.postMessage(task, "bytes" in task ? [task.bytes.buffer] : []);
    const answer = await promise;
    stopLimit();
    member.settle = null;
    if (!(answer instanceof Error)) {
      if (!this.#isClosed) this.#rest(member);
      return answer;
    }
    if (answer instanceof ReaderTimeout) this.options.onHang?.();
    this.#end(member);
    const files = "paths" in task ? task.paths.length : 1;
    log("error", "A worker that reads DICOM was ended", {
      task: task.kind,
      files,
      error: answer.message,
    });
    throw failure(answer.message);
  }

  #start(): Member {
    const { script = new URL("./read_worker.ts", import.meta.url), folders } = this.options;
    const worker = new Worker(script, {
      type: "module",
      deno: { permissions: rightsToFiles([...PROGRAM, ...folders.flatMap(withReal)]) },
    });
    const member: Member = { worker, settle: null, idle: undefined };
    worker.onmessage = ({ data }: MessageEvent<ReadAnswer>) => member.settle?.(data);
    worker.onerror = (event) => {
      event.preventDefault();
      // replaced: a worker that crashed while it had no task
      if (member.settle) member.settle(new Error(event.message));
      else this.#end(member);
    };
    worker.onmessageerror = () => member.settle?.(new Error("its answer cannot be read"));
    this.#all.add(member);
    return member;
  }

  #rest(member: Member): void {
    this.#free.push(member);
    member.idle = setTimeout(() => this.#end(member), IDLE_MS);
    Deno.unrefTimer(member.idle);
  }

  #end(member: Member): void {
    clearTimeout(member.idle);
    this.#all.delete(member);
    const at = this.#free.indexOf(member);
    if (at >= 0) this.#free.splice(at, 1);
    member.worker.terminate();
  }
}

const failure = (text: string) =>
  rejected("unreadable", `Cannot read the file: its reader ended (${text})`);

/** Whether a task failed because no reader was available: the file may be intact. */
export const isBusy = (error: unknown): boolean =>
  error instanceof AppError && error.code === "server.busy";

/** Tests, and commands without a reader, execute tasks on their thread; a site never does. */
async function readHere<Task extends ReadTask>(task: Task): Promise<ReadResult<Task["kind"]>> {
  const { resultOf } = await import("@/server/core/dicom/worker/read_results.ts");
  return await resultOf(task) as ReadResult<Task["kind"]>;
}

/**
 * Executes one task, see {@link DicomReader.read}.
 * @param isLater Whether this is a background task, see {@link DicomReader.readLater}.
 */
export const readDicom = <Task extends ReadTask>(
  reader: DicomReader | undefined,
  task: Task,
  isLater = false,
): Promise<ReadResult<Task["kind"]>> =>
  reader === undefined ? readHere(task) : isLater ? reader.readLater(task) : reader.read(task);

/** Headers of files, in the order given; for an unreadable file the result is an error. */
export async function readHeadersOf<Kind extends "instances" | "objects">(
  reader: DicomReader | undefined,
  kind: Kind,
  paths: readonly string[],
  encoding: DicomEncoding | undefined,
): Promise<(Header<Kind> | Error)[]> {
  if (reader) return await reader.headers(kind, paths, encoding);
  const results = await readHere({ kind, paths, encoding } as ReadTask) as ReadResult<Kind>;
  return results.map((one) => isFailure(one) ? errorOf(one) : one as Header<Kind>);
}

/** Header of a DICOM object of any kind on disk. @throws as `headerOfFile()`. */
export async function objectHeader(
  reader: DicomReader | undefined,
  path: string,
  encoding?: DicomEncoding,
): Promise<FileHeader> {
  const [header] = await readHeadersOf(reader, "objects", [path], encoding);
  if (header instanceof Error) throw header;
  return header!;
}
