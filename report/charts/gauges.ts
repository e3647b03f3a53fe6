import { strengthOf } from "@/model/norms/bands.ts";
import {
  CHART_SIZE,
  escapeXml,
  FONT,
  n,
  type RailValue,
  svg,
  whiskerSvg,
} from "@/report/charts/chart.ts";
import { DEEP, LESION_COLOURS, PERIVENTRICULAR } from "@/model/regions/lesions.ts";
import { BAND_INK, BAND_SHADE, REPORT_COLOURS as C } from "@/report/charts/colours.ts";

// All drawings except the norm charts. SVG with presentation attributes only, as in chart.ts.

const words = (x: number, y: number, text: string, size: number, more = ""): string =>
  `<text x="${n(x)}" y="${n(y)}" ${FONT} font-size="${size}" ${
    more.includes("fill=") ? "" : `fill="${C.soft}" `
  }${more}>${escapeXml(text)}</text>`;
const line = (
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  stroke: string,
  w: number,
  more = "",
): string =>
  `<line x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${
    n(y2)
  }" stroke="${stroke}" stroke-width="${w}" ${more}/>`;
const rect = (x: number, y: number, w: number, h: number, fill: string): string =>
  `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="${fill}"/>`;

export const GAUGE_SIZE = { width: 220, height: 134 } as const;

/**
 * Draws a semicircular gauge from 0 to 100, darker beyond the thresholds.
 * A needle shows the score, and an arc the score's interval.
 * @param thresholds Percentiles; the shade changes at 100 minus each threshold.
 */
export function gaugeSvg(
  score: number,
  interval: readonly [low: number, high: number],
  level: number,
  thresholds: readonly number[],
  texts: { value: string; low: string; high: string },
): string {
  const cx = 110, cy = 104, outer = 88, inner = 66;
  const at = (value: number, r: number): string => {
    const angle = Math.PI * (1 - value / 100);
    return `${n(cx + r * Math.cos(angle))} ${n(cy - r * Math.sin(angle))}`;
  };
  const zone = (from: number, to: number, fill: string) =>
    `<path d="M${at(from, outer)}A${outer} ${outer} 0 0 1 ${at(to, outer)}L${
      at(to, inner)
    }A${inner} ${inner} 0 0 0 ${
      at(from, inner)
    }Z" fill="${fill}" stroke="#ffffff" stroke-width="1"/>`;
  const edges = [0, ...thresholds.toReversed().map((threshold) => 100 - threshold), 100];
  const parts = edges.slice(1).map((edge, i) =>
    zone(edges[i]!, edge, BAND_SHADE[strengthOf(i, thresholds.length)] ?? C.track)
  );
  for (const edge of edges) {
    const [x, y] = at(edge, outer + 7).split(" ").map(Number) as [number, number];
    parts.push(words(x, y + 2, String(edge), 7, `text-anchor="middle"`));
  }
  const arc = (outer + inner) / 2;
  parts.push(
    `<path d="M${at(interval[0], arc)}A${arc} ${arc} 0 0 1 ${
      at(interval[1], arc)
    }" fill="none" stroke="${C.ink}" stroke-width="1.6"/>`,
    ...interval.map((end) =>
      `<path d="M${at(end, arc - 4)}L${at(end, arc + 4)}" stroke="${C.ink}" stroke-width="1.6"/>`
    ),
    `<path d="M${at(score, outer + 2)}L${at(score, 34)}" stroke="${
      BAND_INK[level]
    }" stroke-width="3" stroke-linecap="round"/>`,
    words(
      cx,
      cy - 4,
      texts.value,
      22,
      `text-anchor="middle" font-weight="bold" fill="${BAND_INK[level]}"`,
    ),
    words(cx - 77, cy + 13, texts.low, 6.5, `text-anchor="middle"`),
    words(cx + 77, cy + 13, texts.high, 6.5, `text-anchor="middle"`),
  );
  return svg(GAUGE_SIZE.width, GAUGE_SIZE.height, parts);
}

/** A measure of the score, drawn as a bar to the left or right of the centre. */
interface Contribution {
  name: string;
  value: string;
  /** standard deviations from the norm; positive is abnormal and drawn to the right */
  deviation: number;
}

const BAR_ROW = 23, BAR_WIDTH = 290, REACH = 4;
export const contributionSize = (rows: number) => ({
  width: BAR_WIDTH,
  height: rows * BAR_ROW + 30,
});

/**
 * Draws bars for the measures of a score, from −4 to 4 standard deviations.
 * @param texts Name of the axis, and labels of its left and right side.
 */
