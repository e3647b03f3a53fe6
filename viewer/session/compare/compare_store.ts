import { batch, effect, signal } from "@preact/signals-react";
import { browserApi } from "@/client/browser_api.ts";
import { getPatient, getVolume } from "@/client/api/studies/patients.ts";
import { listComparables } from "@/client/api/reading/series.ts";
import { createVolumeLoader } from "@/client/kernels/client.ts";
import { nextTask } from "@/client/page/next_task.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { affineFromRowMajor, invert, type Shape } from "@/model/geometry.ts";
import type { Comparable } from "@/model/schema/reading/comparables.ts";
import type { StudySeries } from "@/model/schema/reading/series.ts";
import {
  differenceOf,
  isShownDifference,
  resampleSlice,
  type Source,
  writeDifferenceColours,
} from "@/viewer/reading/resampled.ts";
import type { CompareLayout } from "@/viewer/layout.ts";
import type { createScene, Plane } from "@/viewer/scene.ts";
import { Originals } from "@/viewer/session/reading/originals.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Composer, createComposer, writeVoxels } from "@/viewer/slices/compose.ts";
import { SliceRenderer } from "@/viewer/slices/slice_renderer.ts";

/** What stands beside the study's images. */
export type CompareSource =
  | { kind: "study"; study: Comparable; series: "t1" | "t2" }
  | { kind: "own"; series: "t1" | "t2" }
  | { kind: "series"; series: StudySeries };

/** The other images: on their way, there, or not to be had. */
type CompareState = "empty" | "loading" | "shown" | "failed";

