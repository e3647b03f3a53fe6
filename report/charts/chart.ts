import { strengthOf } from "@/model/norms/bands.ts";
import { BAND_INK, BAND_SHADE, REPORT_COLOURS as C } from "@/report/charts/colours.ts";
import type { CurvePoint } from "@/model/schema/report/report.ts";

// SVG uses presentation attributes only: the PDF and the HTML page contain the same SVG text,
// and the Content Security Policy of the page forbids style attributes.

/** Font family of the texts in a chart; the PDF embeds a font under the first of these names. */
export const FONT = `font-family="Noto Sans KR, Noto Sans CJK KR, Malgun Gothic, sans-serif"`;

/** Escapes text for SVG. */
export const escapeXml = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
/** Formats a coordinate with at most two decimals. */
export const n = (value: number): string => String(Math.round(value * 100) / 100);

/** Four to seven round axis values that cover the range `low`..`high`. */
export function niceTicks(low: number, high: number): number[] {
  const rough = Math.max(high - low, 1e-6) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough)!;
  const ticks: number[] = [];
  for (let k = Math.floor(low / step + 1e-9); k * step < high + step * (1 - 1e-9); k++) {
    ticks.push(k * step);
  }
  return ticks;
}

export interface ChartTexts {
  title: string;
  subtitle: string;
  age: string;
  /** label next to the patient's dot */
  patient: string;
  /** text in the middle of a chart without a curve */
  noCurve: string;
}

export const CHART_SIZE = { width: 256, height: 138 } as const;
/** Height of charts on a crowded page, as a share of the usual height. */
const LOWER = 0.7;

/** Height in points of a chart on a page that would otherwise have blank space. */
export const TALL_CHART = 240;

/** A chart in the usual and in a taller size. @param draw  Draws the chart for a height, points. */
export const chartOf = (draw: (height: number) => string) => ({
  svg: draw(CHART_SIZE.height),
  ...CHART_SIZE,
  tall: { svg: draw(TALL_CHART), height: TALL_CHART },
});

/** Reduces a chart's height for a crowded page; the chart also becomes narrower in proportion. */
export const lowerChart = <T extends { height: number }>(drawing: T): T => ({
  ...drawing,
  height: LOWER * drawing.height,
});

/** Measured values of a patient in a chart; volumes in mL. */
export interface ChartPatient {
  /** age in years; with `null`, the patient's dot is omitted */
  age: number | null;
  volume: number;
  /** ends of the 80 % interval in mL, drawn as a whisker through the dot */
  interval?: readonly [low: number, high: number] | null;
  level: number;
  /** age range of the chart in years; absent: all ages of the curve */
  ages?: readonly [from: number, to: number];
  /** volumes at other studies, connected to the patient's dot in order of age */
  visits?: readonly { age: number; volume: number }[];
}

/** Corners of the plot area in points; its bottom is {@link FOOT} above the chart's lower edge. */
const BOX = { x0: 30, x1: CHART_SIZE.width - 22, y0: 27 } as const;
const MIDDLE_X = (BOX.x0 + BOX.x1) / 2, FOOT = 24;

/** Ranges of a chart's axes, and functions that convert values to positions. */
interface Scale {
  /** ages in years at the two ends of the age axis */
  from: number;
  to: number;
  /** volumes at the grid lines, ascending, mL */
  ticks: number[];
  /** vertical position of the plot's bottom, points */
  base: number;
  /** convert an age in years and a volume in mL to positions in points */
  x: (age: number) => number;
  y: (ml: number) => number;
}

/**
 * Draws norm curves over age with the patient's value. Sizes are in points, volumes in mL.
 * @param height {@link TALL_CHART} on a page with blank space.
 */
