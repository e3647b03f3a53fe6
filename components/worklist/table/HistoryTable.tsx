import { useSignals } from "@preact/signals-react/runtime";
import { useState } from "react";
import type { SortDirection } from "@/model/schema/studies/study.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { type Persons, personsAmong } from "@/model/patient/one_person.ts";
import { BETWEEN_FORMS, nameText } from "@/model/worklist/person_names.ts";
import { foldText } from "@/model/worklist/search_text.ts";
import { worklistSelectionText } from "@/model/text/worklist/worklist_selection.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { useUser } from "@/client/page/user.ts";
import {
  editingText,
  GradeMark,
  ReportedMark,
  SignedMark,
  UnreadMark,
} from "@/components/worklist/table/marks.tsx";
import { usePressGuard } from "@/components/worklist/table/press_guard.ts";
import { findingLine } from "@/components/worklist/table/FindingCell.tsx";
import { Thumbnail } from "@/components/worklist/table/Thumbnail.tsx";
import { SeriesIndicator } from "@/components/worklist/table/SeriesIndicator.tsx";
import { analysisDateText, isReadable } from "@/model/worklist/worklist_row.ts";

interface HistoryTableProps {
  rows: readonly PatientRow[];
  /** number of the study in the active row */
  currentPid: number;
  language: Language;
  onOpen: (row: PatientRow) => void;
  onReport: (row: PatientRow) => void;
}

/** Sorts rows by study date; rows without a date always come last. */
function sortedByStudy(rows: readonly PatientRow[], direction: SortDirection): PatientRow[] {
  const way = direction === "asc" ? 1 : -1;
  return rows.toSorted((a, b) => {
    if (a.study_date === b.study_date) return way * (a.pid - b.pid);
    if (a.study_date === null || b.study_date === null) return a.study_date === null ? 1 : -1;
    return a.study_date < b.study_date ? -way : way;
  });
}

function EditingNote({ row, userId, language }: {
  row: PatientRow;
  userId: number | null;
  language: Language;
}) {
  const editing = editingText(row, userId, language);
  return editing && (
    <span className="editing-notice block whitespace-normal text-amber-800">{editing}</span>
  );
}

/** Letters of a name, without the spaces and marks that differ between systems. */
const lettersOf = (name: string): string => foldText(name).replaceAll(/[^\p{L}]/gu, "");

/**
 * Identity of another study with the same patient ID, if its record differs from this record.
 * The history of one person must not silently include the studies of another person.
 */
function IdentityNote({ row, current, persons, language }: {
  row: PatientRow;
  current: PatientRow | undefined;
  persons: Persons;
  language: Language;
}) {
  if (!current || row.pid === current.pid) return null;
  const [one, other] = [row, current].map(({ patient_name }) =>
    patient_name.split(BETWEEN_FORMS).map(lettersOf).filter((form) => form !== "")
  ) as [string[], string[]];
  const isOtherName = one.length > 0 && other.length > 0 &&
    !one.some((form) => other.includes(form));
  const isOtherPerson = persons.sameAs(current, [row]).length === 0;
  if (!isOtherName && !isOtherPerson) return null;
  const sex = row.patient_sex === null ? [] : [row.patient_sex === "male" ? "M" : "F"];
  const name = nameText(row.patient_name, language);
  const recorded = isOtherPerson ? [name, ...sex, row.patient_birthdate ?? ""] : [name];
  const facts = recorded.filter((fact) => fact !== "").join(", ");
  const text = !isOtherPerson ? "recordedAs" : facts === "" ? "uncertainPerson" : "otherPerson";
  return (
    <div className="text-xs text-amber-800 whole-words">
      {textIn(worklistSelectionText[text], language, { facts })}
    </div>
  );
}

