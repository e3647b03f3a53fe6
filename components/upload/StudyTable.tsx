import { Fragment, useEffect, useRef, useState } from "react";
import type { Language } from "@/model/text.ts";
import type { FoundStudy } from "@/model/upload_study.ts";
import { sayIn } from "@/components/upload/amounts.ts";
import { Pages, STUDIES_PER_PAGE } from "@/components/upload/Pages.tsx";

interface StudyTableProps {
  language: Language;
  studies: readonly FoundStudy[];
  /** Study Instance UIDs that are not to be uploaded */
  excluded: ReadonlySet<string>;
  onExclude: (excluded: ReadonlySet<string>) => void;
}

/** The studies of a selection, each with its series, and which of them are uploaded. */
export function StudyTable({ language, studies, excluded, onExclude }: StudyTableProps) {
  const say = sayIn(language), [wanted, setPage] = useState(0), all = useRef<HTMLInputElement>(null);
  const page = Math.min(wanted, Math.ceil(studies.length / STUDIES_PER_PAGE) - 1);
  const included = studies.filter(({ studyUid }) => !excluded.has(studyUid)).length;
  useEffect(() => {
    if (all.current) all.current.indeterminate = included > 0 && included < studies.length;
  }, [included, studies.length]);
  const toggle = (uid: string) => {
    const next = new Set(excluded);
    if (!next.delete(uid)) next.add(uid);
    onExclude(next);
  };
  const head = "sticky top-0 z-10 bg-canvas px-3 h-9 text-left text-xs font-semibold text-ink-soft";
  const cell = "px-3 py-1.5 align-top truncate";
  return (
    <>
      <div
        className="upload-table rounded-lg border border-line overflow-y-auto"
        tabIndex={0}
        role="group"
        aria-label={say("table")}
      >
        <table className="w-full table-fixed border-collapse text-[13px] text-ink">
          <colgroup>
            <col className="w-11" />
            <col className="w-36" />
            <col className="w-44" />
            <col />
            <col className="w-20" />
            <col className="w-56" />
          </colgroup>
          <thead>
            <tr>
              <th className={head} scope="col">
                <input
                  ref={all}
                  type="checkbox"
                  className="w-4 h-4 align-middle accent-brand-600"
                  aria-label={say("includeAll")}
                  checked={included === studies.length}
                  onChange={({ currentTarget }) =>
                    onExclude(currentTarget.checked ? new Set() : new Set(studies.map((s) => s.studyUid)))}
                />
              </th>
              <th className={head} scope="col">{say("pid")}</th>
              <th className={head} scope="col">{say("patientName")}</th>
              <th className={head} scope="col">{say("folderName")}</th>
              <th className={`${head} text-right`} scope="col">{say("slices")}</th>
              <th className={head} scope="col">{say("seriesDescription")}</th>
            </tr>
          </thead>
          <tbody>
            {studies.slice(page * STUDIES_PER_PAGE, (page + 1) * STUDIES_PER_PAGE).map((study) => {
              const { studyUid, patientId, patientName, studyDate, series } = study;
              const isIncluded = !excluded.has(studyUid);
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
                            <span className="font-medium">{patientId || say("noPid")}</span>
                            {studyDate && (
                              <span className="block text-xs text-ink-faint tabular">{studyDate}</span>
                            )}
                          </td>
                          <td rowSpan={series.length} className={cell} title={patientName}>
                            {patientName || "-"}
                          </td>
                        </>
                      )}
                      <td className={cell} title={one.folderName}>{one.folderName || "-"}</td>
                      <td className={`${cell} text-right tabular`}>{one.slices}</td>
                      <td className={cell} title={one.description}>{one.description || "-"}</td>
                    </tr>
                  ))}
                </Fragment>
              );
            })}
          </tbody>
        </table>
      </div>
      <Pages language={language} total={studies.length} page={page} onPage={setPage} />
    </>
  );
}
