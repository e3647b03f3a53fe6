// Control charts per scanner and protocol, which detect a change of the scanner's results
// that the scanner's patients do not explain.
import {
  appendEvent,
  appendValue,
  type Chart,
  type ChartRule,
  type ChartState,
  LEARNING,
  newChart,
} from "@/model/drift/cusum.ts";
import { LOCAL_MEASURES, type MeasureName } from "@/model/norms/local_norms.ts";
import { isInvertedKey } from "@/model/regions/measures.ts";

/** Measures with a separate control chart: those of the report's first page, and the thickness. */
export const CHARTED: readonly MeasureName[] = [
  "volume:19+20",
  "volume:21+22",
  "volume:7+8",
  "volume:11+12",
  "volume:15+16",
  "volume:frontal",
  "volume:parietal",
  "volume:temporal",
  "volume:white_matter",
  "thickness:thickness",
];
/** Names of the chart of all regions together, and of the chart of the share of grade C results. */
export const OVERALL = "overall", UNRELIABLE = "unreliable";
export type ChartName = MeasureName | typeof OVERALL | typeof UNRELIABLE;

/**
 * Rule for all regions together: these vary less than one measure, so a smaller change is detected.
 * Set by `deno task bench drift`: at most one false alarm in 1,000 studies over all charts,
 * with 30 % of the patients ill.
 */
const OVERALL_RULE: ChartRule = { slack: 0.43, limit: 8.5 },
  SINGLE_RULE: ChartRule = { slack: 0.5, limit: 16 },
  EVENT_LIMIT = 7.5;

/** Minimum number of measured regions; a study with fewer regions is not charted. */
const MIN_REGIONS = 20;

/**
 * Quantile of the regions, counted from the most affected. Illness makes regions smaller and
 * ventricles larger, but hardly affects regions at this quantile; a scanner change shifts them.
 */
const SPARED = 0.8;

/** Regions with separate volume charts, and the sign of their z under illness. */
const REGIONS = LOCAL_MEASURES.filter(({ measure, key }) =>
  measure === "volume" && /^\d+$/.test(key)
).map(({ key, name }) => ({ name, sign: isInvertedKey(key) ? -1 : 1 }));

/** Measures with a z score that the charts use. */
export const USED_MEASURES: typeof LOCAL_MEASURES = LOCAL_MEASURES.filter(({ name }) =>
  CHARTED.includes(name) || REGIONS.some((region) => region.name === name)
);

/** Values of one study that the charts use: z scores by the published norms. */
export interface ChartedStudy {
  /** quality grade C or no grade: the volumes of the study are not charted */
  isUnreliable: boolean;
  /** age in years; `null`: unknown, so that only the grade is charted */
  age: number | null;
  z: ReadonlyMap<MeasureName, number>;
}

/** One control chart, and the studies that it contains. */
export interface NamedChart extends Chart {
  name: ChartName;
  /** for each value of the chart, the index of its study in the scanner's list of studies */
  studies: number[];
  values: number[];
}

/**
 * z score of the regions of a study that illness spares. `null` if too few regions were measured.
 * Negative: smaller regions, larger ventricles.
 */
export function sparedRegions(z: ReadonlyMap<MeasureName, number>): number | null {
  const values = REGIONS.flatMap(({ name, sign }) => {
    const value = z.get(name);
    return value === undefined ? [] : [sign * value];
  }).sort((a, b) => a - b);
  if (values.length < MIN_REGIONS) return null;
  const place = SPARED * (values.length - 1), below = Math.floor(place);
  const low = values[below]!, high = values[Math.ceil(place)]!;
  return low + (place - below) * (high - low);
}

/** States of all charts of one scanner, protocol, coil and engine version. */
export type ChartStates = Map<ChartName, ChartState>;

export const CHART_NAMES: readonly ChartName[] = [OVERALL, ...CHARTED, UNRELIABLE];

/** Charts without studies; `stored` has the states of those with studies. */
export const newCharts = (
  stored: readonly (readonly [ChartName, ChartState])[] = [],
): ChartStates => new Map([...CHART_NAMES.map((name) => [name, newChart()] as const), ...stored]);

/** Value of a study in one chart, and the chart's cumulative sums after it. */
export interface ChartPoint {
  name: ChartName;
  value: number;
  higher: number;
  lower: number;
}

const ruleOf = (name: ChartName): ChartRule => name === OVERALL ? OVERALL_RULE : SINGLE_RULE;

/**
 * Appends a study to the charts, which judge it by the studies before it and never again.
 * @param states Is changed.
 * @returns points of the charts in which the study has a value.
 */
export function appendStudy(states: ChartStates, study: ChartedStudy): ChartPoint[] {
  const points: ChartPoint[] = [], { age, isUnreliable, z } = study;
  const note = (name: ChartName, value: number) => {
    const { higher, lower } = states.get(name)!;
    points.push({ name, value, higher: higher.value, lower: lower.value });
  };
  if (!isUnreliable && age !== null) {
    for (const name of [OVERALL, ...CHARTED] as const) {
      const value = name === OVERALL ? sparedRegions(z) : z.get(name);
      if (value === null || value === undefined || !Number.isFinite(value)) continue;
      appendValue(states.get(name)!, value, age, ruleOf(name));
      note(name, value);
    }
  }
  appendEvent(states.get(UNRELIABLE)!, isUnreliable, EVENT_LIMIT);
  note(UNRELIABLE, Number(isUnreliable));
  return points;
}

/**
 * Number of studies in the learning phase of the charts; from {@link LEARNING} on, charts detect
 * changes. Counted for the measure with most studies, as a scanner's studies may lack regions.
 */
export const learntOf = (states: ChartStates): number =>
  Math.min(
    LEARNING,
    Math.max(...[OVERALL, ...CHARTED].map((name) => states.get(name as ChartName)!.count)),
  );

/** Makes all charts for the studies of one scanner, protocol and engine version, oldest first. */
export function chartsOf(studies: readonly ChartedStudy[]): NamedChart[] {
  const states = newCharts(),
    charts = new Map(
      CHART_NAMES.map((
        name,
      ) => [name, { studies: [], values: [], higher: [], lower: [] } as Points]),
    );
  for (const [at, study] of studies.entries()) {
    for (const { name, value, higher, lower } of appendStudy(states, study)) {
      const chart = charts.get(name)!;
      chart.studies.push(at);
      chart.values.push(value);
      chart.higher.push(higher);
      chart.lower.push(lower);
    }
  }
  return CHART_NAMES.map((name) => {
    const { movedAt, beganAt, direction } = states.get(name)!;
    return { name, ...charts.get(name)!, movedAt, beganAt, direction };
  });
}

type Points = Pick<NamedChart, "studies" | "values" | "higher" | "lower">;

export const limitOf = (name: ChartName): number =>
  name === OVERALL ? OVERALL_RULE.limit : name === UNRELIABLE ? EVENT_LIMIT : SINGLE_RULE.limit;