/** Studies of one patient (D1 §2: columns, and 64 px for the first one). */
export function HistoryTable({ rows, currentPid, language, onOpen, onReport }: HistoryTableProps) {
  useSignals();
  const [direction, setDirection] = useState<SortDirection>("desc"), guard = usePressGuard();
  const timeZone = useTimeZone(), userId = useUser()?.user_id ?? null;
  const say = (key: keyof typeof worklistSelectionText) =>
    textIn(worklistSelectionText[key], language);
  const finding = (row: PatientRow) => findingLine(row, language);
  const studyDate = say("studyDate"), current = rows.find(({ pid }) => pid === currentPid);
  const persons = personsAmong(rows), samePerson = current ? persons.sameAs(current, rows) : [];
  return (
    <div className="history-scroll">
      <table className="w-full table-fixed border-collapse text-[13px]" aria-label={say("history")}>
        <thead>
          <tr className="text-left text-ink-soft">
            <th scope="col" className="w-[64px] pl-5 font-semibold">
              {textIn(worklistText.number, language)}
            </th>
            <th
              scope="col"
              className="px-2 w-[172px] font-semibold"
              aria-sort={direction === "asc" ? "ascending" : "descending"}
            >
              <button
                type="button"
                title={textIn(worklistText.sortBy, language, { column: studyDate })}
                onClick={() => setDirection(direction === "asc" ? "desc" : "asc")}
                className="inline-flex items-center gap-1 h-8 font-semibold text-brand-700"
              >
                {studyDate} <span aria-hidden="true">{direction === "asc" ? "▲" : "▼"}</span>
              </button>
            </th>
            <th scope="col" className="px-2 font-semibold">{say("analysisDate")}</th>
            <th scope="col" className="px-2 w-[96px] font-semibold">
              {textIn(worklistText.series, language)}
            </th>
            <th scope="col" className="px-2 pr-5 font-semibold text-right w-[210px]">
              {textIn(worklistText.report, language)}
            </th>
          </tr>
        </thead>
        <tbody {...guard}>
          {sortedByStudy(rows, direction).map((row) => (
            <tr
              key={row.pid}
              tabIndex={0}
              aria-current={row.pid === currentPid || undefined}
              onDoubleClick={() => onOpen(row)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && event.target === event.currentTarget) onOpen(row);
              }}
              className={`h-10 border-b border-line ${
                row.pid === currentPid ? "bg-brand-50" : "hover:bg-canvas"
              }`}
            >
              <td className="pl-5 tabular whitespace-nowrap text-ink-faint">
                <UnreadMark row={row} language={language} />
                {row.pid}
              </td>
              <td className="px-2 tabular">
                <span className="flex items-center gap-3 whitespace-nowrap">
                  <Thumbnail row={row} language={language} className="history-picture" />
                  <span className="min-w-0">
                    {row.study_date ?? "-"}
                    <EditingNote row={row} userId={userId} language={language} />
                  </span>
                </span>
              </td>
              <td className="px-2 tabular">
                <span className="flex items-center gap-2 whitespace-nowrap">
                  {analysisDateText(row, timeZone)}
                  {row.quality_grade && <GradeMark grade={row.quality_grade} language={language} />}
                  <ReportedMark row={row} language={language} className="text-xs" />
                  {row.signed && (
                    <span className="text-xs">
                      <SignedMark row={row} language={language} />
                    </span>
                  )}
                </span>
                <IdentityNote row={row} current={current} persons={persons} language={language} />
                {finding(row) !== null && (
                  <div className="text-xs text-ink-soft whole-words">{finding(row)}</div>
                )}
              </td>
              <td className="px-2">
                <SeriesIndicator row={row} language={language} />
              </td>
              <td className="px-2 pr-5 text-right whitespace-nowrap">
                {current && row.pid !== currentPid && isReadable(row) && isReadable(current) &&
                  samePerson.includes(row) && (
                  <a
                    href={`/viewer/${currentPid}?compare=${row.pid}`}
                    title={textIn(worklistSelectionText.compareHint, language, {
                      date: current.study_date ?? "-",
                      other: row.study_date ?? "-",
                    })}
                    className="inline-flex items-center h-7 px-2.5 mr-2 rounded border border-line-strong bg-white text-[13px] font-medium text-brand-700 hover:bg-brand-50"
                  >
                    {say("compare")}
                  </a>
                )}
                <button
                  type="button"
                  disabled={!isReadable(row)}
                  data-leads-to="report"
                  aria-label={textIn(worklistText.openReport, language, {
                    patient: `${nameText(row.patient_name, language) || row.patient_id} ${
                      row.study_date ?? ""
                    }`.trim(),
                  })}
                  onClick={() => onReport(row)}
                  className="h-7 px-2.5 rounded border border-line-strong bg-white text-[13px] font-medium text-brand-700 hover:bg-brand-50 disabled:opacity-50"
                >
                  {textIn(worklistText.report, language)}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
