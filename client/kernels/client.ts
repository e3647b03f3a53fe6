import { KERNELS_WASM_URL, KERNELS_WORKER_URL } from "@/client/kernels/assets.ts";
import {
  type LabelLocations,
  type LoaderMessage,
  type LoaderRequest,
  VOXEL_KIND_OF,
} from "@/client/kernels/meta.ts";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import type { ViewerFile } from "@/model/schema/studies/viewer_files.ts";

/** Request for one volume of a patient. */
export interface VolumeRequest {
  pid: number;
  field: ViewerFile;
  /** URL from the API; contains a content hash, so that the browser can cache the file */
  url: string;
  /** voxel grid that the file must have, from `GET /patients/{pid}/volume` */
  shape: Shape;
  /**
   * index of the slice that is requested first, then its neighbours; by default the middle slice
   */
  from?: number;
  /** indices of missing slices of the version that `url` names by its content hash; absent: all */
  missing?: readonly number[];
  /** Receives whole slices from voxel `offset` on, i fastest, in any order. */
  onSlab: (offset: number, voxels: Uint8Array) => void;
  /** called if slices in memory are invalid: the whole volume then follows */
  onRestart?: () => void;
  /** Receives uncompressed bytes loaded; the total is `null` until the header is read. */
  onProgress?: (receivedBytes: number, totalBytes: number | null) => void;
  signal: AbortSignal;
}

/**
 * Volume loader of one viewer.
 * The worker runs while volumes load, and frees the memory after the last volume.
 */
export interface VolumeLoader {
  /**
   * Compiled kernels, for `createComposer`.
   *
   * @throws {AppError} `network.offline`, or `internal` if the kernels cannot run in this browser.
   */
  module(): Promise<WebAssembly.Module>;
  /**
   * Loads one volume, several at a time.
   *
   * @returns Label positions for a label volume; otherwise `null`.
   * @throws {AppError} the server's code, `network.offline`, or `engine.unsupported_input` for a
   * damaged file; an abort rejects with the signal's reason.
   * Slices delivered before an error stay valid.
   */
  load(request: VolumeRequest): Promise<LabelLocations | null>;
  /** Stops the worker; loads in progress reject with an `AbortError`. */
  close(): void;
}

interface Load {
  request: VolumeRequest;
  resolve(places: LabelLocations | null): void;
  reject(reason: unknown): void;
}

/** Parts of the loader that tests can replace. */
interface LoaderSettings {
  startWorker(): Worker;
  wasmUrl: string;
  /** Base URL for relative addresses. */
  base: string;
}

/** Settings for this page. `base` is a getter, because the server also loads this module. */
const THIS_PAGE: LoaderSettings = {
  startWorker: () => new Worker(KERNELS_WORKER_URL, { type: "module" }),
  wasmUrl: KERNELS_WASM_URL,
  get base() {
    return location.href;
  },
};

/** The given URL if it is on this site; otherwise the URL of the documented API. */
function fileUrl({ pid, field, url }: VolumeRequest, base: string): string {
  const address = new URL(url, base);
  const isOurs = address.origin === new URL(base).origin && address.pathname.startsWith("/api/");
  return isOurs
    ? address.href
    : new URL(`/api/v1/patients/image/viewer/${pid}?file=${field}`, base).href;
}

/** Creates a volume loader; its worker starts with the first call. */
export function createVolumeLoader(settings: LoaderSettings = THIS_PAGE): VolumeLoader {
  const loads = new Map<number, Load>();
  let worker: Worker | null = null, lastId = 0;
  let started: PromiseWithResolvers<WebAssembly.Module> | null = null,
    module: WebAssembly.Module | null = null;

  const send = (request: LoaderRequest) => worker?.postMessage(request);
  const stop = (reason?: unknown) => {
    worker?.terminate();
    worker = null;
    if (!module) {
      started?.reject(reason);
      started = null;
    }
    for (const load of loads.values()) load.reject(reason);
    loads.clear();
  };
  const run = () => {
    if (worker) return;
    worker = settings.startWorker();
    worker.onmessage = ({ data }: MessageEvent<LoaderMessage>) => receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      stop(
        new AppError("internal", `Cannot run the image worker: ${event.message ?? "not loaded"}`),
      );
    };
    if (!started) {
      started = Promise.withResolvers();
      // no unhandled rejection: module() and load() report a start-up failure to their callers
      started.promise.catch(() => undefined);
    }
    send({ kind: "start", kernels: module ?? new URL(settings.wasmUrl, settings.base).href });
  };
  const settle = (id: number): Load | undefined => {
    const load = loads.get(id);
    loads.delete(id);
    return load;
  };
  const endIfIdle = () => {
    if (loads.size === 0 && module) stop();
  };
  const receive = (message: LoaderMessage) => {
    if (message.kind === "started") {
      started?.resolve(module = message.module);
    } else if (message.kind === "slab") {
      loads.get(message.id)?.request.onSlab(message.offset, message.voxels);
    } else if (message.kind === "restart") {
      loads.get(message.id)?.request.onRestart?.();
    } else if (message.kind === "progress") {
      loads.get(message.id)?.request.onProgress?.(message.receivedBytes, message.totalBytes);
    } else if (message.kind === "loaded") {
      settle(message.id)?.resolve(message.places);
      endIfIdle();
    } else if (message.kind === "failed") {
      const error = new AppError(message.code, message.message, message.details);
      if (message.id === null) return stop(error);
      settle(message.id)?.reject(error);
      endIfIdle();
    }
  };
  return {
    module() {
      if (module) return Promise.resolve(module);
      run();
      return started!.promise;
    },
    load(request) {
      const { signal, shape, field } = request;
      if (signal.aborted) return Promise.reject(signal.reason);
      const id = ++lastId,
        { promise, resolve, reject } = Promise.withResolvers<LabelLocations | null>();
      run();
      loads.set(id, { request, resolve, reject });
      const onAbort = () => {
        send({ kind: "abort", id });
        settle(id)?.reject(signal.reason);
        endIfIdle();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const url = fileUrl(request, settings.base);
      send({
        kind: "load",
        id,
        url,
        shape: [...shape],
        voxelKind: VOXEL_KIND_OF[field],
        from: request.from ?? Math.floor(shape[2] / 2),
        missing: request.missing ?? Array.from({ length: shape[2] }, (_, k) => k),
      });
      return promise.finally(() => signal.removeEventListener("abort", onAbort));
    },
    close: () => stop(new DOMException("The viewer was closed", "AbortError")),
  };
}

/** Loader that was created before the page's components were loaded. */
let early: VolumeLoader | null = null;

/**
 * Starts a worker with the kernels while the page's components still load, for pages that show
 * volumes immediately. {@link pageLoader} returns the loader.
 */
export function startLoaderEarly(): void {
  early ??= createVolumeLoader();
  // ignored here, because every later load reports a start-up failure
  early.module().catch(() => undefined);
}

/** Returns the loader that was started early, once; later calls return new loaders. */
export function pageLoader(): VolumeLoader {
  const loader = early ?? createVolumeLoader();
  early = null;
  return loader;
}
