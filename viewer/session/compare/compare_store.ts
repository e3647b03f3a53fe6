import { batch, effect, signal } from "@preact/signals-react";
import { browserApi } from "@/client/browser_api.ts";
import { saveHanging } from "@/client/api/reading/hanging.ts";
import { listComparables, listSeries } from "@/client/api/reading/series.ts";
import { nextTask } from "@/client/page/next_task.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { AppError } from "@/model/errors.ts";
import type { ComparableList, OtherPersonVisit } from "@/model/schema/reading/comparables.ts";
import { DEFAULT_HANGING, type Hanging, type HangingRule } from "@/model/schema/reading/hanging.ts";
import type { StudySeries, StudySeriesList } from "@/model/schema/reading/series.ts";
import {
  isShownDifference,
  writeDifference,
  writeDifferenceColours,
} from "@/viewer/reading/difference.ts";
import type { CompareLayout } from "@/viewer/layout.ts";
import type { Grid } from "@/viewer/grid.ts";
import { createPlace, type createScene, seriesOf } from "@/viewer/scene.ts";
import { obliqueGrid } from "@/viewer/session/compare/oblique_grid.ts";
import { OwnWindow } from "@/viewer/session/compare/own_window.ts";
import {
  type CompareSource,
  loadOther,
  type Oblique,
  OBLIQUES,
  resampleOwn,
  writingInto,
} from "@/viewer/session/compare/source.ts";
import { openReading } from "@/viewer/session/reading/kernels.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Composer, createComposer, LAYERS } from "@/viewer/slices/compose.ts";
import { SliceRenderer } from "@/viewer/slices/slice_renderer.ts";

/** State of the compared images: loading, loaded, or not available. */
type CompareState = "empty" | "loading" | "shown" | "failed";

/** Maximum working time before yielding to the event loop, ms. */
const TURN_MS = 12;
/** Volume slot of the difference image: the label slot, which compared images do not use. */
const DIFFERENCE_SLOT = "labels";

/**
 * Compared images: another study, another series, or the study's own images on an oblique grid.
 * Both studies are on a common grid, with one crosshair, zoom and pan,
 * so that both panes show the same slice of the head.
 */
export class CompareStore {
  readonly studies = signal<ComparableList["studies"]>([]);
  /** Studies with the same patient ID that may be of a different person. */
  readonly otherPersons = signal<readonly OtherPersonVisit[]>([]);
  readonly series = signal<readonly StudySeries[]>([]);
  /** Series that the analysis refused, but that can be viewed. */
  readonly refused = signal<StudySeriesList["refused"]>([]);
  readonly obliques = signal<readonly Oblique[]>([]);
  readonly source = signal<CompareSource | null>(null);
  readonly state = signal<CompareState>("empty");
  readonly isDifferenceShown = signal(false);
  /** Whether the compared images are in front of the study's images, in the flip layout. */
  readonly isFlipped = signal(false);
  readonly renderer = signal<SliceRenderer | null>(null);
  readonly window: OwnWindow;
  #commissures: ComparableList["commissures"] = null;
  #composer: Composer | null = null;
  #scene: ReturnType<typeof createScene> | null = null;
  #abort = new AbortController();
  #stops: (() => void)[] = [];
  #drawing: (() => void)[] = [];

  /** @param captionOf Caption of images in the panes; `null`: the images of the study itself. */
  constructor(
    private readonly session: ViewerSession,
    private readonly captionOf: (source: CompareSource | null) => string,
  ) {
    this.window = new OwnWindow(session);
  }