export function referenceChartSvg(
  whole: readonly CurvePoint[],
  patient: ChartPatient,
  texts: ChartTexts,
  height: number = CHART_SIZE.height,
): string {
  const { width } = CHART_SIZE, { ages } = patient, base = height - FOOT;
  const curve = ages
    ? whole.filter(({ age }) => age >= Math.floor(ages[0]) && age <= Math.ceil(ages[1]))
    : whole;
  const parts = [
    textSvg(0, 9, texts.title, 8.5, `fill="${C.ink}" font-weight="bold"`),
    textSvg(0, 19, texts.subtitle, 6.5),
  ];
  if (curve.length === 0) {
    parts.push(
      `<rect x="${BOX.x0}" y="${BOX.y0}" width="${BOX.x1 - BOX.x0}" height="${
        base - BOX.y0
      }" fill="none" stroke="${C.line}" stroke-width="0.6"/>`,
      textSvg(MIDDLE_X, (BOX.y0 + base) / 2 + 3, texts.noCurve, 8, `text-anchor="middle"`),
    );
    return svg(width, height, parts);
  }
  const scale = scaleOf(curve, patient, base);
  parts.push(...axesSvg(scale, texts.age), ...curvesSvg(curve, scale));
  const { age } = patient;
  if (age !== null) parts.push(...patientSvg({ ...patient, age }, scale, texts.patient));
  return svg(width, height, parts);
}

function textSvg(x: number, y: number, words: string, size: number, more = ""): string {
  const fill = more.includes("fill=") ? "" : `fill="${C.soft}" `;
  return `<text x="${n(x)}" y="${n(y)}" ${FONT} font-size="${size}" ${fill}${more}>${
    escapeXml(words)
  }</text>`;
}

function lineSvg(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  stroke: string,
  strokeWidth: number,
  more = "",
): string {
  return `<line x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${
    n(y2)
  }" stroke="${stroke}" stroke-width="${strokeWidth}" ${more}/>`;
}

/** Chooses axes that cover the norm curves and the patient's values. */
function scaleOf(curve: readonly CurvePoint[], patient: ChartPatient, base: number): Scale {
  const from = curve[0]!.age, to = curve[curve.length - 1]!.age;
  const measured = [
    patient.volume,
    ...patient.interval ?? [],
    ...(patient.visits ?? []).map(({ volume }) => volume),
  ];
  const lowest = Math.min(...curve.map((p) => p.p5), ...measured);
  const highest = Math.max(...curve.map((p) => p.p95), ...measured);
  const ticks = niceTicks(
    lowest > highest * 0.35 ? lowest - (highest - lowest) * 0.08 : 0,
    highest,
  );
  const bottom = ticks[0]!, top = ticks[ticks.length - 1]!;
  return {
    from,
    to,
    ticks,
    base,
    x: (age) => BOX.x0 + (age - from) / (to - from) * (BOX.x1 - BOX.x0),
    y: (ml) => base - (ml - bottom) / (top - bottom) * (base - BOX.y0),
  };
}

/** Draws the grid lines with their values, the ages, and the name of the age axis. */
function axesSvg({ from, to, ticks, base, x, y }: Scale, ageText: string): string[] {
  const parts: string[] = [];
  for (const tick of ticks) {
    parts.push(
      lineSvg([BOX.x0, y(tick)], [BOX.x1, y(tick)], C.hair, 0.6),
      textSvg(
        BOX.x0 - 4,
        y(tick) + 2.3,
        String(Math.round(tick * 100) / 100),
        6.5,
        `text-anchor="end"`,
      ),
    );
  }
  const span = to - from, step = span <= 8 ? 1 : span <= 16 ? 2 : span <= 40 ? 5 : 10;
  for (let age = Math.ceil(from / step) * step; age <= to; age += step) {
    parts.push(
      lineSvg([x(age), base], [x(age), base + 2.5], C.soft, 0.6),
      textSvg(x(age), base + 10, String(age), 6.5, `text-anchor="middle"`),
    );
  }
  parts.push(textSvg(MIDDLE_X, base + FOOT - 3, ageText, 6.5, `text-anchor="middle"`));
  return parts;
}

