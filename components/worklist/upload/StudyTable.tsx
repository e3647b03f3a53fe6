import { Fragment, useEffect, useRef, useState } from "react";
import type { ClassifyRules } from "@/model/dicom/classify.ts";
import type { Language } from "@/model/text.ts";
import type { FoundStudy } from "@/model/worklist/upload_study.ts";
import { wrongIn } from "@/model/text/worklist/upload.ts";
import { foresee, type Foreseen, isMinorReason } from "@/model/worklist/upload_verdict.ts";
import { textFor } from "@/components/worklist/upload/amounts.ts";
import {
  HEAD_CELL,
  PagedTable,
  STUDIES_PER_PAGE,
} from "@/components/worklist/upload/PagedTable.tsx";

interface StudyTableProps {
  language: Language;
  studies: readonly FoundStudy[];
  /** Study Instance UIDs that are excluded from the upload */
  excluded: ReadonlySet<string>;
  onExclude: (excluded: ReadonlySet<string>) => void;
  rules: ClassifyRules;
}

/** Text for the expected outcome of a series; empty if its attributes do not suffice. */
function Verdict(
  { language, foreseen: { kind, reason, details } }: { language: Language; foreseen: Foreseen },
) {
  const say = textFor(language);
  if (reason !== null) {
    return (
      <span
        className={`block text-xs ${isMinorReason(reason) ? "text-ink-faint" : "text-amber-800"}`}
        data-foreseen="refused"
      >
        {say("foreseenRefusal", { reason: wrongIn(language, reason, details) })}
      </span>
    );
  }
  return kind && (
    <span className="block text-xs text-emerald-800" data-foreseen={kind}>{say(kind)}</span>
  );
}

/** Studies of a selection with all series, and check boxes that include studies. */
export function StudyTable({ language, studies, excluded, onExclude, rules }: StudyTableProps) {
  const say = textFor(language),
    [wanted, setPage] = useState(0),
    all = useRef<HTMLInputElement>(null);
  const page = Math.min(wanted, Math.ceil(studies.length / STUDIES_PER_PAGE) - 1);
  const included = studies.filter(({ studyUid }) => !excluded.has(studyUid)).length;
  useEffect(() => {
    if (all.current) all.current.indeterminate = included > 0 && included < studies.length;
  }, [included, studies.length]);
  const toggle = (uid: string) => {
    const nextExcluded = new Set(excluded);
    if (!nextExcluded.delete(uid)) nextExcluded.add(uid);
    onExclude(nextExcluded);
  };
  const cell = "px-3 py-1.5 align-top truncate";
  return (
    <PagedTable
      language={language}
      total={studies.length}
      page={page}
      onPage={setPage}
      widths={["w-11", "w-36", "w-44", "", "w-20", "w-56"]}
      head={
        <>
          <th className={HEAD_CELL} scope="col">
            <input
              ref={all}
              type="checkbox"
              className="w-4 h-4 align-middle accent-brand-600"
              aria-label={say("includeAll")}
              checked={included === studies.length}
              onChange={({ currentTarget }) =>
                onExclude(
                  currentTarget.checked ? new Set() : new Set(studies.map((s) => s.studyUid)),
                )}
            />
          </th>
          <th className={HEAD_CELL} scope="col">{say("pid")}</th>
          <th className={HEAD_CELL} scope="col">{say("patientName")}</th>
          <th className={HEAD_CELL} scope="col">{say("folderName")}</th>
          <th className={`${HEAD_CELL} text-right`} scope="col">{say("slices")}</th>
          <th className={HEAD_CELL} scope="col">{say("seriesDescription")}</th>
        </>
      }
    >
      {studies.slice(page * STUDIES_PER_PAGE, (page + 1) * STUDIES_PER_PAGE).map((study) => {
        const { studyUid, patientId, patientName, studyDate, series } = study;
        const isIncluded = !excluded.has(studyUid);
        // names each patient of a study with mixed patients
        const patients = study.patients ?? [{ patientId, patientName }];
        const patientClass = study.patients ? "text-amber-800" : "";
        const name = [patientId || say("noPid"), patientName, studyDate].filter(Boolean).join(" ");
        return (
          <Fragment key={studyUid}>
            {series.map((one, row) => (
              <tr
                key={`${one.seriesUid}/${row}`}
                className={`${row === 0 ? "border-t border-line" : ""} ${
                  isIncluded ? "" : "text-ink-faint"
                }`}
              >
                {row === 0 && (
                  <>
                    <td rowSpan={series.length} className="px-3 py-2 align-top">
                      <input
                        type="checkbox"
                        className="w-4 h-4 align-middle accent-brand-600"
                        aria-label={say("include", { name })}
                        checked={isIncluded}
                        onChange={() => toggle(studyUid)}
                      />
                    </td>
                    <td rowSpan={series.length} className={cell} title={patientId}>
                      {patients.map((patient) => (
                        <span
                          key={patient.patientId}
                          className={`block truncate font-medium ${patientClass}`}
                          title={patient.patientId}
                        >
                          {patient.patientId || say("noPid")}
                        </span>
                      ))}
                      {studyDate && (
                        <span className="block text-xs text-ink-faint tabular">{studyDate}</span>
                      )}
                    </td>
                    <td rowSpan={series.length} className={cell} title={patientName}>
                      {patients.map((patient) => (
                        <span
                          key={patient.patientId}
                          className={`block truncate ${patientClass}`}
                          title={patient.patientName}
                        >
                          {patient.patientName || "-"}
                        </span>
                      ))}
                    </td>
                  </>
                )}
                <td className={cell} title={one.folderName}>{one.folderName || "-"}</td>
                <td className={`${cell} text-right tabular`}>{one.slices}</td>
                <td className="px-3 py-1.5 align-top">
                  <span className="block truncate" title={one.description}>
                    {one.description || "-"}
                  </span>
                  <Verdict language={language} foreseen={foresee(one, study, rules)} />
                </td>
              </tr>
            ))}
          </Fragment>
        );
      })}
    </PagedTable>
  );
}
