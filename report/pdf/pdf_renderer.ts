import { AppError } from "@/model/errors.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import type { Pictures } from "@/report/pdf/pdf.ts";
import type { PageImage } from "@/report/pdf/page_image.ts";
import type { RendererAnswer, RendererResults, RendererTask } from "@/report/pdf/pdf_worker.ts";
import {
  type StudyPictures,
  type StudyVolumes,
  voxelBuffersOf,
} from "@/report/pdf/study_pictures.ts";

const SCRIPT = new URL("./pdf_worker.ts", import.meta.url);
/** Time in ms for which fonts stay in memory after the last report. */
const IDLE_MS = 60_000;
/**
 * Time limit of one task in ms: the longest reports take some 20 s on a busy machine.
 * A task that takes longer hangs, and would block all later reports.
 */
const TIMEOUT_MS = 5 * 60_000;
type Result = RendererResults[keyof RendererResults];
type OnPlaced = (positionMm: StudyPictures["positionMm"]) => void;

/**
 * Renders pictures and PDFs of reports in a worker, one at a time.
 * The worker starts on demand and ends when idle, which frees its memory.
 */
export class PdfRenderer {
  readonly #waiting = new Map<
    number,
    PromiseWithResolvers<Result> & { onPlaced?: OnPlaced | undefined }
  >();
  #worker: Worker | null = null;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #limit: ReturnType<typeof setTimeout> | undefined;
  #next = 0;
  readonly #script: URL;
  readonly #timeoutMs: number;

  /** @param options Module and time limit of the worker; tests pass a module that hangs. */
  constructor(
    { script = SCRIPT, timeoutMs = TIMEOUT_MS }: { script?: URL; timeoutMs?: number } = {},
  ) {
    this.#script = script;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Renders a PDF with {@link import("@/report/pdf/pdf.ts").renderPdf}.
   * @throws {AppError} `internal` when rendering fails or hangs, `job.canceled` after {@link close}.
   */
  async render(report: ReportResponse, pictures: Pictures): Promise<Uint8Array<ArrayBuffer>> {
    return await this.#ask({ kind: "render", report, pictures }, []) as RendererResults["render"];
  }

  /**
   * Renders pictures with {@link import("@/report/pdf/study_pictures.ts").drawStudy}.
   * @param volumes Transferred: the voxels are not available afterwards.
   * @param onPlaced Receives the slice positions, long before all pictures are rendered.
   * @throws {AppError} as {@link render}.
   */
  async draw(volumes: StudyVolumes, onPlaced?: OnPlaced): Promise<StudyPictures> {
    const drawn = this.#ask({ kind: "draw", volumes }, voxelBuffersOf(volumes), onPlaced);
    return await drawn as RendererResults["draw"];
  }

  /**
   * Renders a page with {@link import("@/report/pdf/page_image.ts").pageImage}.
   * @throws {AppError} as {@link render}.
   */
  async page(pdf: Uint8Array, at: number): Promise<PageImage> {
    return await this.#ask({ kind: "page", pdf, at }, []) as RendererResults["page"];
  }

  #ask(task: RendererTask, given: ArrayBuffer[], onPlaced?: OnPlaced): Promise<Result> {
    clearTimeout(this.#idle);
    const id = this.#next++, waiting = Promise.withResolvers<Result>();
    this.#waiting.set(id, { ...waiting, onPlaced });
    // otherwise the time limit of this task begins when the worker has ended those before it
    if (this.#waiting.size === 1) this.#limitTask();
    (this.#worker ??= this.#start()).postMessage({ id, ...task }, given);
    return waiting.promise;
  }

  /** Starts the time limit of the task that the worker begins now. */
  #limitTask(): void {
    clearTimeout(this.#limit);
    this.#limit = setTimeout(
      () => this.#end(new AppError("internal", "Cannot make the report: no answer in time")),
      this.#timeoutMs,
    );
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<RendererAnswer>) => {
      const waiting = this.#waiting.get(data.id);
      if ("placed" in data) return waiting?.onPlaced?.(data.placed);
      this.#waiting.delete(data.id);
      if ("result" in data) waiting?.resolve(data.result);
      else waiting?.reject(new AppError("internal", `Cannot make the report: ${data.message}`));
      if (this.#waiting.size > 0) return this.#limitTask();
      clearTimeout(this.#limit);
      this.#idle = setTimeout(() => this.close(), IDLE_MS);
    };
    worker.onmessageerror = () =>
      this.#end(new AppError("internal", "Cannot make the report: an answer cannot be read"));
    worker.onerror = (event) => {
      event.preventDefault();
      this.#end(new AppError("internal", `Cannot make the report: ${event.message}`));
    };
    return worker;
  }

  #end(error: AppError): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#limit);
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /** Aborts the current task and frees the memory; the next report starts a new worker. */
  close(): void {
    this.#end(new AppError("job.canceled", "Cannot make the report: stopped"));
  }
}