export function contributionsSvg(
  items: readonly Contribution[],
  texts: { axis: string; low: string; high: string },
): string {
  const x0 = 92, x1 = BAR_WIDTH - 44, middle = (x0 + x1) / 2, bottom = items.length * BAR_ROW;
  const x = (sd: number) => middle + Math.min(Math.max(sd, -REACH), REACH) / REACH * (x1 - x0) / 2;
  const arrow = (tip: number, way: number) =>
    `<path d="M${n(tip)} ${bottom + 16.7}l${-4 * way} -2.3v4.6Z" fill="${C.soft}"/>`;
  const parts = [rect(x(-1.645), 0, x(1.645) - x(-1.645), bottom, C.bandWide)];
  for (let sd = -REACH; sd <= REACH; sd += 2) {
    parts.push(
      line(x(sd), 0, x(sd), bottom, sd === 0 ? C.soft : C.line, sd === 0 ? 0.8 : 0.5),
      words(
        x(sd),
        bottom + 9,
        sd > 0 ? `+${sd}` : String(sd).replace("-", "−"),
        6.5,
        `text-anchor="middle"`,
      ),
    );
  }
  items.forEach((item, row) => {
    const y = row * BAR_ROW + 5,
      from = Math.min(x(0), x(item.deviation)),
      to = Math.max(x(0), x(item.deviation));
    parts.push(
      rect(from, y, Math.max(to - from, 0.6), 13, C.curve),
      words(0, y + 9, item.name, 7.5, `fill="${C.ink}"`),
      words(
        BAR_WIDTH,
        y + 9,
        item.value,
        7.5,
        `text-anchor="end" font-weight="bold" fill="${C.ink}"`,
      ),
    );
  });
  parts.push(
    arrow(x0, -1),
    words(x0 + 7, bottom + 19, texts.low, 6.5),
    words(x1 - 7, bottom + 19, texts.high, 6.5, `text-anchor="end"`),
    arrow(x1, 1),
    words(middle, bottom + 28, texts.axis, 6.5, `text-anchor="middle"`),
  );
  const { width, height } = contributionSize(items.length);
  return svg(width, height, parts);
}

export const WIDE_RAIL_SIZE = { width: 168, height: 18 } as const;

/**
 * Draws the wide form of the percentile scale, a bar from 0 to 100.
 * Without a percentile, the dot and the whisker of its interval are omitted.
 */
export function wideRailSvg(
  value: RailValue | null,
  thresholds: readonly number[],
  isInverted: boolean,
): string {
  const { width, height } = WIDE_RAIL_SIZE, x0 = 6, x1 = width - 6, middle = height / 2;
  const x = (p: number) => x0 + Math.min(Math.max(p, 0), 100) / 100 * (x1 - x0);
  const parts = [rect(x0, middle - 3, x1 - x0, 6, C.track)];
  [...thresholds].reverse().forEach((threshold, index) => {
    const from = isInverted ? 100 - threshold : 0, to = isInverted ? 100 : threshold;
    parts.push(
      rect(
        x(from),
        middle - 3,
        x(to) - x(from),
        6,
        BAND_SHADE[strengthOf(index + 1, thresholds.length)]!,
      ),
    );
  });
  for (const p of [25, 50, 75]) {
    parts.push(line(x(p), middle - 3, x(p), middle + 3, "#ffffff", 0.8));
  }
  if (value !== null) {
    parts.push(whiskerSvg(x(value.low), x(value.high), middle, 3.5));
    if (value.hasDot) {
      parts.push(
        `<circle cx="${n(x(value.total))}" cy="${middle}" r="5" fill="${
          BAND_INK[value.level] ?? C.ink
        }" stroke="#ffffff" stroke-width="1.2"/>`,
      );
    }
  }
  return svg(width, height, parts);
}

/** Draws the numbers above the wide percentile scales of a table. */
export function wideRailHeadSvg(): string {
  const { width } = WIDE_RAIL_SIZE;
  return svg(
    width,
    9,
    [0, 25, 50, 75, 100].map((p) =>
      words(6 + p / 100 * (width - 12), 7, String(p), 6.2, `text-anchor="middle"`)
    ),
  );
}

export const SCALE_SIZE = { width: 516, height: 58 } as const;
const SCALE_FILL = ["#edf3f5", "#cfe0e6", "#9fc0cc", "#6d9dae"] as const;

/**
 * Draws a volume on a scale divided into grades, darker for higher grades.
 * @param cutoffs Three volumes between the grades, ascending, mL.
 */
export function gradedScaleSvg(
  volume: number,
  cutoffs: readonly number[],
  texts: { grades: readonly string[]; unit: string; value: string },
): string {
  const { width, height } = SCALE_SIZE, x0 = 8, x1 = width - 20, y0 = 20, y1 = 36;
  const top = Math.max(25, volume * 1.08), x = (ml: number) => x0 + ml / top * (x1 - x0);
  const edges = [0, ...cutoffs, top], parts: string[] = [];
  edges.slice(1).forEach((edge, grade) => {
    const from = edges[grade]!;
    parts.push(
      rect(x(from), y0, x(edge) - x(from) - 0.8, y1 - y0, SCALE_FILL[grade]!),
      words(
        (x(from) + x(edge)) / 2,
        y1 - 5,
        texts.grades[grade]!,
        7,
        `text-anchor="middle" fill="${C.ink}"`,
      ),
    );
    if (grade > 0) parts.push(words(x(from), y1 + 10, String(from), 6.8, `text-anchor="middle"`));
  });
  parts.push(
    words(x0, y1 + 10, "0", 6.8, `text-anchor="middle"`),
    words(x1 + 18, y1 + 10, texts.unit, 6.8, `text-anchor="end"`),
  );
  const at = x(volume), anchor = at < 60 ? "start" : at > x1 - 60 ? "end" : "middle";
  // the pointer ends at the scale, because a line across a grade would look like striking it out
  parts.push(
    `<path d="M${n(at - 4)} ${y0 - 9}L${n(at + 4)} ${y0 - 9}L${n(at)} ${y0}Z" fill="${C.ink}"/>`,
    words(
      at,
      y0 - 12,
      texts.value,
      7.5,
      `text-anchor="${anchor}" font-weight="bold" fill="${C.ink}"`,
    ),
  );
  return svg(width, height, parts);
}

