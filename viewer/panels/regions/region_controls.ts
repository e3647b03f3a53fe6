import type { ReadonlySignal, Signal } from "@preact/signals-react";
import type { RegionActions } from "@/viewer/panels/region_lines.tsx";
import type { OutlineState } from "@/viewer/session/overlays.ts";
import type { PercentileBasis } from "@/viewer/session/region_facts.ts";

/** Signals that the region list reads and writes. */
export interface RegionControls extends RegionActions {
  basis: Signal<PercentileBasis>;
  /** Percentile 0..20 of the mask threshold. */
  threshold: ReadonlySignal<number>;
  outline: ReadonlySignal<OutlineState>;
  /** Percentiles at which marks begin, ascending, as in the user's reports. */
  readonly thresholds: readonly number[];
  /** whether percentiles with the intracranial volume are available */
  readonly hasIcvRanks: boolean;
  setAllHidden(isHidden: boolean): void;
}
