import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import type { PlottedAge } from "@/model/norms/imported/plotted.ts";
import { normTableText } from "@/model/text/settings/norm_tables.ts";
import { useText } from "@/client/page/language.ts";

const WIDTH = 480, HEIGHT = 190, LEFT = 44, BOTTOM = 22, TOP = 8;
const LINES = [0, 1, 2] as const;

interface NormTablePlotProps {
  name: string;
  unit: "mL" | "mm";
  ages: readonly PlottedAge[];
}

/** Percentiles over age of imported (solid) and published norms (dashed). */
export function NormTablePlot({ name, unit, ages }: NormTablePlotProps) {
  const text = useText(normTableText);
  const values = ages.flatMap(({ imported, published }) => [...imported, ...published]);
  const low = Math.min(...values), high = Math.max(...values), span = high - low || 1;
  const first = ages[0]!.age, last = ages.at(-1)!.age;
  const xOf = (age: number) => LEFT + (WIDTH - LEFT - 8) * (age - first) / (last - first || 1);
  const yOf = (value: number) => TOP + (HEIGHT - BOTTOM - TOP) * (high - value) / span;
  const pointsOf = (of: "imported" | "published", line: 0 | 1 | 2) =>
    ages.map((each) => `${xOf(each.age).toFixed(1)},${yOf(each[of][line]).toFixed(1)}`).join(" ");
  const digits = span < 1 ? 2 : 1;
  const marks = [...new Set([first, Math.round((first + last) / 2), last])];
  return (
    <figure className="m-0">
      <svg
        role="img"
        aria-label={text("plot", { name, unit })}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className="w-full rounded-md border border-line bg-white"
      >
        {(["published", "imported"] as const).flatMap((of) =>
          LINES.map((line) => (
            <polyline
              key={`${of}${line}`}
              points={pointsOf(of, line)}
              fill="none"
              stroke={of === "imported" ? "#0f766e" : "#6b7280"}
              strokeWidth={line === 1 ? 2.5 : 1.5}
              strokeDasharray={of === "imported" ? undefined : "5 4"}
            />
          ))
        )}
        {[low, (low + high) / 2, high].map((value) => (
          <text
            key={value}
            x={LEFT - 5}
            y={yOf(value) + 4}
            fontSize={11}
            textAnchor="end"
            fill="#374151"
          >
            {value.toFixed(digits)}
          </text>
        ))}
        {marks.map((age) => (
          <text
            key={age}
            x={xOf(age)}
            y={HEIGHT - 6}
            fontSize={11}
            textAnchor={age === last ? "end" : age === first ? "start" : "middle"}
            fill="#374151"
          >
            {age}
          </text>
        ))}
      </svg>
      <figcaption className="text-[13px]">{text("plotHint", { norms: NORMS_NAME })}</figcaption>
    </figure>
  );
}
