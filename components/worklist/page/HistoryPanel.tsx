// Other studies of the same patient; loaded when a row with several studies is active.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asAppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { worklistSelectionText } from "@/model/text/worklist/worklist_selection.ts";
import { getHistory } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { personsAmong } from "@/model/patient/one_person.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { HistoryTable } from "@/components/worklist/table/HistoryTable.tsx";

interface HistoryPanelProps {
  row: PatientRow;
  onOpen: (row: PatientRow) => void;
  onReport: (row: PatientRow) => void;
}

interface FactsProps {
  row: PatientRow;
  /** all studies with the patient's ID */
  history: readonly PatientRow[];
}

/** Name of the patient, with a note if studies with this ID are, or may be, of another person. */
function Facts({ row, history }: FactsProps) {
  const { shared, sameAs } = personsAmong(history), same = new Set(sameAs(row, history));
  const others = history.filter((other) => other.pid !== row.pid && !same.has(other)).length;
  const text = useText(worklistSelectionText), words = useText(worklistText);
  const sex = row.patient_sex === null ? "-" : row.patient_sex === "male" ? "M" : "F";
  const facts = [
    [words("patientId"), row.patient_id],
    [words("sex"), sex],
    [words("birth"), row.patient_birthdate ?? "-"],
  ] as const;
  return (
    <div className="history-facts flex items-center gap-8 px-5 text-[13px]">
      <dl className="flex flex-wrap items-center gap-x-8 gap-y-1 min-w-0">
        {facts.map(([name, value]) => (
          <div key={name} className="flex gap-2 min-w-0">
            <dt className="shrink-0 text-ink-faint">{name}</dt>
            <dd className="tabular text-ink truncate" title={value}>{value}</dd>
          </div>
        ))}
      </dl>
      {(shared !== null || others > 0) && (
        <p className="min-w-0 text-amber-800 font-semibold">
          {shared === null
            ? text("otherPersons", { n: others })
            : text(shared === "placeholder" ? "placeholderId" : "sharedId")}
        </p>
      )}
    </div>
  );
}

/** Height of the panel: 290 px expanded, 48 px collapsed (D1 §2). */
export default function HistoryPanel({ row, onOpen, onReport }: HistoryPanelProps) {
  const language = useLanguage(),
    text = useText(worklistSelectionText),
    words = useText(worklistText);
  const [isOpen, setOpen] = useState(true);
  const { data, error } = useQuery({
    queryKey: queryKeys.patientHistory(row.pid),
    queryFn: ({ signal }) => getHistory(browserApi, row.pid, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <section
      aria-label={text("history")}
      className={`mt-4 rounded-xl border border-line bg-white shadow-card overflow-hidden ${
        isOpen ? "history-open" : "history-closed"
      }`}
    >
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          title={text(isOpen ? "historyClose" : "historyOpen")}
          onClick={() => setOpen(!isOpen)}
          className="flex items-center gap-2 w-full h-12 px-5 text-left text-sm font-semibold text-ink hover:bg-canvas"
        >
          <svg
            viewBox="0 0 16 16"
            className="w-4 h-4"
            fill="none"
            stroke="currentColor"
            aria-hidden="true"
          >
            <path d={isOpen ? "M3 10l5-5 5 5" : "M3 6l5 5 5-5"} strokeWidth="1.6" />
          </svg>
          {text("historyOf", { patient: nameText(row.patient_name, language) || row.patient_id })}
        </button>
      </h2>
      {isOpen && (error
        ? (
          <p role="alert" className="px-5 py-3 text-sm text-ink-soft">
            {words("failedToLoad")}: {messageOf(asAppError(error).code, {}, language)}
          </p>
        )
        : (
          <>
            <Facts row={row} history={data?.history ?? []} />
            <HistoryTable
              rows={data?.history ?? []}
              currentPid={row.pid}
              language={language}
              onOpen={onOpen}
              onReport={onReport}
            />
            <p className="history-hint flex items-center px-5 border-t border-line text-xs text-ink-faint">
              {text("studies", { n: data?.history.length ?? row.history_count })}
            </p>
          </>
        ))}
    </section>
  );
}
