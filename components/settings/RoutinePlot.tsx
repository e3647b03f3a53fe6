import {
  PLOT_COUNT,
  PLOT_MIN,
  PLOT_STEP,
  type RoutineRegion,
} from "@/model/schema/report/routine_norms.ts";
import { measureText } from "@/model/text/settings/local_norms.ts";
import { routineText } from "@/model/text/settings/routine_norms.ts";
import { useLanguage, useText } from "@/client/page/language.ts";

const WIDTH = 480, HEIGHT = 150, BOTTOM = 20;
/** Number of points with which a curve is drawn. */
const POINTS = 121;
const Z_SPAN = PLOT_COUNT * PLOT_STEP;

const xOf = (z: number) => WIDTH * (z - PLOT_MIN) / Z_SPAN;

/** Expected number of studies in a bin under a normal distribution of n people. */
const expected = (z: number, mean: number, sd: number, n: number) =>
  n * PLOT_STEP / (sd * Math.sqrt(2 * Math.PI)) * Math.exp(-0.5 * ((z - mean) / sd) ** 2);

/**
 * Histogram of routine studies over z, with the published norm (dashed)
 * and the fitted distribution of healthy people (solid), both scaled to the number of the healthy.
 */
export function RoutinePlot({ region }: { region: RoutineRegion }) {
  const language = useLanguage(), text = useText(routineText);
  const { part, counts, n } = region, healthy = n * (part?.healthy_share ?? 1);
  const zs = Array.from({ length: POINTS }, (_, at) => PLOT_MIN + at * Z_SPAN / (POINTS - 1));
  const curves = [
    { mean: 0, sd: 1, dash: "5 4", stroke: "#6b7280" },
    ...part ? [{ mean: part.offset, sd: part.scale, dash: undefined, stroke: "#0f766e" }] : [],
  ];
  const top = Math.max(
    1,
    ...counts,
    ...curves.map(({ mean, sd }) => expected(mean, mean, sd, healthy)),
  );
  const yOf = (count: number) => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 6) * count / top;
  const label = text("plot", { name: measureText(region.measure, region.key, language), n });
  return (
    <figure className="m-0">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className="w-full rounded-md border border-line bg-white"
      >
        {counts.map((count, at) => (
          <rect
            key={at}
            x={xOf(PLOT_MIN + at * PLOT_STEP) + 0.5}
            y={yOf(count)}
            width={WIDTH / PLOT_COUNT - 1}
            height={HEIGHT - BOTTOM - yOf(count)}
            fill="#cbd5e1"
          />
        ))}
        {curves.map(({ mean, sd, dash, stroke }) => (
          <polyline
            key={stroke}
            points={zs.map((z) => `${xOf(z)},${yOf(expected(z, mean, sd, healthy))}`).join(" ")}
            fill="none"
            stroke={stroke}
            strokeWidth={2}
            strokeDasharray={dash}
          />
        ))}
        {[-4, -2, 0, 2, 4].map((z) => (
          <text key={z} x={xOf(z)} y={HEIGHT - 5} fontSize={11} textAnchor="middle" fill="#374151">
            {z < 0 ? `−${-z}` : z}
          </text>
        ))}
      </svg>
      <figcaption className="text-[13px]">{text("plotHint")}</figcaption>
    </figure>
  );
}
