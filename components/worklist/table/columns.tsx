import type { ReactNode } from "react";
import type { DoubtfulField } from "@/model/patient/plausible.ts";
import type { ColumnKey } from "@/model/schema/worklist/list_view.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import type { SortKey } from "@/model/schema/studies/study.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { nameForms } from "@/model/worklist/person_names.ts";
import { analysisDateText, isOrder } from "@/model/worklist/worklist_row.ts";
import { Doubtful } from "@/components/Doubtful.tsx";
import { FindingCell } from "@/components/worklist/table/FindingCell.tsx";
import { LabelTags } from "@/components/worklist/table/LabelTags.tsx";
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
import { OrderedAs, OrderFacts, PlannedDay } from "@/components/worklist/table/order_parts.tsx";
import { RowStatus } from "@/components/worklist/table/RowStatus.tsx";
import { SentMark } from "@/components/worklist/table/SentMark.tsx";
import { SidesCell, type SidesPart } from "@/components/worklist/table/SidesCell.tsx";
import { SeriesIndicator } from "@/components/worklist/table/SeriesIndicator.tsx";

/** Values that the cells of all rows use. */
interface CellContext {
  language: Language;
  timeZone: string;
  /** id of the current user: other users who edit are named */
  userId: number | null;
}

interface Column {
  sort?: SortKey;
  /** additional CSS class names of the column's cells */
  className?: string;
  cell: (row: PatientRow, context: CellContext) => ReactNode;
}

/** Shows a date or an age, with a mark when implausible. */
const doubtful = (field: DoubtfulField): Column["cell"] =>
  function marked(row, { language }) {
    return <Doubtful subject={row} field={field} language={language} />;
  };

/** A column with a hippocampal volume, or the left-right difference. */
const sidesColumn = (shown: SidesPart): Column => ({
  className: "tabular",
  cell: (row, { language }) => <SidesCell row={row} shown={shown} language={language} />,
});

/** Columns of the table; the widths of columns are in static/css/worklist.css. */
export const COLUMNS: Readonly<Record<ColumnKey, Column>> = {
  number: {
    sort: "pid",
    className: "tabular text-ink-soft",
    cell: (row) => isOrder(row) ? "-" : row.pid,
  },
  name: {
    sort: "patient_name",
    className: "font-medium text-ink",
    cell: (row, context) => <NameCell row={row} context={context} />,
  },
  patientId: {
    sort: "patient_id",
    className: "tabular whole-words patient-id",
    cell: (row, context) => (
      <>
        <bdi>{row.patient_id}</bdi>
        <HospitalMark row={row} {...context} />
        <AccessionMark row={row} language={context.language} />
      </>
    ),
  },
  status: { sort: "attention", cell: (row) => <RowStatus row={row} id={`row${row.pid}`} /> },
  sex: {
    sort: "patient_sex",
    cell: ({ patient_sex }) => patient_sex === null ? "-" : patient_sex === "male" ? "M" : "F",
  },
  age: {
    sort: "patient_age",
    className: "tabular whitespace-nowrap",
    cell: doubtful("patient_age"),
  },
  birth: {
    sort: "patient_birthdate",
    className: "tabular whitespace-nowrap",
    cell: doubtful("patient_birthdate"),
  },
  study: {
    sort: "study_date",
    className: "tabular whitespace-nowrap",
    cell: (row, { language }) => (
      <>
        {isOrder(row)
          ? <PlannedDay row={row} language={language} />
          : <Doubtful subject={row} field="study_date" language={language} />}
        {!isOrder(row) && <OrderedAs row={row} language={language} />}
        {row.history_count > 1 && (
          <div
            className="prior-mark text-[11px] leading-tight text-ink-soft"
            title={textIn(worklistText.priorsHint, language)}
          >
            {textIn(worklistText.priors, language, { n: row.history_count })}
          </div>
        )}
      </>
    ),
  },
  series: { cell: (row, { language }) => <SeriesIndicator row={row} language={language} /> },
  analysis: {
    sort: "analysis_date",
    className: "tabular whitespace-nowrap",
    cell: (row, { language, timeZone }) => (
      <>
        {analysisDateText(row, timeZone)}
        <ReportedMark row={row} language={language} className="block text-[11px] leading-tight" />
        {row.signed && (
          <div className="text-[11px] leading-tight whitespace-normal">
            <SignedMark row={row} language={language} />
          </div>
        )}
        <SentMark row={row} language={language} />
      </>
    ),
  },
  grade: {
    sort: "quality_grade",
    className: "tabular",
    cell: ({ quality_grade }, { language }) => (
      <GradeMark
        grade={quality_grade ?? null}
        language={language}
      />
    ),
  },
  finding: {
    sort: "finding",
    cell: (row, { language }) =>
      isOrder(row)
        ? <OrderFacts row={row} language={language} />
        : <FindingCell row={row} language={language} />,
  },
  hippocampusLeft: sidesColumn("left"),
  hippocampusRight: sidesColumn("right"),
  hippocampusAsymmetry: sidesColumn("asymmetry"),
  labels: { sort: "label_list", cell: ({ label_list }) => <LabelTags labels={label_list} /> },
};

/**
 * Shows the complete name. While a user edits the study, the line with other forms of the
 * patient's name shows that user instead, so that the row keeps its height.
 */
function NameCell(
  { row, context: { language, userId } }: { row: PatientRow; context: CellContext },
) {
  const [first, ...others] = nameForms(row.patient_name, language);
  const editing = editingText(row, userId, language);
  return (
    <>
      <div
        className={`whole-words ${row.is_unread ? "font-bold" : ""}`}
        title={editing === null ? undefined : others.join(" / ")}
      >
        <UnreadMark row={row} language={language} />
        {first ? <bdi>{first}</bdi> : <NamelessMark row={row} language={language} />}
      </div>
      {editing === null && others.length > 0 && (
        <div className="whole-words text-xs font-normal text-ink-soft">
          <bdi>{others.join(" / ")}</bdi>
        </div>
      )}
      {editing && <div className="editing-notice font-normal text-amber-800">{editing}</div>}
    </>
  );
}
