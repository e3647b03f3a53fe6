import type { Row } from "@/bench/record.ts";

const rounded = (value: number) => Number.isFinite(value) ? Number(value.toPrecision(4)) : value;

/** A figure that must not be larger than `most`; `null`: given for information. */
export const figure = (
  name: string,
  value: number,
  unit: string,
  most: number | null = null,
): Row => ({
  suite: "viewer",
  name,
  value: rounded(value),
  unit,
  baseline: null,
  ratio: null,
  bar: most === null ? null : `≤ ${most} ${unit}`,
  ok: Number.isFinite(value) && (most === null || value <= most),
});

/** A figure that must not be larger than `most` times the baseline of the same run. */
export const against = (
  name: string,
  value: number,
  baseline: number,
  unit: string,
  most: number,
): Row => ({
  suite: "viewer",
  name: Number.isFinite(baseline) ? name : `${name} (baseline not measured)`,
  value: rounded(value),
  unit,
  baseline: rounded(baseline),
  ratio: rounded(value / baseline),
  bar: `≤ ${most} ×`,
  ok: baseline > 0 && value / baseline <= most,
});

/** A part that could not be measured: that is a failure. */
export const broken = (name: string, error: unknown): Row => ({
  suite: "viewer",
  name: `${name}: ${String(error instanceof Error ? error.message : error).split("\n")[0]}`,
  value: NaN,
  unit: "",
  baseline: null,
  ratio: null,
  bar: "measured",
  ok: false,
});

/** The value below which a part of all values lies. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(Math.floor(values.length * part), values.length - 1)] ??
    NaN;
