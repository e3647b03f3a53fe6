import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";

/** A mark for each uploaded series, highlighted when the series' analysis is completed. */
export function SeriesIndicator({ row, language }: { row: PatientRow; language: Language }) {
  const series = [
    { name: "T1w", isUploaded: row.is_t1_uploaded, status: row.t1_analysis_status },
    { name: "T2w", isUploaded: row.is_t2_uploaded, status: row.t2_analysis_status },
  ].filter(({ isUploaded }) => isUploaded);
  return (
    <div className="flex gap-0.5 xl:gap-1">
      {series.map(({ name, status }) => {
        const isCompleted = status === "completed";
        const text = isCompleted ? worklistText.seriesCompleted : worklistText.seriesUploaded;
        return (
          <span
            key={name}
            title={textIn(text, language, { series: name })}
            className={`shrink-0 whitespace-nowrap rounded px-0.5 xl:px-1 py-px text-[11px] xl:text-xs font-semibold border ${
              isCompleted
                ? "bg-brand-600 border-brand-600 text-white"
                : "bg-white border-line-strong text-ink-soft"
            }`}
          >
            {name}
          </span>
        );
      })}
    </div>
  );
}
