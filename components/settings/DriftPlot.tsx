import { UNRELIABLE } from "@/model/drift/charts.ts";
import type { DriftChart } from "@/model/schema/report/drift.ts";
import { driftText } from "@/model/text/settings/drift.ts";
import { useText } from "@/client/page/language.ts";

const WIDTH = 480, TOP = 90, GAP = 10, BOTTOM = 80, LEFT = 28;
/** z range of the upper plot; values beyond are drawn at the edge of the plot. */
const MAX_Z = 4;

/** Plot of a control chart: values of each study above, cumulative sums and limit below. */
export function DriftPlot({ chart, name }: { chart: DriftChart; name: string }) {
  const text = useText(driftText), n = chart.values.length;
  const isShare = chart.name === UNRELIABLE;
  const xOf = (at: number) => LEFT + (WIDTH - LEFT - 4) * (n < 2 ? 0.5 : at / (n - 1));
  const valueY = (value: number) =>
    isShare
      ? TOP - 8 - (TOP - 16) * value
      : TOP / 2 - (TOP / 2 - 4) * Math.max(-1, Math.min(1, value / MAX_Z));
  const most = Math.max(1.2 * chart.limit, ...chart.higher, ...chart.lower);
  const sumY = (sum: number) => TOP + GAP + BOTTOM - BOTTOM * sum / most;
  const lines = isShare
    ? [{ sums: chart.higher, stroke: "#b45309" }]
    : [{ sums: chart.higher, stroke: "#0f766e" }, { sums: chart.lower, stroke: "#b45309" }];
  return (
    <figure className="m-0">
      <svg
        role="img"
        aria-label={text("plot", { name, n })}
        viewBox={`0 0 ${WIDTH} ${TOP + GAP + BOTTOM + 4}`}
        className="w-full rounded-md border border-line bg-white"
      >
        {(isShare ? [0, 1] : [-2, 0, 2]).map((value) => (
          <g key={value}>
            <line
              x1={LEFT}
              x2={WIDTH - 4}
              y1={valueY(value)}
              y2={valueY(value)}
              stroke="#e5e7eb"
            />
            <text x={LEFT - 4} y={valueY(value) + 4} fontSize={11} textAnchor="end" fill="#374151">
              {value < 0 ? `−${-value}` : value}
            </text>
          </g>
        ))}
        {chart.values.map((value, at) => (
          <circle key={at} cx={xOf(at)} cy={valueY(value)} r={1.6} fill="#64748b" />
        ))}
        <line
          x1={LEFT}
          x2={WIDTH - 4}
          y1={sumY(chart.limit)}
          y2={sumY(chart.limit)}
          stroke="#b91c1c"
          strokeDasharray="5 4"
        />
        {lines.map(({ sums, stroke }) => (
          <polyline
            key={stroke}
            points={sums.map((sum, at) => `${xOf(at)},${sumY(sum)}`).join(" ")}
            fill="none"
            stroke={stroke}
            strokeWidth={1.6}
          />
        ))}
        {chart.moved_at !== null && (
          <line
            x1={xOf(chart.moved_at)}
            x2={xOf(chart.moved_at)}
            y1={2}
            y2={TOP + GAP + BOTTOM}
            stroke="#b91c1c"
          />
        )}
      </svg>
      <figcaption className="text-[13px]">
        {chart.before > 0 ? `${text("plotBefore", { n: chart.before })} ` : ""}
        {text(isShare ? "plotHintShare" : "plotHint")}
      </figcaption>
    </figure>
  );
}
