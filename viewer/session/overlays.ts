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
 * State of an outline that is loaded from a file: loading, shown, missing in this study, or failed.
 */
export type OutlineState = "hidden" | "loading" | "shown" | "absent" | "failed";

/** Signals that control one overlay. */
interface OverlaySignals {
  isVisible: Signal<boolean>;
  opacityPercent: Signal<number>;
}

/**
 * State of the overlays: current tab, overlay of the tab, and visible values.
 * Contains signals only; other modules draw.
 */
export class OverlayState {
  readonly type: Signal<ViewerType>;

  readonly overlays: Record<ViewerType, OverlaySignals> = {
    parcellation: { isVisible: signal(false), opacityPercent: signal(100) },
    corticalThickness: { isVisible: signal(false), opacityPercent: signal(100) },
    // separate switches for the two lesion kinds, periventricular and deep
    wmh: { isVisible: signal(true), opacityPercent: signal(100) },
  };
  /** Percentile 0..20 up to which regions are visible, while {@link isThresholdOn}. */
  readonly threshold = signal(THRESHOLD_MAX);
  readonly isThresholdOn = signal(true);
  /**
   * Basis of the percentiles: age and sex, or age, sex and intracranial volume (D2: mask type).
   * Initially the basis that the report uses.
   */
  readonly basis: Signal<PercentileBasis>;
  /** Outline of the intracranial mask, shown by mask type ICV. */
  readonly outline = signal<OutlineState>("hidden");
  /** Whether outlines of deep structures on a FLAIR without a T1w series are enabled. */
  readonly areStructuresAsked = signal(false);
  readonly structureOutline = signal<OutlineState>("hidden");
  /** range of visible thickness, mm */
  readonly thicknessRange = signal<{ low: number; high: number }>({
    low: 0,
    high: THICKNESS_MAX_MM,
  });
  readonly isDeepVisible = signal(false);
  readonly isPeriVisible = signal(false);
  /** Incremented when the study's results change by a correction. */
  readonly resultChanges = signal(0);
  /** Whether masks are drawn as outlines instead of filled. */
  readonly isOutlined = signal(false);
  readonly hidden = signal<ReadonlySet<number>>(new Set());
  /** Percentiles that thresholds are compared with, by label; NaN where the list shows none. */
  readonly percentiles: ReadonlySignal<Float64Array>;
  /** Whether a threshold can be used: at least one region has a percentile. */
  readonly hasNorms: ReadonlySignal<boolean>;
  /** The active percentile threshold; `null` shows all regions. */
  readonly activeThreshold: ReadonlySignal<number | null>;

  readonly thinnestMm = computed(() => this.thicknessRange.value.low);
  readonly thickestMm = computed(() => this.thicknessRange.value.high);
  /** Whether each of 256 label values is visible: chosen in the list and within the threshold. */
  readonly shownRegions: ReadonlySignal<Uint8Array>;
  readonly shownThickness = computed(() => {
    const { low, high } = this.thicknessRange.value;
    return shownThickness(low, high);
  });
  readonly shownLesions = computed(() =>
    shownLesions(this.isDeepVisible.value, this.isPeriVisible.value)
  );
  readonly shownCount: ReadonlySignal<number>;

  /** Percentiles at which marks begin, ascending, as in the user's reports. */
  get thresholds(): readonly number[] {
    return this.patient.threshold_list ?? DEFAULT_THRESHOLDS;
  }

  /** Whether percentiles with the intracranial volume exist: the ICV is measured and plausible. */
  get hasIcvRanks(): boolean {
    return basisOf(this.patient.t1_result ?? []) === DEFAULT_BASIS;
  }

  /**
   * Whether the intracranial outline is drawn (D2 §9):
   * mask type ICV is selected, and the mask is visible.
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

  /** Hides or shows regions by label. */
  setHidden(labels: readonly number[], isHidden: boolean): void {
    const nextHidden = new Set(this.hidden.value);
    for (const label of labels) isHidden ? nextHidden.add(label) : nextHidden.delete(label);
    this.hidden.value = nextHidden;
  }

  setAllHidden(isHidden: boolean): void {
    this.hidden.value = new Set(isHidden ? REGIONS.map((region) => region.label) : []);
  }

  /** Shows only the regions with these labels. */
  solo(labels: readonly number[]): void {
    this.hidden.value = new Set(
      REGIONS.map(({ label }) => label).filter((label) => !labels.includes(label)),
    );
  }

  /** Toggles the overlay of the current tab; on the WMH tab, both lesion kinds. */
  toggleOverlay(): void {
    const type = this.type.peek();
    if (type !== "wmh") {
      this.overlays[type].isVisible.value = !this.overlays[type].isVisible.peek();
      return;
    }
    const isVisible = !(this.isDeepVisible.peek() || this.isPeriVisible.peek());
    batch(() => this.isDeepVisible.value = this.isPeriVisible.value = isVisible);
  }

  /** Shows both kinds of lesions as outlines, unless one is already visible. */
  showLesions(): void {
    if (this.isDeepVisible.peek() || this.isPeriVisible.peek()) return;
    batch(() => {
      this.isDeepVisible.value = this.isPeriVisible.value = this.isOutlined.value = true;
    });
  }

  /** Sets the opacity of the current tab's overlay, 0..100 %. */
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
