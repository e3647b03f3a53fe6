// The worklist as cards; loaded when first selected.
import { useSignals } from "@preact/signals-react/runtime";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { worklistSelectionText } from "@/model/text/worklist/worklist_selection.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import { isCheckable } from "@/model/worklist/worklist_selection.ts";
import { getHistory } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { useUser } from "@/client/page/user.ts";
import { Doubtful } from "@/components/Doubtful.tsx";
import { HistoryTable } from "@/components/worklist/table/HistoryTable.tsx";
import { usePressGuard } from "@/components/worklist/table/press_guard.ts";
import { SentMark } from "@/components/worklist/table/SentMark.tsx";
import { SeriesIndicator } from "@/components/worklist/table/SeriesIndicator.tsx";
import { findingLine } from "@/components/worklist/table/FindingCell.tsx";
import { Thumbnail } from "@/components/worklist/table/Thumbnail.tsx";
import { LabelTags } from "@/components/worklist/table/LabelTags.tsx";
import { OrderedAs, OrderFacts, PlannedDay } from "@/components/worklist/table/order_parts.tsx";
import {
  AccessionMark,
  editingText,
  GradeMark,
  HospitalMark,
  NamelessMark,
  ReportedMark,
  SignedMark,
  UnreadMark,
} from "@/components/worklist/table/marks.tsx";
import { RowStatus } from "@/components/worklist/table/RowStatus.tsx";
import type { RowActions } from "@/components/worklist/table/WorklistRow.tsx";
import { analysisDateText, isOrder, isReadable } from "@/model/worklist/worklist_row.ts";

interface CardListProps {
  rows: readonly PatientRow[];
  checked: ReadonlySet<number>;
  actions: Pick<RowActions, "check" | "open" | "report">;
  empty: ReactNode;
}

/** Cards of 140 px with gaps of 10 px (D1 §9); a card with an expanded history is higher. */
export default function CardList({ rows, checked, actions, empty }: CardListProps) {
  const guard = usePressGuard();
  if (rows.length === 0) return empty;
  return (
    <ul className="flex flex-col gap-[10px] p-4" {...guard}>
      {rows.map((row) => (
        <Card key={row.pid} row={row} isChecked={checked.has(row.pid)} actions={actions} />
      ))}
    </ul>
  );
}

interface CardProps extends Pick<CardListProps, "actions"> {
  row: PatientRow;
  isChecked: boolean;
}

function Card({ row, isChecked, actions }: CardProps) {
  useSignals();
  const language = useLanguage(), [isOpen, setOpen] = useState(false);
  const check = (isRange: boolean) => {
    if (isCheckable(row)) actions.check(row, !isChecked, isRange);
  };
  return (
    <li
      data-pid={row.pid}
      className={`rounded-lg border overflow-hidden ${
        isChecked ? "border-brand-500 bg-brand-50" : "border-line bg-white"
      }`}
    >
      <div
        tabIndex={0}
        role="group"
        aria-label={patientOf(row, language)}
        onDoubleClick={() => actions.open(row)}
        onKeyDown={(event) => byKey(event, { open: () => actions.open(row), check })}
        className="worklist-card flex"
      >
        {isOrder(row)
          ? <div className="card-picture" />
          : <Thumbnail row={row} language={language} className="card-picture" />}
        <div className="worklist-card-lines grid flex-1 min-w-0 px-5 py-3">
          <PatientLine row={row} isChecked={isChecked} actions={actions} />
          <StudyFacts row={row} />
          {isOrder(row)
            ? <OrderFacts row={row} language={language} />
            : <FindingLine row={row} actions={actions} isOpen={isOpen} onOpen={setOpen} />}
        </div>
      </div>
      {isOpen && <CardHistory row={row} actions={actions} />}
    </li>
  );
}

/** Name of the patient, or the ID without one. */
const patientOf = (row: PatientRow, language: Language): string =>
  nameText(row.patient_name, language) || row.patient_id;

/** First line of a card: check box, patient, series, labels and state. */
function PatientLine({ row, isChecked, actions }: CardProps) {
  useSignals();
  const language = useLanguage(), timeZone = useTimeZone(), patient = patientOf(row, language);
  return (
    <div className="flex items-center gap-3 min-w-0">
      {!isOrder(row) && (
        <input
          type="checkbox"
          aria-label={textIn(worklistText.select, language, { patient })}
          checked={isChecked}
          disabled={!isCheckable(row)}
          onChange={(event) =>
            actions.check(
              row,
              event.currentTarget.checked,
              (event.nativeEvent as MouseEvent).shiftKey,
            )}
          className="w-4 h-4 shrink-0 accent-brand-600"
        />
      )}
      <h2 className="text-base font-semibold text-ink whole-words">
        <UnreadMark row={row} language={language} />
        {patient ? <bdi>{patient}</bdi> : <NamelessMark row={row} language={language} />}
      </h2>
      <span className="text-[13px] text-ink-soft tabular whole-words">
        <bdi>{row.patient_id}</bdi>
        <HospitalMark row={row} language={language} timeZone={timeZone} />
        <AccessionMark row={row} language={language} />
      </span>
      <SeriesIndicator row={row} language={language} />
      <LabelTags labels={row.label_list} most={4} />
      <div className="ml-auto max-w-[220px] shrink-0 text-[13px]">
        <RowStatus row={row} id={`card${row.pid}`} />
      </div>
    </div>
  );
}

