import type { ReactNode } from "react";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { MIN_CONTROLS } from "@/model/norms/local_norms.ts";
import type { Control, ControlRegion, NormChange } from "@/model/schema/report/norms.ts";
import { type Language, textIn } from "@/model/text.ts";
import { measureText, normsText } from "@/model/text/settings/local_norms.ts";
import { Button } from "@/components/Button.tsx";

const CELL = "px-2 py-1.5 text-left align-middle";

/** Table that scrolls horizontally in a narrow window, also by keyboard. */
function Table(
  { label, head, children }: { label: string; head: readonly string[]; children: ReactNode },
) {
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={label}
      className="max-h-[240px] overflow-auto rounded-md border border-line bg-white"
    >
      <table className="w-full text-[13px] tabular">
        <thead className="sticky top-0 bg-canvas text-ink-soft">
          <tr>
            {head.map((title, n) =>
              title === ""
                ? <td key={n} className={CELL} />
                : <th key={n} scope="col" className={`${CELL} font-medium`}>{title}</th>
            )}
          </tr>
        </thead>
        <tbody className="text-ink">{children}</tbody>
      </table>
    </div>
  );
}

const t =
  (language: Language) => (key: keyof typeof normsText, values?: Record<string, string | number>) =>
    textIn(normsText[key], language, values);

interface ControlTableProps {
  controls: readonly Control[];
  isBusy: boolean;
  language: Language;
  onUnmark: (pid: number) => void;
}

/** Table of control studies; an excluded one has the reason. */
export function ControlTable({ controls, isBusy, language, onUnmark }: ControlTableProps) {
  const text = t(language);
  if (controls.length === 0) return <p className="text-[13px]">{text("noControls")}</p>;
  const head = ["number", "patientId", "ageSex", "studyDate", "scanner"] as const;
  return (
    <Table label={text("controls")} head={[...head.map((key) => text(key)), ""]}>
      {controls.map((control) => (
        <tr key={control.pid} className="border-t border-line">
          <td className={CELL}>{control.pid}</td>
          <td className={CELL}>
            {control.patient_id}
            {control.problem && <span className="block text-red-700">{text(control.problem)}</span>}
          </td>
          <td className={CELL}>
            {`${control.patient_age ?? "–"} / ${control.patient_sex?.[0]?.toUpperCase() ?? "–"}`}
          </td>
          <td className={`${CELL} whitespace-nowrap`}>{control.study_date ?? "–"}</td>
          <td className={CELL}>{control.scanner ?? text("unknownScanner")}</td>
          <td className={CELL}>
            <Button
              size="small"
              kind="quiet"
              disabled={isBusy}
              aria-label={text("unmarkNumber", { pid: control.pid })}
              onClick={() => onUnmark(control.pid)}
            >
              {text("unmark")}
            </Button>
          </td>
        </tr>
      ))}
    </Table>
  );
}

const signed = (value: number) => `${value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)}`;

/**
 * Table with mean z and SD of the controls by region; regions that deviate from the norms first.
 */
export function RegionTable(
  { regions, language }: { regions: readonly ControlRegion[]; language: Language },
) {
  const text = t(language),
    differs = ({ verdict }: ControlRegion) => verdict !== "agrees" && verdict !== "too_few";
  const rows = [...regions].sort((a, b) =>
    Number(differs(b)) - Number(differs(a)) || Math.abs(b.mean) - Math.abs(a.mean)
  );
  const head = ["region", "n", "mean", "sd", "verdict"] as const;
  return (
    <Table label={text("summary")} head={head.map((key) => text(key))}>
      {rows.map((row) => (
        <tr key={`${row.measure}:${row.key}`} className="border-t border-line">
          <th scope="row" className={`${CELL} font-normal`}>
            {measureText(row.measure, row.key, language)}
          </th>
          <td className={CELL}>{row.n}</td>
          <td className={`${CELL} whitespace-nowrap`}>
            {`${signed(row.mean)} (${signed(row.mean_low)} … ${signed(row.mean_high)})`}
          </td>
          <td className={`${CELL} whitespace-nowrap`}>
            {`${row.sd.toFixed(2)} (${row.sd_low.toFixed(2)} … ${row.sd_high.toFixed(2)})`}
          </td>
          <td className={`${CELL} ${differs(row) ? "font-semibold" : ""}`}>
            {text(row.verdict, { min: MIN_CONTROLS })}
          </td>
        </tr>
      ))}
    </Table>
  );
}

type Reading = NormChange["measures"][number]["before"];
/** Table of studies with percentiles that would change, and the new values. */
export function ChangeList(
  { changes, language }: { changes: readonly NormChange[]; language: Language },
) {
  const text = t(language);
  const words = ({ percentile, level, possible_level, is_usual }: Reading, isInverted: boolean) => {
    const limit = (at: number) => {
      const threshold = DEFAULT_THRESHOLDS[DEFAULT_THRESHOLDS.length - at]!;
      return isInverted ? 100 - threshold : threshold;
    };
    const band = level > 0
      ? text("bandFirm", { p: limit(level) })
      : possible_level > 0
      ? text("bandPossible", { p: limit(possible_level) })
      : text(is_usual ? "usual" : "unsure");
    return `${Math.round(percentile)} (${band})`;
  };
  return (
    <ul className="max-h-[240px] overflow-auto rounded-md border border-line bg-white text-[13px]">
      {changes.map((change) => (
        <li key={change.pid} className="border-t border-line first:border-t-0 px-2 py-1.5">
          <details>
            <summary className="cursor-pointer text-ink">
              {`${text("number")} ${change.pid} · ${change.patient_id} · ${
                change.study_date ?? "–"
              } · `}
              {text("changed", { n: change.measures.length })}
            </summary>
            <ul className="pl-4 pt-1 tabular">
              {change.measures.map(({ measure, key, is_inverted, before, after }) => (
                <li key={`${measure}:${key}`}>
                  {`${measureText(measure, key, language)}: ${words(before, is_inverted)} → ${
                    words(after, is_inverted)
                  }`}
                </li>
              ))}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}