const LESION_MARK = 8;

/** Draws a square in the colour of a lesion, divided for both kinds; empty for neither kind. */
export function lesionMarkSvg(isPeri: boolean, isDeep: boolean): string {
  const colour = (kind: keyof typeof LESION_COLOURS) => `rgb(${LESION_COLOURS[kind].join(",")})`;
  const half = isPeri && isDeep ? LESION_MARK / 2 : LESION_MARK;
  return svg(LESION_MARK, LESION_MARK, [
    ...(isPeri ? [rect(0, 0, half, LESION_MARK, colour(PERIVENTRICULAR))] : []),
    ...(isDeep ? [rect(LESION_MARK - half, 0, half, LESION_MARK, colour(DEEP))] : []),
  ]);
}

/** Draws a normal distribution with a marked value, in the size of the norm charts. */
export function bellSvg(
  distribution: { mean: number; sd: number } | null,
  value: number,
  texts: { title: string; subtitle: string; axis: string; value: string; noCurve: string },
  height: number = CHART_SIZE.height,
): string {
  const { width } = CHART_SIZE, x0 = 12, x1 = width - 12, y0 = 36, y1 = height - 26;
  const parts = [
    words(0, 9, texts.title, 8.5, `fill="${C.ink}" font-weight="bold"`),
    words(0, 19, texts.subtitle, 6.5),
  ];
  if (distribution === null) {
    parts.push(
      `<rect x="${x0}" y="${y0}" width="${x1 - x0}" height="${
        y1 - y0
      }" fill="none" stroke="${C.line}" stroke-width="0.6"/>`,
      words((x0 + x1) / 2, (y0 + y1) / 2 + 3, texts.noCurve, 8, `text-anchor="middle"`),
    );
    return svg(width, height, parts);
  }
  const { mean, sd } = distribution;
  const reach = Math.max(3.2, Math.abs(value - mean) / sd + 0.3);
  const x = (z: number) => (x0 + x1) / 2 + z / reach * (x1 - x0) / 2;
  const y = (z: number) => y1 - Math.exp(-z * z / 2) * (y1 - y0);
  const area = (from: number, to: number, fill: string) => {
    const points = Array.from({ length: 41 }, (_, i) => from + i / 40 * (to - from));
    parts.push(
      `<path d="M${n(x(from))} ${y1}L${points.map((z) => `${n(x(z))} ${n(y(z))}`).join("L")}L${
        n(x(to))
      } ${y1}Z" fill="${fill}"/>`,
    );
  };
  area(-1.645, 1.645, C.bandWide);
  area(-0.674, 0.674, C.bandNarrow);
  const outline = Array.from({ length: 81 }, (_, i) => -reach + i / 80 * 2 * reach);
  parts.push(
    `<path d="M${
      outline.map((z) => `${n(x(z))} ${n(y(z))}`).join("L")
    }" fill="none" stroke="${C.curve}" stroke-width="1.2"/>`,
    line(x0, y1, x1, y1, C.soft, 0.8),
  );
  for (const [z, label] of [[-1.645, "P5"], [0, "P50"], [1.645, "P95"]] as const) {
    parts.push(
      line(x(z), y1, x(z), y1 + 2.5, C.soft, 0.6),
      words(x(z), y1 + 9, `${label} ${Math.round(mean + z * sd)}`, 6.2, `text-anchor="middle"`),
    );
  }
  const at = (value - mean) / sd, px = x(at);
  parts.push(
    line(px, y0 - 8, px, y1, C.ink, 0.8, `stroke-dasharray="2 1.5"`),
    `<circle cx="${n(px)}" cy="${
      n(y(at))
    }" r="3.4" fill="${C.ink}" stroke="#ffffff" stroke-width="1.1"/>`,
    words(
      px + (at > 0 ? -4 : 4),
      y0 - 4,
      texts.value,
      7.2,
      `font-weight="bold" fill="${C.ink}" text-anchor="${at > 0 ? "end" : "start"}"`,
    ),
    words((x0 + x1) / 2, height - 4, texts.axis, 6.5, `text-anchor="middle"`),
  );
  return svg(width, height, parts);
}