const IDENTITY = affineFromRowMajor<"Ras", "Ras">([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
const SETTING = "sulcus-compare-layout";

/** The scanner's values from the 1st to the 99.5th percentile become bytes. */
function byteScale(voxels: ArrayLike<number>, slope: number): Pick<Source, "low" | "scale"> {
  const step = Math.max(1, Math.floor(voxels.length / 20_000)), sample: number[] = [];
  for (let v = 0; v < voxels.length; v += step) sample.push(voxels[v]!);
  sample.sort((a, b) => slope < 0 ? b - a : a - b);
  const low = sample[Math.floor(sample.length * 0.01)]!;
  const high = sample[Math.floor(sample.length * 0.995)]!;
  return { low, scale: high === low ? 1 : 255 / (high - low) };
}

/**
 * Other images beside the study's: another study, another series, on the study's own grid, so that both panes show the
 * same slice of the same head, with one crosshair, zoom and pan.
 */
export class CompareStore {
  readonly studies = signal<readonly Comparable[]>([]);
  readonly series = signal<readonly StudySeries[]>([]);
  readonly source = signal<CompareSource | null>(null);
  readonly state = signal<CompareState>("empty");
  readonly isDifferenceShown = signal(false);
  /** In the flip layout: the other images are in front. */
  readonly isFlipped = signal(false);
  readonly renderer = signal<SliceRenderer | null>(null);
  readonly #originals: Originals;
  #composer: Composer | null = null;
  #scene: ReturnType<typeof createScene> | null = null;
  #abort = new AbortController();
  #stops: (() => void)[] = [];

  constructor(private readonly session: ViewerSession, private readonly nameOf: (plane: Plane) => string) {
    this.#originals = new Originals(session);
  }

  /** Lists what can be compared, and shows the nearest study before this one, or the other series. */
  async start(): Promise<void> {
    const stored = localStorage.getItem(SETTING);
    this.setLayout(stored === "2x2" || stored === "2x3" || stored === "flip" ? stored : "1x2");
    const { session } = this;
    const [studies, series] = await Promise.allSettled([
      listComparables(browserApi, session.pid),
      this.#originals.list(),
    ]);
    this.studies.value = studies.status === "fulfilled" ? studies.value.studies : [];
    this.series.value = series.status === "fulfilled" ? series.value : [];
    const own = this.own, wanted = own === "t2" ? "t1" : "t2";
    // another tab has other images: the same study beside it
    let shownTab = session.type.peek();
    this.#stops.push(session.type.subscribe((type) => {
      const source = this.source.peek(), series = type === "wmh" ? "t2" : "t1";
      const isChanged = (type === "wmh") !== (shownTab === "wmh");
      shownTab = type;
      if (!isChanged || source === null) return;
      if (source.kind === "study" && source.study.series.includes(series)) {
        void this.show({ ...source, series });
      } else if (source.kind === "own") {
        void this.show({ kind: "own", series: series === "t1" ? "t2" : "t1" });
      } else if (source.kind === "series") void this.show(source);
    }));
    const prior = this.studies.value.find((one) => one.series.includes(own));
    const hasOther = wanted === "t1" ? session.patient.t1w_file : session.patient.t2w_file;
    if (prior) await this.show({ kind: "study", study: prior, series: own });
    else if (hasOther) await this.show({ kind: "own", series: wanted });
  }

  /** The series that the open tab shows. */
  get own(): "t1" | "t2" {
    return this.session.type.peek() === "wmh" ? "t2" : "t1";
  }

  /** Kept on this computer, as the reader's own. */
  setLayout(layout: CompareLayout): void {
    localStorage.setItem(SETTING, layout);
    this.session.compareLayout.value = layout;
  }

  /** Loads other images and shows them. */
  async show(source: CompareSource): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort, { session } = this;
    batch(() => {
      this.source.value = source;
      this.state.value = "loading";
    });
    try {
      const bytes = await this.#bytesOf(source, signal), module = await session.kernels();
      signal.throwIfAborted();
      this.#present(bytes, source, module);
      this.state.value = "shown";
    } catch (error) {
      if (signal.aborted) return;
      this.state.value = "failed";
      presentError(error);
    }
    session.renderer?.invalidate();
  }

  /** The other images on this study's grid. */
  async #bytesOf(source: CompareSource, signal: AbortSignal): Promise<Uint8Array> {
    const { session } = this, { grid, patient } = session;
    if (source.kind === "own") {
      const field = source.series === "t1" ? "t1w_file" as const : "t2w_file" as const;
      return await this.#load(session.pid, field, patient[field]!, grid.shape, signal);
    }
    if (source.kind === "series") {
      await this.#arrival(source.series.id, signal);
      const found = this.#originals.of(source.series.id);
      if (found.kind !== "loaded") throw new DOMException("The series has no values", "NotReadableError");
      const { voxels, shape, ijkFromRas, slope } = found.volume;
      return await this.#resampled(
        { voxels, shape, ijkFromRas, ...byteScale(voxels, slope) },
        IDENTITY,
        signal,
      );
    }
    const { pid, viewer_from_other } = source.study;
    const [other, volume] = await Promise.all([
      getPatient(browserApi, pid, signal),
      getVolume(browserApi, pid, signal),
    ]);
    const field = source.series === "t1" ? "t1w_file" as const : "t2w_file" as const;
    const shape = [...volume.shape] as Shape, url = other[field];
    if (!url) throw new DOMException("The study has no such images", "NotFoundError");
    const voxels = await this.#load(pid, field, url, shape, signal);
    const moved = viewer_from_other ? invert(affineFromRowMajor<"Ras", "Ras">(viewer_from_other)) : IDENTITY;
    const ijkFromRas = invert(affineFromRowMajor<"Ras", "Ijk">(volume.affine));
    return await this.#resampled({ voxels, shape, ijkFromRas, low: 0, scale: 1 }, moved, signal);
  }

  async #arrival(series: number, signal: AbortSignal): Promise<void> {
    this.#originals.of(series);
    await new Promise<void>((resolve, reject) => {
      const stop = effect(() => {
        void this.#originals.changes.value;
        if (this.#originals.of(series).kind !== "loading") queueMicrotask(() => (stop(), resolve()));
      });
      signal.addEventListener("abort", () => (stop(), reject(signal.reason)), { once: true });
    });
  }

  async #load(
    pid: number,
    field: "t1w_file" | "t2w_file",
    url: string,
    shape: Shape,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const loader = createVolumeLoader(), voxels = new Uint8Array(shape[0] * shape[1] * shape[2]);
    try {
      await loader.load({
        pid,
        field,
        url,
        shape,
        signal,
        onSlab: (at, slab) => writeVoxels(voxels, at, slab),
      });
    } finally {
      loader.close();
    }
    return voxels;
  }

  /** Slice by slice: the page stays alive. */
  async #resampled(source: Source, moved: typeof IDENTITY, signal: AbortSignal): Promise<Uint8Array> {
    const { grid } = this.session, out = new Uint8Array(grid.shape[0] * grid.shape[1] * grid.shape[2]);
    let since = performance.now();
    for (let k = 0; k < grid.shape[2]; k++) {
      resampleSlice(out, grid, k, source, moved);
      if (performance.now() - since < 12) continue;
      await nextTask();
      signal.throwIfAborted();
      since = performance.now();
    }
    return out;
  }

  #present(bytes: Uint8Array, source: CompareSource, module: WebAssembly.Module): void {
    const { session } = this, now = session.composer, choice = session.presenter.peek();
    if (!now || !choice) return;
    const { scene } = session, base = this.own === "t2" ? "flair" : "t1w";
    if (!this.#composer) {
      this.#composer = createComposer(module, session.grid.shape);
      writeDifferenceColours(this.#composer.table("parcellation"));
      for (let value = 1; value < 256; value++) {
        this.#composer.setVisible("parcellation", value, isShownDifference(value));
      }
    }
    const composer = this.#composer;
    composer.volume("t1w").set(bytes);
    const series = source.kind === "series" ? source.series.kind : source.series;
    const isAlike = source.kind !== "series" && series === this.own;
    // only images of one kind can be subtracted
    if (isAlike && now.has(base)) {
      const difference = differenceOf(now.volume(base).slice(), bytes);
      composer.drop("labels");
      writeVoxels(composer.volume("labels"), 0, difference);
    } else composer.drop("labels");
    if (!isAlike) this.isDifferenceShown.value = false;
    this.#scene ??= {
      ...scene,
      type: "parcellation",
      overlays: {
        parcellation: { isVisible: false, opacityPercent: 60 },
        corticalThickness: { isVisible: false, opacityPercent: 100 },
        wmh: { isVisible: false, opacityPercent: 100 },
      },
      isOutlined: false,
    };
    // crosshair, zoom and pan are the study's own; images of another kind have a window of their own
    this.#scene.window = isAlike ? scene.window : { width: 256, level: 128 };
    if (!this.renderer.peek()) {
      const titleOf = (plane: Plane) => {
        const shown = this.source.peek(), name = this.nameOf(plane);
        return shown?.kind === "study" ? `${name} · ${shown.study.study_date ?? "–"}` : name;
      };
      this.renderer.value = new SliceRenderer(session.grid, composer, this.#scene, choice.create, titleOf);
      this.#follow();
    }
    this.renderer.peek()!.invalidate();
  }

  /** Draws what the study's panes draw. */
  #follow(): void {
    const { session } = this, scene = this.#scene!, renderer = this.renderer.peek()!;
    this.#stops.push(
      effect(() => {
        void [session.moves.value];
        scene.isCrosshairVisible = session.isCrosshairVisible.value;
        renderer.invalidateLines();
      }),
      effect(() => {
        void [session.viewChanges.value, session.windowWidth.value, session.windowLevel.value];
        scene.isOneScale = session.scene.isOneScale;
        scene.overlays.parcellation.isVisible = this.isDifferenceShown.value;
        renderer.invalidate();
      }),
      effect(() => {
        scene.convention = session.convention.value;
        renderer.invalidateMarks();
      }),
    );
  }

  close(): void {
    this.#abort.abort();
    this.#stops.splice(0).forEach((stop) => stop());
    this.renderer.peek()?.close();
    this.renderer.value = null;
    this.#composer = null;
    this.#originals.close();
    this.session.compareLayout.value = null;
  }
}
