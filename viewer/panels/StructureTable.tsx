import type { ReadonlySignal, Signal } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import { rangeDigits } from "@/model/norms/rank_format.ts";
import type { FlairStructure } from "@/model/schema/studies/flair_structure.ts";
import { type Language, textIn } from "@/model/text.ts";
import { partName } from "@/model/text/regions.ts";
import { flairStructuresText } from "@/model/text/report/report_structures.ts";
import { viewerStructuresText } from "@/model/text/viewer/viewer_structures.ts";
import { lineColour } from "@/viewer/slices/marks/line_colour.ts";
import { Toggle } from "@/viewer/panels/controls.tsx";
import type { OutlineState } from "@/viewer/session/overlays.ts";

const texts = { ...flairStructuresText, ...viewerStructuresText };

interface OutlineProps {
  isAsked: Signal<boolean>;
  state: ReadonlySignal<OutlineState>;
  /** whether slices are displayed on which outlines can be drawn */
  isReady: boolean;
}

interface StructureTableProps {
  structures: readonly FlairStructure[];
  /** `null` when the study has no label map of these structures */
  outline: OutlineProps | null;
  language: Language;
}

/** Formats a volume with two decimals, as in the report; a dash for an unpaired structure. */
const digits = (ml: number | null): string => ml === null ? "–" : ml.toFixed(2);

/**
 * Volumes of deep structures on a FLAIR without a T1w series, and the switch for their outlines. It
 * uses less than half of its container's height, so that the lesions remain visible.
 */
export function StructureTable({ structures, outline, language }: StructureTableProps) {
  const t = (key: keyof typeof texts) => textIn(texts[key], language);
  return (
    <details
      open
      data-testid="structures"
      className="max-h-[45%] min-h-[37px] overflow-y-auto border-b border-gray-700"
    >
      <summary className="sticky top-0 px-3 py-2 bg-gray-900 cursor-pointer outline-none focus-visible:ring-2 ring-inset ring-cyan-400">
        <h2 className="inline text-[13px] font-semibold text-gray-100">{t("title")}</h2>
      </summary>
      <div className="flex items-center gap-2 px-3 pb-1.5">
        {outline && <OutlineSwitch {...outline} language={language} />}
        <div className="text-[11px] leading-tight">
          {outline && <OutlineStatus state={outline.state} language={language} />}
          <p className="text-yellow-300">⚠ {t("note")}</p>
        </div>
      </div>
      <table className="w-full text-[11px] tabular-nums">
        <caption className="sr-only">{t("title")}</caption>
        <thead>
          <tr className="text-gray-300 border-b border-gray-700">
            <th scope="col" className="pl-3 py-0.5 text-left font-normal">{t("structure")}</th>
            <th scope="col" className={NUMBER}>{t("left")}</th>
            <th scope="col" className={NUMBER}>{t("right")}</th>
            <th scope="col" className={NUMBER}>{t("total")}</th>
            <th scope="col" className={`${NUMBER} pr-3`} title={t("intervalHint")}>
              {t("interval")}
            </th>
          </tr>
        </thead>
        <tbody>
          {structures.map((row) => (
            <tr key={row.brain_regions} className="border-b border-gray-800">
              <th scope="row" className="pl-3 py-0.5 text-left font-normal">
                <span className="flex items-center gap-1.5">
                  <svg viewBox="0 0 12 12" className="w-2.5 h-2.5 shrink-0" aria-hidden="true">
                    <rect width="12" height="12" rx="2" fill={lineColour(row.part_index[0]!)} />
                  </svg>
                  {partName(row.brain_regions, language)}
                </span>
              </th>
              <td className={NUMBER}>{digits(row.volume_left)}</td>
              <td className={NUMBER}>{digits(row.volume_right)}</td>
              <td className={`${NUMBER} text-gray-100 font-semibold`}>
                {digits(row.volume_total)}
              </td>
              <td className={`${NUMBER} pr-3`}>
                {rangeDigits(digits(row.low), digits(row.high), language)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const NUMBER = "pl-1.5 text-right font-normal whitespace-nowrap";

const OutlineSwitch = ({ isAsked, isReady, language }: OutlineProps & { language: Language }) => (
  <Toggle
    state={isAsked}
    text={textIn(texts.outlines, language)}
    hint={textIn(texts.outlinesHint, language)}
    isReady={isReady}
  />
);

/** Text that explains why no outlines are shown. */
function OutlineStatus({ state, language }: Pick<OutlineProps, "state"> & { language: Language }) {
  useSignals();
  const words = state.value === "loading"
    ? texts.outlinesLoading
    : state.value === "failed"
    ? texts.outlinesFailed
    : null;
  return (
    <p role="status" className={state.value === "failed" ? "text-amber-200" : "text-gray-300"}>
      {words && textIn(words, language)}
    </p>
  );
}