/** Draws bands and curves of the percentiles, with labels on the right. */
function curvesSvg(curve: readonly CurvePoint[], { base, x, y }: Scale): string[] {
  const ages = curve.map(({ age }) => n(x(age)));
  const pointsOf = (key: "p5" | "p25" | "p50" | "p75" | "p95") =>
    curve.map((point, at) => `${ages[at]} ${n(y(point[key]))}`);
  const points = {
    p5: pointsOf("p5"),
    p25: pointsOf("p25"),
    p50: pointsOf("p50"),
    p75: pointsOf("p75"),
    p95: pointsOf("p95"),
  };
  const area = (low: "p5" | "p25", high: "p95" | "p75", fill: string) =>
    `<path d="M${[...points[low], ...points[high].toReversed()].join("L")}Z" fill="${fill}"/>`;
  const stroke = (key: "p5" | "p50" | "p95", strokeWidth: number, dash: string) =>
    `<path d="M${
      points[key].join("L")
    }" fill="none" stroke="${C.curve}" stroke-width="${strokeWidth}"${
      dash && ` stroke-dasharray="${dash}"`
    }/>`;
  const last = curve[curve.length - 1]!;
  const labels = spread(
    [95, 75, 50, 25, 5].map((p) => ({ label: `P${p}`, at: y(last[`p${p}` as "p5"]) })),
  );
  return [
    area("p5", "p95", C.bandWide),
    area("p25", "p75", C.bandNarrow),
    stroke("p5", 0.7, "2 1.5"),
    stroke("p50", 1.2, ""),
    stroke("p95", 0.7, "2 1.5"),
    ...labels.map(({ label, at }) => textSvg(BOX.x1 + 3, at + 2, label, 5.8)),
    lineSvg([BOX.x0, base], [BOX.x1, base], C.soft, 0.8),
  ];
}

/** Draws the patient's dot with interval and label, and a line through values at other studies. */
function patientSvg(
  patient: ChartPatient & { age: number },
  scale: Scale,
  label: string,
): string[] {
  const { base, x, y } = scale, visits = patient.visits ?? [];
  const px = x(patient.age), py = y(patient.volume);
  const way = [...visits, { age: patient.age, volume: patient.volume }]
    .toSorted((a, b) => a.age - b.age);
  const parts = [lineSvg([px, BOX.y0], [px, base], C.soft, 0.5, `stroke-dasharray="1 2"`)];
  if (way.length > 1) {
    const points = way.map((visit) => `${n(x(visit.age))} ${n(y(visit.volume))}`);
    parts.push(
      `<path d="M${points.join("L")}" fill="none" stroke="${C.ink}" stroke-width="1"/>`,
      ...visits.map((visit) =>
        `<circle cx="${n(x(visit.age))}" cy="${
          n(y(visit.volume))
        }" r="2.2" fill="#ffffff" stroke="${C.ink}" stroke-width="1"/>`
      ),
    );
  }
  if (patient.interval) {
    const [low, high] = patient.interval.map(y) as [number, number];
    parts.push(
      lineSvg([px, low], [px, high], C.ink, 1.1),
      ...[low, high].map((end) => lineSvg([px - 2.2, end], [px + 2.2, end], C.ink, 1.1)),
    );
  }
  parts.push(
    `<circle cx="${n(px)}" cy="${n(py)}" r="3.4" fill="${
      BAND_INK[patient.level] ?? C.ink
    }" stroke="#ffffff" stroke-width="1.1"/>`,
  );
  const previous = way.findLast(({ age }) => age < patient.age - (scale.to - scale.from) / 16);
  const previousY = previous === undefined ? null : y(previous.volume);
  const hasVisits = visits.length > 0;
  return [...parts, ...dotLabelSvg([px, py], label, { hasVisits, previousY, base })];
}

/**
 * Draws the label beside the patient's dot, away from the line through the other studies' values.
 * @param previousY  Vertical position of the previous study's value; `null` without any.
 */
function dotLabelSvg(
  [px, py]: readonly [number, number],
  label: string,
  { hasVisits, previousY, base }: { hasVisits: boolean; previousY: number | null; base: number },
): string[] {
  // the line through other studies comes from the left; without a line, the right has more space
  const isRight = px > (hasVisits ? BOX.x1 - 52 : MIDDLE_X);
  const isBelow = isRight && previousY !== null && previousY < py && py < base - 14;
  const place = `x="${n(px + (isRight ? -6 : 6))}" y="${
    n(isBelow ? py + 9.5 : Math.max(py - 4.5, BOX.y0 + 6))
  }" ${FONT} font-size="7.2" font-weight="bold"${isRight ? ` text-anchor="end"` : ""}`;
  return [
    `<text ${place} fill="#ffffff" stroke="#ffffff" stroke-width="2" stroke-linejoin="round">${
      escapeXml(label)
    }</text>`,
    `<text ${place} fill="${C.ink}">${escapeXml(label)}</text>`,
  ];
}

/** Moves labels apart to at least 6 points, from top to bottom. */
function spread<T extends { at: number }>(labels: T[]): T[] {
  const gap = 6;
  for (let i = 1; i < labels.length; i++) {
    labels[i]!.at = Math.max(labels[i]!.at, labels[i - 1]!.at + gap);
  }
  return labels;
}

