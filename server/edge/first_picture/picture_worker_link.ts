import { fileURLToPath } from "node:url";
import type {
  CrossRequest,
  WorkerAnswer,
  WorkerRequest,
} from "@/server/edge/first_picture/messages.ts";
import type {
  CrossedSlices,
  DrawnPane,
  PictureOrder,
} from "@/server/edge/first_picture/picture_view.ts";
import { rightsToFiles } from "@/server/wire/worker_rights.ts";

/** Idle time after which the worker ends, to free the memory of the kernels, ms. */
const IDLE_MS = 60_000;
/** Maximum size of a file for a picture, compressed bytes. */
const MAX_FILE_BYTES = 64 << 20;

/** Program files that the worker loads, with the kernels. */
const PROGRAM = ["wasm/pkg/", "viewer/", "model/", "server/edge/first_picture/", "chunks/"].map((
  path,
) => fileURLToPath(new URL(`../../../${path}`, import.meta.url)));

interface Waiting {
  resolve(answer: WorkerAnswer): void;
  reject(reason: Error): void;
}

/**
 * Manages the worker that renders pictures.
 * The worker is started on demand, and terminated after a crash or when idle.
 */
export class PictureWorker {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #lastId = 0;

  /**
   * Decodes slices of a volume's file.
   *
   * @throws {Error} for a damaged, too large or truncated file.
   */
  async cross(
    request: CrossRequest,
    file: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<CrossedSlices> {
    const id = ++this.#lastId, answer = this.#ask({ id, cross: request });
    // ignored here: an aborted file is reported below
    answer.catch(() => {});
    let bytes = 0;
    const reader = file.getReader();
    const stop = () => void reader.cancel().catch(() => {});
    signal.addEventListener("abort", stop, { once: true });
    try {
      for (;;) {
        const { done, value } = await reader.read();
        signal.throwIfAborted();
        if (done) break;
        if ((bytes += value.length) > MAX_FILE_BYTES) {
          throw new RangeError("Cannot read a volume for a picture: the file is too large");
        }
        const part = value.byteLength === value.buffer.byteLength ? value : value.slice();
        this.#worker?.postMessage({ id, part }, [part.buffer as ArrayBuffer]);
      }
    } catch (error) {
      stop();
      // ends the worker, which would otherwise wait for the end of a truncated volume
      this.end(error instanceof Error ? error : new Error(String(error)));
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
    this.#worker?.postMessage({ id, part: null } satisfies WorkerRequest);
    return (await answer as WorkerAnswer & { slices: CrossedSlices }).slices;
  }

  /** Renders pictures. @throws {Error} if rendering fails. */
  async draw(order: PictureOrder): Promise<DrawnPane[]> {
    const answer = await this.#ask({ id: ++this.#lastId, draw: order });
    return (answer as WorkerAnswer & { panes: DrawnPane[] }).panes;
  }

  /** Terminates the worker; pending requests fail. */
  end(reason = new Error("The site closes")): void {
    clearTimeout(this.#idle);
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #ask(request: WorkerRequest): Promise<WorkerAnswer> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>();
    this.#waiting.set(request.id, { resolve, reject });
    this.#worker.postMessage(request);
    return promise.finally(() => this.#rest());
  }

  #rest(): void {
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.end(), IDLE_MS);
    Deno.unrefTimer(this.#idle as unknown as number);
  }

  #start(): Worker {
    const worker = new Worker(new URL("./picture_worker.ts", import.meta.url), {
      type: "module",
      deno: { permissions: rightsToFiles(PROGRAM) },
    });
    worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ("error" in data) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.end(new Error(`The picture worker ended: ${event.message}`));
    };
    return worker;
  }
}