  get #hanging(): Hanging {
    return this.session.hanging.peek() ?? DEFAULT_HANGING;
  }

  /**
   * Lists the images available for comparison, and shows one of them.
   *
   * @param wanted Study number, or `rule`: by the hanging protocol, closed if nothing matches.
   */
  async start(wanted: string | null): Promise<void> {
    const { session } = this, { signal } = this.#abort;
    session.compareLayout.value = this.#hanging.layout;
    const [found, series] = await Promise.allSettled([
      listComparables(browserApi, session.pid),
      listSeries(browserApi, session.pid),
    ]);
    // the user closed the comparison while it was loading
    if (signal.aborted) return;
    if (found.status === "fulfilled") {
      this.studies.value = found.value.studies;
      this.otherPersons.value = found.value.not_compared ?? [];
      this.#commissures = found.value.commissures;
    }
    this.series.value = series.status === "fulfilled" ? series.value.series : [];
    this.refused.value = series.status === "fulfilled" ? series.value.refused : [];
    this.obliques.value = this.#commissures ? OBLIQUES : [];
    this.#stops.push(effect(() => {
      void session.type.value;
      if (session.renderer) session.renderer.caption = this.captionOf(null);
    }));
    this.#followTab();
    this.#stops.push(this.window.follow(this.isFlipped));
    const first = this.#firstOf(wanted);
    if (first) await this.show(first);
    else if (wanted === "rule") session.isComparing.value = false;
  }

  /** Images that are selected when a comparison opens. */
  #firstOf(wanted: string | null): CompareSource | null {
    const { patient } = this.session, own = this.own, other = own === "t2" ? "t1" : "t2";
    const rule: HangingRule = wanted === "rule" ? this.#hanging.opens : "any";
    const studies = this.studies.peek().filter((one) => one.series.includes(own));
    const requested = studies.find(({ pid }) => String(pid) === wanted);
    const date = patient.study_date ?? "";
    const prior = rule === "any" && wanted !== "rule"
      ? studies[0]
      : studies.find((one) => (one.study_date ?? "") < date);
    const study = requested ?? prior;
    if (study) return { kind: "study", study, series: own };
    const hasOther = (other === "t1" ? patient.t1w_file : patient.t2w_file) !== null;
    return rule === "any" && hasOther ? { kind: "own", series: other } : null;
  }

  /** After a change of tab, shows the same compared study with the images of the new tab. */
  #followTab(): void {
    const { session } = this;
    let shownTab = session.type.peek();
    this.#stops.push(session.type.subscribe((type) => {
      const source = this.source.peek(), series = seriesOf(type);
      const isChanged = (type === "wmh") !== (shownTab === "wmh");
      shownTab = type;
      if (!isChanged || source === null) return;
      if (source.kind === "study" && source.study.series.includes(series)) {
        void this.show({ ...source, series });
      } else if (source.kind === "own") {
        void this.show({ kind: "own", series: series === "t1" ? "t2" : "t1" });
      } else if (source.kind === "oblique" && !this.canCut(source.along)) {
        void this.show({ kind: "oblique", along: "commissures" });
      } else if (source.kind !== "study") void this.show(source);
    }));
  }

  /** The series shown by the current tab. */
  get own(): "t1" | "t2" {
    return seriesOf(this.session.type.peek());
  }

  /**
   * Whether the current tab has the structure along which oblique images are cut.
   * Hippocampi are labels of the T1w tabs only.
   */
  canCut(along: Oblique): boolean {
    return along === "commissures" || this.own === "t1";
  }

  /** Stores a change of the user's hanging protocol. */
  hang(changes: Partial<Hanging>): void {
    const chosen = { ...this.#hanging, ...changes }, { session } = this;
    batch(() => {
      session.hanging.value = chosen;
      session.compareLayout.value = chosen.layout;
    });
    saveHanging(browserApi, chosen).catch((error) => {
      // a core of another vendor lacks this call
      if (!(error instanceof AppError && error.code === "entity.not_found")) presentError(error);
    });
  }

  setLayout(layout: CompareLayout): void {
    this.hang({ layout });
  }

  /** Loads compared images and shows them. */
  async show(source: CompareSource): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort, { session } = this;
    batch(() => {
      this.source.value = source;
      this.state.value = "loading";
    });
    try {
      const [module] = await Promise.all([session.kernels(), openReading()]);
      signal.throwIfAborted();
      if (source.kind === "oblique") await this.#showOblique(source.along, module, signal);
      else await this.#showOther(source, module, signal);
      signal.throwIfAborted();
      this.state.value = "shown";
    } catch (error) {
      if (signal.aborted) return;
      this.state.value = "failed";
      presentError(error);
    }
    session.renderer?.invalidate();
  }

  /** The study's own images and labels on a rotated grid. */
  async #showOblique(
    along: Oblique,
    module: WebAssembly.Module,
    signal: AbortSignal,
  ): Promise<void> {
    const { session } = this, { composer: own } = session;
    const grid = own && this.#commissures && obliqueGrid(session, along, this.#commissures);
    if (!grid) throw new DOMException("The head's axes are not known", "NotFoundError");
    const { base, overlay } = LAYERS[session.type.peek()];
    // a volume that is still arriving would be cut incomplete
    await session.whole(base);
    const hasOverlay = own.has(overlay);
    if (hasOverlay) await session.whole(overlay);
    signal.throwIfAborted();
    const composer = this.#open(grid, module);
    await resampleOwn(session, base, grid, writingInto(() => composer.volume("t1w")), signal);
    if (hasOverlay) {
      await resampleOwn(
        session,
        overlay,
        grid,
        writingInto(() => composer.volume("labels")),
        signal,
      );
      composer.table("parcellation").set(own.table(session.type.peek()));
    }
    this.window.open(null, false);
    this.#draw(true);
  }

  async #showOther(
    source: Exclude<CompareSource, { kind: "oblique" }>,
    module: WebAssembly.Module,
    signal: AbortSignal,
  ): Promise<void> {
    const { session } = this, composer = this.#open(session.grid, module);
    composer.drop("t1w");
    composer.drop(DIFFERENCE_SLOT);
    const scale = await loadOther(
      session,
      source,
      writingInto(() => composer.volume("t1w")),
      signal,
    );
    // only images of the same contrast, T1w or FLAIR, can be subtracted
    const isAlike = (source.kind === "study" || source.kind === "own") &&
      source.series === this.own;
    if (!isAlike) this.isDifferenceShown.value = false;
    this.window.open(scale, !isAlike);
    // crosshair, zoom and pan are the same as in the study's panes
    this.#scene!.window = isAlike ? session.scene.window : this.window;
    // the window is in original values of the images that it applies to
    this.#scene!.scale = scale;
    this.#draw(false);
    if (this.isDifferenceShown.peek()) await this.#subtract(signal);
  }

  /** Shows or hides the difference image. */
  async setDifference(isShown: boolean): Promise<void> {
    this.isDifferenceShown.value = isShown;
    const { signal } = this.#abort;
    if (isShown && !this.#composer?.has(DIFFERENCE_SLOT)) {
      await this.#subtract(signal).catch(presentError);
    }
  }

  /**
   * When first shown, computes the difference into the overlay of the compared images' composer.
   */
  async #subtract(signal: AbortSignal): Promise<void> {
    const { session } = this, composer = this.#composer, now = session.composer;
    const base = this.own === "t2" ? "flair" : "t1w", [nx, ny] = session.grid.shape;
    if (!composer || !now?.has(base)) return;
    // slices that have not arrived would count as a difference
    await session.whole(base);
    signal.throwIfAborted();
    writeDifferenceColours(composer.table("parcellation"));
    for (let value = 1; value < 256; value++) {
      composer.setVisible("parcellation", value, isShownDifference(value));
    }
    let since = performance.now();
    await writeDifference(
      () => {
        // allocated first: a later allocation would move the memory that the view `then` refers to
        const out = composer.volume(DIFFERENCE_SLOT);
        return { now: now.volume(base), then: composer.volume("t1w"), out };
      },
      nx * ny,
      async () => {
        if (performance.now() - since < TURN_MS) return;
        await nextTask();
        signal.throwIfAborted();
        since = performance.now();
      },
    );
    this.renderer.peek()?.invalidate();
  }

  /** Composer and renderer for a grid; reused if the last ones had the same grid. */
  #open(grid: Grid, module: WebAssembly.Module): Composer {
    const { session } = this, choice = session.presenter.peek()!;
    if (this.#composer && this.renderer.peek()?.grid === grid) return this.#composer;
    this.#leave();
    const composer = this.#composer = createComposer(module, grid.shape);
    const isOwn = grid === session.grid;
    // a rotated head has a separate field, but shares crosshair, zoom and pan with the study
    const { field } = isOwn ? session.scene : createPlace(grid);
    this.#scene = {
      ...session.scene,
      field,
      type: "parcellation",
      overlays: {
        parcellation: { isVisible: false, opacityPercent: isOwn ? 60 : 100 },
        corticalThickness: { isVisible: false, opacityPercent: 100 },
        wmh: { isVisible: false, opacityPercent: 100 },
      },
      window: session.scene.window,
      isOutlined: false,
    };
    this.renderer.value = new SliceRenderer(
      grid,
      composer,
      this.#scene,
      choice.create,
      session.titleOf,
    );
    return composer;
  }

  /** Shows the same planes as the study's panes. */
  #draw(isOblique: boolean): void {
    const { session } = this,
      scene = this.#scene!,
      renderer = this.renderer.peek()!,
      composer = this.#composer!;
    this.#drawing.splice(0).forEach((stop) => stop());
    renderer.caption = this.captionOf(this.source.peek());
    this.#drawing.push(
      effect(() => {
        void [session.moves.value];
        scene.isCrosshairVisible = session.isCrosshairVisible.value;
        renderer.invalidateLines();
      }),
      effect(() => {
        void [
          session.viewChanges.value,
          session.windowWidth.value,
          session.windowLevel.value,
          this.window.windowWidth.value,
          this.window.windowLevel.value,
          session.layout,
        ];
        scene.isOneScale = session.scene.isOneScale;
        const ownOverlay = session.overlays[session.type.value], { parcellation } = scene.overlays;
        parcellation.isVisible = isOblique
          ? ownOverlay.isVisible.value
          : this.isDifferenceShown.value;
        if (isOblique) parcellation.opacityPercent = ownOverlay.opacityPercent.value;
        renderer.invalidate();
      }),
      effect(() => {
        scene.convention = session.convention.value;
        renderer.invalidateMarks();
      }),
    );
    if (isOblique) this.#drawing.push(this.#followShown(composer, renderer));
    renderer.invalidate();
  }

  /** On a rotated grid, shows the study's labels and resamples them after each correction. */
  #followShown(composer: Composer, renderer: SliceRenderer): () => void {
    const { session } = this, changes = session.resultChanges.peek();
    const stopChanges = session.resultChanges.subscribe((now) => {
      const source = this.source.peek();
      if (now !== changes && source) void this.show(source);
    });
    const stop = effect(() => {
      const type = session.type.value;
      const shownLabels = type === "parcellation"
        ? session.shownRegions
        : type === "wmh"
        ? session.shownLesions
        : session.shownThickness;
      const flags = shownLabels.value;
      for (let value = 1; value < 256; value++) {
        composer.setVisible("parcellation", value, flags[value] === 1);
      }
      renderer.invalidate();
    });
    return () => {
      stopChanges();
      stop();
    };
  }

  #leave(): void {
    this.#drawing.splice(0).forEach((stop) => stop());
    this.renderer.peek()?.close();
    this.renderer.value = null;
    this.#composer = null;
  }

  close(): void {
    this.#abort.abort();
    this.#stops.splice(0).forEach((stop) => stop());
    this.#leave();
    this.session.compareLayout.value = null;
    if (this.session.renderer) this.session.renderer.caption = "";
  }
}
