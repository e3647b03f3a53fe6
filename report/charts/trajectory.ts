import { escapeXml, FONT, n, svg } from "@/report/charts/chart.ts";
import { REPORT_COLOURS as C } from "@/report/charts/colours.ts";

/** Percentiles of one measure at all studies of a patient; `null` where missing. */
interface TrajectoryLine {
  name: string;
  percentiles: readonly (number | null)[];
}

export const TRAJECTORY_SIZE = { width: 516, height: 182 } as const;

/** Percentiles at which the chart has horizontal lines. */
const LEVELS = [5, 25, 50, 75, 95] as const;
const STROKES = [
  { colour: C.ink, dash: "" },
  { colour: C.curve, dash: "4 2" },
  { colour: C.demo, dash: "1.5 2" },
] as const;

/**
 * Draws percentiles over the dates of studies, one line per measure, with different dash patterns.
 *
 * @param years  Years of each study since the first study, ascending.
 * @param dates  Date labels of the same studies.
 * @param size   Width and height of the drawing, points.
 */
export function trajectorySvg(
  lines: readonly TrajectoryLine[],
  years: readonly number[],
  dates: readonly string[],
  texts: { percentile: string },
  { width, height }: { width: number; height: number } = TRAJECTORY_SIZE,
): string {
  const parts: string[] = [];
  const box = { x0: 34, x1: width - 118, y0: 8, y1: height - 30 },
    span = Math.max(years.at(-1) ?? 0, 1e-6);
  const x = (year: number) => box.x0 + 8 + year / span * (box.x1 - box.x0 - 16);
  const y = (percentile: number) => box.y1 - percentile / 100 * (box.y1 - box.y0);
  const text = (at: readonly [number, number], words: string, size: number, more = "") =>
    parts.push(
      `<text x="${n(at[0])}" y="${n(at[1])}" ${FONT} font-size="${size}" fill="${C.ink}" ${more}>${
        escapeXml(words)
      }</text>`,
    );
  for (const level of LEVELS) {
    parts.push(
      `<line x1="${box.x0}" y1="${n(y(level))}" x2="${box.x1}" y2="${
        n(y(level))
      }" stroke="${C.line}" stroke-width="0.6"/>`,
    );
    text([box.x0 - 4, y(level) + 2.3], String(level), 6.5, `text-anchor="end"`);
  }
  // date labels that would overlap the next label are omitted, except the last one
  let free = Infinity;
  for (const [at, date] of [...dates.entries()].reverse()) {
    const place = x(years[at]!);
    if (place > free - 46) continue;
    free = place;
    text([place, box.y1 + 11], date, 6.5, `text-anchor="middle"`);
  }
  text([box.x0, height - 9], texts.percentile, 6.5);
  lines.forEach(({ name, percentiles }, at) => {
    const { colour, dash } = STROKES[at % STROKES.length]!;
    const measuredPlaces = percentiles.flatMap((value, visit) =>
      value === null ? [] : [`${n(x(years[visit]!))} ${n(y(value))}`]
    );
    if (measuredPlaces.length === 0) return;
    const style = `fill="none" stroke="${colour}" stroke-width="1.2" stroke-dasharray="${
      dash || "none"
    }"`;
    parts.push(`<path d="M${measuredPlaces.join("L")}" ${style}/>`);
    for (const place of measuredPlaces) {
      const [cx, cy] = place.split(" ");
      parts.push(`<circle cx="${cx}" cy="${cy}" r="2.2" fill="${colour}"/>`);
    }
    const key = box.y0 + 10 + 14 * at;
    parts.push(`<path d="M${box.x1 + 8} ${key - 2.5}h16" ${style}/>`);
    text([box.x1 + 28, key], name, 7);
  });
  return svg(width, height, parts);
}