export const RAIL_SIZE = { width: 76, height: 11 } as const;

/** Percentile of both sides together, and its 80 % interval; `hasDot` false: the interval only. */
export interface RailValue {
  total: number;
  low: number;
  high: number;
  hasDot: boolean;
  level: number;
}

/** A whisker between two positions, with end caps. */
export const whiskerSvg = (x1: number, x2: number, middle: number, reach: number): string =>
  [[x1, middle, x2, middle], [x1, middle - reach, x1, middle + reach], [
    x2,
    middle - reach,
    x2,
    middle + reach,
  ]]
    .map(([a, b, c, d]) =>
      `<line x1="${n(a!)}" y1="${n(b!)}" x2="${n(c!)}" y2="${
        n(d!)
      }" stroke="${C.ink}" stroke-width="0.9"/>`
    ).join("");

/**
 * Draws a percentile scale: a horizontal bar from 0 to 100, darker beyond the thresholds.
 * A dot with whisker shows both sides together with the 80 % interval;
 * a tick upwards shows the left side, a tick downwards the right side.
 */
export function percentileRailSvg(
  value: RailValue & { left: number | null; right: number | null },
  thresholds: readonly number[],
  isInverted: boolean,
): string {
  const { width, height } = RAIL_SIZE;
  const x0 = 4, x1 = width - 4, middle = height / 2;
  const x = (percentile: number) => x0 + Math.min(Math.max(percentile, 0), 100) / 100 * (x1 - x0);
  const parts = [
    `<rect x="${x0}" y="${middle - 2}" width="${x1 - x0}" height="4" fill="${C.track}"/>`,
  ];
  // the widest band is drawn first, so that bands of more extreme percentiles are drawn over it
  [...thresholds].reverse().forEach((threshold, index) => {
    const shade = BAND_SHADE[strengthOf(index + 1, thresholds.length)];
    const from = isInverted ? x(100 - threshold) : x0, to = isInverted ? x1 : x(threshold);
    parts.push(
      `<rect x="${n(from)}" y="${middle - 2}" width="${n(to - from)}" height="4" fill="${shade}"/>`,
    );
  });
  parts.push(
    `<line x1="${n(x(50))}" y1="${middle - 2}" x2="${n(x(50))}" y2="${
      middle + 2
    }" stroke="#ffffff" stroke-width="0.7"/>`,
  );
  const tick = (percentile: number | null, to: number) =>
    percentile !== null && parts.push(
      `<line x1="${n(x(percentile))}" y1="${middle}" x2="${
        n(x(percentile))
      }" y2="${to}" stroke="${C.ink}" stroke-width="0.9"/>`,
    );
  parts.push(whiskerSvg(x(value.low), x(value.high), middle, 1.8));
  tick(value.left, 0.3);
  tick(value.right, height - 0.3);
  if (value.hasDot) {
    parts.push(
      `<circle cx="${n(x(value.total))}" cy="${middle}" r="2.9" fill="${
        BAND_INK[value.level] ?? C.ink
      }" stroke="#ffffff" stroke-width="0.8"/>`,
    );
  }
  return svg(width, height, parts);
}

/** Draws the numbers 0, 50 and 100 above the percentile scales of a table. */
export function railHeadSvg(): string {
  const { width } = RAIL_SIZE;
  const text = (x: number, anchor: string, label: string) =>
    `<text x="${x}" y="7" ${FONT} font-size="6" fill="${C.soft}" text-anchor="${anchor}">${label}</text>`;
  return svg(width, 9, [
    text(4, "start", "0"),
    text(width / 2, "middle", "50"),
    text(width - 4, "end", "100"),
  ]);
}

/** Draws a watermark behind the content of an A4 page. */
export function watermarkSvg(word: string): string {
  return svg(595, 842, [
    `<text x="297" y="480" ${FONT} font-size="150" font-weight="bold" fill="#154f62" fill-opacity="0.045" text-anchor="middle" transform="rotate(-52 297 430)">${
      escapeXml(word)
    }</text>`,
  ]);
}

/** Combines SVG elements to a complete drawing. */
export const svg = (width: number, height: number, parts: string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${
    parts.join("")
  }</svg>`;
