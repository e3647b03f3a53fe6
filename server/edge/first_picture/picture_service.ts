import type { Api } from "@/client/api/http.ts";
import { requestOf } from "@/client/api/http.ts";
import type { Vec3 } from "@/model/geometry.ts";
import type { FirstField } from "@/model/viewer/first_picture.ts";
import { BoundedCache } from "@/server/edge/first_picture/bounded_cache.ts";
import type { PicturedKind } from "@/server/edge/first_picture/crossed_slices.ts";
import type { PicturedStudy } from "@/server/edge/first_picture/page_view.ts";
import { pictureHtml } from "@/server/edge/first_picture/picture_html.ts";
import { HEAD_MARGIN_MM } from "@/viewer/session/session.ts";
import { PictureWorker } from "@/server/edge/first_picture/picture_worker_link.ts";
import type { CrossedSlices, FirstPictures } from "@/server/edge/first_picture/picture_view.ts";

/** Maximum time that a page waits for pictures, ms; later pictures are cached for the next page. */
const PATIENCE_MS = 150;
/** Maximum time for the pictures of one study, including reading the files, ms. */
const MOST_MS = 10_000;
/** Maximum number of studies in progress or queued; further pages have no pictures. */
const MAX_WAITING = 8;
/** Cache sizes in bytes: slices of about 100 studies, and pictures of about 60 studies. */
const SLICE_BYTES = 16 << 20, PICTURE_BYTES = 8 << 20;

/** Slices cut from a file, with the entity tag of that file. */
interface KeptSlices {
  tag: string;
  slices: CrossedSlices;
}

/** A file of the core, requested with the session of the page's user. */
interface OpenedFile {
  path: string;
  /** entity tag; `null` if the core sends none, so that the file cannot be cached */
  tag: string | null;
  isGzip: boolean;
  /** content of the file; `null` if the cached slices are still those of the current file */
  body: ReadableStream<Uint8Array> | null;
  slices: CrossedSlices | null;
}

/** Writes to the program's log. */
type Warn = (message: string, error: unknown) => void;

/**
 * Server-rendered pictures of viewer pages. The core is always asked for a study's files with the
 * user's session: without permission there is no picture, even if the picture is cached.
 */