/** Second line of a card: dates, and the states of report, transmission and quality. */
function StudyFacts({ row }: { row: PatientRow }) {
  const language = useLanguage(), timeZone = useTimeZone();
  const dates = [
    [
      worklistText.birth,
      <Doubtful key="birth" subject={row} field="patient_birthdate" language={language} />,
    ],
    [
      worklistText.study,
      isOrder(row)
        ? <PlannedDay key="study" row={row} language={language} />
        : <Doubtful key="study" subject={row} field="study_date" language={language} />,
    ],
    [worklistText.analysis, analysisDateText(row, timeZone)],
  ] as const;
  return (
    <dl className="flex gap-8 text-[13px] items-center">
      {dates.map(([name, value]) => (
        <div key={textIn(name, language)} className="flex gap-2">
          <dt className="text-ink-faint">{textIn(name, language)}</dt>
          <dd className="tabular text-ink whitespace-nowrap">{value}</dd>
        </div>
      ))}
      {!isOrder(row) && row.order && <OrderedAs row={row} language={language} />}
      {(row.is_reported || row.is_report_outdated) && (
        <MarkFact name={textIn(worklistText.report, language)}>
          <ReportedMark row={row} language={language} />
        </MarkFact>
      )}
      {row.signed && (
        <MarkFact name={textIn(worklistText.report, language)}>
          <SignedMark row={row} language={language} />
        </MarkFact>
      )}
      {row.sent && (
        <MarkFact name={textIn(worklistText.sentTo, language)}>
          <SentMark row={row} language={language} />
        </MarkFact>
      )}
      {row.quality_grade && (
        <div className="flex gap-2">
          <dt className="text-ink-faint">{textIn(worklistText.grade, language)}</dt>
          <dd>
            <GradeMark grade={row.quality_grade} language={language} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Symbol with a name for screen readers. */
function MarkFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="whitespace-nowrap">
      <dt className="sr-only">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface FindingLineProps extends Pick<CardProps, "row" | "actions"> {
  isOpen: boolean;
  /** expands or collapses the patient's history */
  onOpen: (isOpen: boolean) => void;
}

/** Last line of a card: history, finding, the user who edits the study, and the report. */
function FindingLine({ row, actions, isOpen, onOpen }: FindingLineProps) {
  useSignals();
  const language = useLanguage(), text = useText(worklistSelectionText);
  const editing = editingText(row, useUser()?.user_id ?? null, language);
  const finding = findingLine(row, language), patient = patientOf(row, language);
  return (
    <div className="flex items-center gap-4">
      {row.history_count > 1 && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => onOpen(!isOpen)}
          className="h-8 -mx-1 px-1 shrink-0 rounded text-[13px] font-medium text-brand-700 hover:underline"
        >
          {text("history")} ({row.history_count}) {isOpen ? "▲" : "▼"}
        </button>
      )}
      {finding !== null && (
        <span className="min-w-0 text-[13px] text-ink whole-words">
          <span className="mr-2 text-ink-faint">
            {textIn(worklistText.finding, language)}
          </span>
          {finding}
        </span>
      )}
      {editing && <span className="min-w-0 text-[13px] text-amber-800 whole-words">{editing}</span>}
      <button
        type="button"
        disabled={!isReadable(row)}
        data-leads-to="report"
        aria-label={textIn(worklistText.openReport, language, { patient })}
        onClick={() => actions.report(row)}
        className="ml-auto h-8 px-3 shrink-0 rounded border border-line-strong bg-white text-[13px] font-medium text-brand-700 hover:bg-brand-50 disabled:opacity-50"
      >
        {textIn(worklistText.report, language)}
      </button>
    </div>
  );
}

/** Keys of a card: open, check, and move to the card above or below. */
function byKey(
  event: KeyboardEvent<HTMLElement>,
  { open, check }: { open: () => void; check: (isRange: boolean) => void },
): void {
  const card = event.currentTarget;
  if (event.target !== card) return;
  const focus = (item: Element | null | undefined) =>
    item?.querySelector<HTMLElement>("[tabindex]")?.focus();
  if (event.key === "Enter") open();
  else if (event.key === " ") check(event.shiftKey);
  else if (event.key === "ArrowDown") focus(card.parentElement?.nextElementSibling);
  else if (event.key === "ArrowUp") focus(card.parentElement?.previousElementSibling);
  else return;
  event.preventDefault();
}

function CardHistory({ row, actions }: Pick<CardProps, "row" | "actions">) {
  const language = useLanguage();
  const { data } = useQuery({
    queryKey: queryKeys.patientHistory(row.pid),
    queryFn: ({ signal }) => getHistory(browserApi, row.pid, signal),
  });
  return (
    <HistoryTable
      rows={data?.history ?? []}
      currentPid={row.pid}
      language={language}
      onOpen={actions.open}
      onReport={actions.report}
    />
  );
}
