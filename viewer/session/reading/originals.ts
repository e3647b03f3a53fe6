import { type ReadonlySignal, signal } from "@preact/signals-react";
import { browserApi } from "@/client/browser_api.ts";
import { getSeriesVolume, listSeries } from "@/client/api/reading/series.ts";
import type { StudySeries } from "@/model/schema/reading/series.ts";
import { type OriginalVolume, readOriginal } from "@/viewer/reading/original_volume.ts";
import { openReading } from "@/viewer/session/reading/kernels.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";

/** State of a series' original values: loading, loaded, or unavailable. */
type Original = { kind: "loading" } | { kind: "loaded"; volume: OriginalVolume } | {
  kind: "absent";
};

const LOADING: Original = { kind: "loading" };

/** Series of a study with original values, each loaded on first use. */
export class Originals {
  readonly #changes = signal(0);
  readonly #known = new Map<number | "t1" | "t2", Original>();
  readonly #abort = new AbortController();
  #list: Promise<StudySeries[]> | null = null;

  constructor(private readonly session: ViewerSession) {}

  /** Incremented whenever a series has been loaded. */
  get changes(): ReadonlySignal<number> {
    return this.#changes;
  }

  /** Lists all stored series of the study. @throws {AppError} as `listSeries`. */
  list(): Promise<StudySeries[]> {
    this.#list ??= listSeries(browserApi, this.session.pid, this.#abort.signal).then(({ series }) =>
      series
    );
    this.#list.catch(() => this.#list = null);
    return this.#list;
  }

  /** The analysed series of a kind (T1w or FLAIR), or a series by id, loaded on first use. */
  of(series: "t1" | "t2" | number): Original {
    const original = this.#known.get(series);
    if (original) return original;
    this.#known.set(series, LOADING);
    this.#load(series).catch(() => null).then((volume) => {
      if (this.#abort.signal.aborted) return;
      this.#known.set(series, volume ? { kind: "loaded", volume } : { kind: "absent" });
      this.#changes.value++;
    });
    return LOADING;
  }

  /** Values of a series once the series is loaded; `null` when unavailable. */
  arrival(series: "t1" | "t2" | number): Promise<OriginalVolume | null> {
    return new Promise((resolve) => {
      const look = () => {
        const original = this.of(series);
        if (original.kind === "loading") return;
        queueMicrotask(() => stop());
        resolve(original.kind === "loaded" ? original.volume : null);
      };
      const stop = this.#changes.subscribe(look);
    });
  }

  async #load(wanted: "t1" | "t2" | number): Promise<OriginalVolume | null> {
    const series = (await this.list()).find(({ id, kind, is_analysed }) =>
      typeof wanted === "number" ? id === wanted : is_analysed && kind === wanted
    );
    if (!series) return null;
    // initialises the kernel for callers that compute statistics
    const kernels = openReading();
    kernels.catch(() => {});
    const packed = await getSeriesVolume(browserApi, series.volume_url, this.#abort.signal);
    await kernels;
    if (!packed.body) return null;
    const plain = await new Response(packed.body.pipeThrough(new DecompressionStream("gzip")))
      .arrayBuffer();
    return readOriginal(plain, series.shape, series.affine);
  }

  close(): void {
    this.#abort.abort();
    this.#known.clear();
  }
}
