import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals-react";
import type { PercentileBasis } from "@/viewer/session/region_facts.ts";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import type { ViewerPatient } from "@/model/viewer/viewer_patient.ts";
import { basisOf, DEFAULT_BASIS } from "@/viewer/session/region_facts.ts";
import { firstTab, type ViewerType } from "@/model/viewer/viewer_tabs.ts";
import {
  percentilesOf,
  shownLesions,
  shownRegions,
  shownThickness,
  THICKNESS_MAX_MM,
  thicknessRange,
  THRESHOLD_MAX,
} from "@/viewer/visibility.ts";

/**
 * Outlines from a file of their own: loading, shown, missing in this study, or not to be loaded.
 */
export type OutlineState = "hidden" | "loading" | "shown" | "absent" | "failed";

/** Signals of one overlay. */
interface OverlaySignals {
  isVisible: Signal<boolean>;
  opacityPercent: Signal<number>;
}

/**
 * Overlays of the images: the open tab, its overlay, and the values that show. Signals alone,
 * nothing drawn.
 */
export class OverlayState {
  readonly type: Signal<ViewerType>;

  readonly overlays: Record<ViewerType, OverlaySignals> = {
    parcellation: { isVisible: signal(false), opacityPercent: signal(100) },
    corticalThickness: { isVisible: signal(false), opacityPercent: signal(100) },
    // the lesions have two switches of their own
    wmh: { isVisible: signal(true), opacityPercent: signal(100) },
  };
  /** Percentile 0..20 up to which regions show, while {@link isThresholdOn}. */
  readonly threshold = signal(THRESHOLD_MAX);
  readonly isThresholdOn = signal(true);
  /**
   * Which percentile: by age and sex, or with the intracranial volume too, at first as on the
   * report (D2: mask type).
   */
  readonly basis: Signal<PercentileBasis>;
  /** The intracranial outline, which mask type ICV shows. */
  readonly outline = signal<OutlineState>("hidden");
  /**
   * Outlines of the deep structures on a FLAIR without a T1w series are asked for, and how far they
   * are.
   */
  readonly areStructuresAsked = signal(false);
  readonly structureOutline = signal<OutlineState>("hidden");
  /** mm */
  readonly thicknessRange = signal<{ low: number; high: number }>({
    low: 0,
    high: THICKNESS_MAX_MM,
  });
  readonly isDeepVisible = signal(false);
  readonly isPeriVisible = signal(false);
  /** Grows when the study's results became others: a label was corrected. */
  readonly resultChanges = signal(0);
  /** Masks are drawn as outlines, not filled. */
  readonly isOutlined = signal(false);
  readonly hidden = signal<ReadonlySet<number>>(new Set());
  /** Percentiles as a threshold reads them, by label; NaN where the list shows none. */
  readonly percentiles: ReadonlySignal<Float64Array>;
  /** A threshold can choose: at least one region has a percentile. */
  readonly hasNorms: ReadonlySignal<boolean>;
  /** The threshold that holds; `null` for all regions. */
  readonly activeThreshold: ReadonlySignal<number | null>;

  readonly thinnestMm = computed(() => this.thicknessRange.value.low);
  readonly thickestMm = computed(() => this.thicknessRange.value.high);
  /** Values that show now, 256 flags each: of labels by the list and the threshold, .. */
  readonly shownRegions: ReadonlySignal<Uint8Array>;
  readonly shownThickness = computed(() => {
    const { low, high } = this.thicknessRange.value;
    return shownThickness(low, high);
  });
  readonly shownLesions = computed(() =>
    shownLesions(this.isDeepVisible.value, this.isPeriVisible.value)
  );
  readonly shownCount: ReadonlySignal<number>;

  /** Percentiles at which marks begin, ascending: those of the reader's reports. */
  get thresholds(): readonly number[] {
    return this.patient.threshold_list ?? DEFAULT_THRESHOLDS;
  }

  /**
   * Percentiles can take the intracranial volume into account: it was measured and is not doubted.
   */
  get hasIcvRanks(): boolean {
    return basisOf(this.patient.t1_result ?? []) === DEFAULT_BASIS;
  }

  /**
   * Mask type ICV with the mask shown (D2 §9): the intracranial outline is drawn over the slices.
   */
  get isIcvAsked(): boolean {
    return this.type.value === "parcellation" && this.basis.value === "icv" &&
      this.overlays.parcellation.isVisible.value;
  }

  constructor(readonly patient: ViewerPatient) {
    this.type = signal(firstTab(patient) ?? "parcellation");
    this.basis = signal(basisOf(patient.t1_result ?? []));
    this.percentiles = computed(() => {
      void this.resultChanges.value;
      return percentilesOf(patient.t1_result ?? [], this.basis.value);
    });
    this.hasNorms = computed(() => this.percentiles.value.some((value) => !Number.isNaN(value)));
    this.activeThreshold = computed(() =>
      this.isThresholdOn.value && this.hasNorms.value ? this.threshold.value : null
    );
    this.shownRegions = computed(() =>
      shownRegions(this.hidden.value, this.percentiles.value, this.activeThreshold.value)
    );
    this.shownCount = computed(() => this.shownRegions.value.reduce((sum, flag) => sum + flag, 0));
  }

  /** Hides or shows labels. */
  setHidden(labels: readonly number[], isHidden: boolean): void {
    const nextHidden = new Set(this.hidden.value);
    for (const label of labels) isHidden ? nextHidden.add(label) : nextHidden.delete(label);
    this.hidden.value = nextHidden;
  }

  setAllHidden(isHidden: boolean): void {
    this.hidden.value = new Set(isHidden ? REGIONS.map((region) => region.label) : []);
  }

  /** Shows these labels alone. */
  solo(labels: readonly number[]): void {
    this.hidden.value = new Set(
      REGIONS.map(({ label }) => label).filter((label) => !labels.includes(label)),
    );
  }

  /** Shows or hides the tab's overlay; of the lesions, both kinds. */
  toggleOverlay(): void {
    const type = this.type.peek();
    if (type !== "wmh") {
      this.overlays[type].isVisible.value = !this.overlays[type].isVisible.peek();
      return;
    }
    const isVisible = !(this.isDeepVisible.peek() || this.isPeriVisible.peek());
    batch(() => this.isDeepVisible.value = this.isPeriVisible.value = isVisible);
  }

  /** Shows both kinds of lesions, as outlines, unless one is shown already. */
  showLesions(): void {
    if (this.isDeepVisible.peek() || this.isPeriVisible.peek()) return;
    batch(() => {
      this.isDeepVisible.value = this.isPeriVisible.value = this.isOutlined.value = true;
    });
  }

  /** Opacity of the tab's overlay, 0..100 %. */
  setOpacity(percent: number): void {
    const { opacityPercent } = this.overlays[this.type.peek()];
    opacityPercent.value = Math.min(Math.max(Math.round(percent), 0), 100);
  }

  setThreshold(percentile: number): void {
    this.threshold.value = Math.min(Math.max(Math.round(percentile), 0), THRESHOLD_MAX);
  }

  setThickness(low: number, high: number): void {
    this.thicknessRange.value = thicknessRange(low, high);
  }
}