export class PictureService {
  readonly #worker = new PictureWorker();
  /** cached slices by path and voxel indices */
  readonly #slices = new BoundedCache<KeptSlices>(SLICE_BYTES);
  readonly #pictures = new BoundedCache<FirstPictures>(PICTURE_BYTES);
  /** running renderings by the key of the picture */
  readonly #drawing = new Map<string, Promise<FirstPictures>>();
  readonly #closed = new AbortController();
  /** queue of studies, processed one after another */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly warn: Warn = () => {},
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** Pictures for a study's page; `null` without pictures, or after the time limit. */
  async picturesOf(api: Api, study: PicturedStudy): Promise<FirstPictures | null> {
    const deadline = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(MOST_MS)]);
    const timer = Promise.withResolvers<null>();
    const patience = setTimeout(() => timer.resolve(null), this.patienceMs);
    const drawn = this.#draw(api, study, deadline).catch((error: unknown) => {
      if (!this.#closed.signal.aborted) this.warn("Cannot draw a first picture", error);
      return null;
    });
    try {
      return await Promise.race([drawn, timer.promise]);
    } finally {
      clearTimeout(patience);
    }
  }

  close(): void {
    this.#closed.abort();
    this.#worker.end();
  }

  async #draw(
    api: Api,
    study: PicturedStudy,
    signal: AbortSignal,
  ): Promise<FirstPictures | null> {
    const opened = await Promise.all(
      study.files.map((path) => this.#open(api, path, study.at, signal)),
    );
    const files = opened.filter((file) => file !== null),
      dismiss = () => files.forEach(({ body }) => void body?.cancel().catch(() => {}));
    if (files.length < study.files.length) {
      dismiss();
      return null;
    }
    const names = files.map(({ path, tag }) => [path, tag ?? crypto.randomUUID()]);
    const key = JSON.stringify([names, study.view]);
    const known = this.#pictures.get(key) ?? this.#drawing.get(key);
    if (known || this.#drawing.size >= MAX_WAITING) {
      dismiss();
      return await known ?? null;
    }
    const drawing = this.#last.catch(() => {}).then(() => this.#drawInTime(files, study, signal));
    this.#last = drawing;
    this.#drawing.set(key, drawing);
    try {
      const pictures = await drawing;
      const bytes = Object.values(pictures.html).reduce((sum, html) => sum + html.length, 0);
      this.#pictures.set(key, pictures, bytes);
      return pictures;
    } finally {
      this.#drawing.delete(key);
      dismiss();
    }
  }

  /** Terminates the worker when the study's time limit is exceeded. */
  async #drawInTime(
    files: readonly OpenedFile[],
    study: PicturedStudy,
    signal: AbortSignal,
  ): Promise<FirstPictures> {
    signal.throwIfAborted();
    const stop = () => this.#worker.end(new Error("Cannot draw a picture: it takes too long"));
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await this.#drawFrom(files, study, signal);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async #drawFrom(
    [base, labels]: readonly OpenedFile[],
    { view, at, isFlair, isOverlayDrawn }: PicturedStudy,
    signal: AbortSignal,
  ): Promise<FirstPictures> {
    const read = (file: OpenedFile, kind: PicturedKind) =>
      this.#sliced(file, { kind, shape: view.shape, at }, signal);
    const image = await read(base!, "intensity"), map = labels && await read(labels, "labels");
    const bounds = isFlair ? image.bounds : map?.bounds ?? null;
    const field: FirstField | null = bounds && { bounds, marginMm: isFlair ? 0 : HEAD_MARGIN_MM };
    signal.throwIfAborted();
    const overlay = isOverlayDrawn && map || null;
    const panes = await this.#worker.draw({ view, base: image, overlay, field });
    return {
      planes: panes.map(({ plane }) => plane),
      html: Object.fromEntries(panes.map((pane) => [pane.plane, pictureHtml(pane)])),
      field,
    };
  }

  /**
   * Requests a file; with cached slices, only if the file has changed.
   *
   * @returns `null` if the core has no such file for the user.
   */
  async #open(api: Api, path: string, at: Vec3, signal: AbortSignal): Promise<OpenedFile | null> {
    const kept = this.#slices.get(`${path} ${at}`);
    const headers = { "accept-encoding": "gzip", ...kept && { "if-none-match": kept.tag } };
    const answer = await api.send(requestOf(api, path, { headers, signal }));
    if (kept && answer.status === 304) {
      return { path, tag: kept.tag, isGzip: false, body: null, slices: kept.slices };
    }
    if (answer.status !== 200 || answer.body === null) {
      await answer.body?.cancel();
      return null;
    }
    return {
      path,
      tag: answer.headers.get("etag"),
      isGzip: answer.headers.get("content-encoding") === "gzip",
      body: answer.body,
      slices: null,
    };
  }

  async #sliced(
    { path, tag, isGzip, body, slices }: OpenedFile,
    request: { kind: PicturedKind; shape: PicturedStudy["view"]["shape"]; at: Vec3 },
    signal: AbortSignal,
  ): Promise<CrossedSlices> {
    if (slices) return slices;
    const key = `${path} ${request.at}`, kept = this.#slices.get(key);
    // another page has decoded these slices in the meantime
    if (kept && kept.tag === tag) return kept.slices;
    const crossed = await this.#worker.cross({ ...request, isGzip }, body!, signal);
    const bytes = crossed.slices.reduce((sum, { length }) => sum + length, 0);
    if (tag !== null) this.#slices.set(key, { tag, slices: crossed }, bytes);
    return crossed;
  }
}
