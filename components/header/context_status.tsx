// Header icon for context sharing (FHIRcast), and events that were not followed.
import { useSignals } from "@preact/signals-react/runtime";
import { useEffect } from "react";
import type { ContextStep } from "@/model/schema/studies/context.ts";
import { contextText } from "@/model/text/site/context.ts";
import { launchText } from "@/model/text/launch.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import {
  contextNotice,
  type ContextPage,
  contextState,
  openNoticed,
  startContext,
} from "@/client/live/context.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { Button } from "@/components/Button.tsx";

interface ContextStatusProps {
  /** study on the page; `null`: the page shows none */
  pid: number | null;
  /** page (viewer or report) in which studies open */
  page: ContextPage;
  isDark?: boolean;
}

/** Icon with the state of the connection to the hub; empty on a site without a hub. */
export default function ContextStatus({ pid, page, isDark }: ContextStatusProps) {
  useSignals();
  const text = useText(contextText), state = contextState.value;
  useEffect(() => startContext(pid, page), [pid, page]);
  if (state === null || state.state === "off") return null;
  const isAway = state.state === "unreachable" || state.state === "unshared";
  const label = text(state.state, { hub: state.hub });
  const quiet = isDark ? "text-gray-300" : "text-ink-soft";
  return (
    <>
      <span
        role="status"
        title={label}
        data-context={state.state}
        className={`inline-flex shrink-0 ${isAway ? "text-amber-600" : quiet}`}
      >
        <svg
          viewBox="0 0 16 16"
          className="w-5 h-5"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          aria-hidden="true"
        >
          <path d="M6.5 9.5l3-3M7 4.5l1.5-1.5a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5L7.5 13A3.2 3.2 0 0 1 3 8.5L4.5 7" />
          {isAway && <path d="M2 2l12 12" />}
        </svg>
        <span className="sr-only">{label}</span>
      </span>
      <ContextNotice page={page} />
    </>
  );
}

/** Link to the page that lists the studies of an event, or offers to retrieve a missing one. */
function launchPath({ asked }: ContextStep): string {
  const { patient_id, study_uid, accession_number } = asked;
  const isOfStudy = study_uid !== null || accession_number !== null;
  const values = {
    requestType: isOfStudy ? "STUDY" : "PATIENT",
    studyUID: study_uid,
    accessionNumber: accession_number,
    patientID: patient_id,
  };
  const given = Object.entries(values).filter((entry): entry is [string, string] =>
    entry[1] !== null
  );
  return `/IHEInvokeImageDisplay?${new URLSearchParams(given)}`;
}

/** Maximum number of studies in the comparison: hardly more share an accession number. */
const MAX_COLUMNS = 3;
const CELL = "py-1 pr-3 text-left align-top break-words";

/** Table that compares the values of an event with those of the stored studies. */
function Comparison({ step: { asked, studies } }: { step: ContextStep }) {
  const text = useText(launchText), context = useText(contextText), language = useLanguage();
  const columns = studies.slice(0, MAX_COLUMNS);
  const rows: [keyof typeof launchText, string | null, (at: number) => string][] = [
    ["patientId", asked.patient_id, (at) => columns[at]!.patient_id],
    ["name", null, (at) => nameText(columns[at]!.patient_name, language)],
    ["birth", asked.birth_date, (at) => columns[at]!.birth_date ?? ""],
    ["accession", asked.accession_number, (at) => columns[at]!.accession_numbers.join(", ")],
    ["studyUid", asked.study_uid, (at) => columns[at]!.study_uid],
  ];
  return (
    <table className="mt-2 w-full text-sm text-ink">
      <thead>
        <tr className="text-ink-soft">
          <td />
          <th scope="col" className={CELL}>{context("ofOther")}</th>
          {columns.map(({ pid }) => (
            <th key={pid} scope="col" className={CELL}>{context("ofStudy")}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, value, storedOf]) => (
          <tr key={label}>
            <th scope="row" className={`${CELL} font-medium text-ink-soft whitespace-nowrap`}>
              {text(label)}
            </th>
            <td className={`${CELL} tabular [overflow-wrap:anywhere]`}>{value ?? "-"}</td>
            {columns.map(({ pid }, at) => {
              const stored = storedOf(at);
              const differs = value !== null && stored !== value &&
                !stored.split(", ").includes(value);
              return (
                <td
                  key={pid}
                  className={`${CELL} tabular [overflow-wrap:anywhere] ${
                    differs ? "font-semibold text-red-700" : ""
                  }`}
                >
                  {stored || "-"}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Notice about an event of another application that this page has not followed. */
function ContextNotice({ page }: { page: ContextPage }) {
  useSignals();
  const text = useText(contextText), notice = contextNotice.value;
  if (notice === null) return null;
  const { step, isStay } = notice, { action } = step;
  const message = action === "close"
    ? text("stayedClosed")
    : action === "open"
    ? text("stayed")
    : action === "choose"
    ? text("choose", { id: step.asked.patient_id ?? "-", n: step.studies.length })
    : action === "none"
    ? ""
    : text(action);
  return (
    <section
      role="alert"
      aria-label={text("title")}
      className="fixed top-16 right-4 z-40 w-[30rem] max-w-[calc(100vw-2rem)] rounded-md border border-line bg-white p-4 text-left shadow-lg select-text"
    >
      <h2 className="text-sm font-semibold text-ink">{text("title")}</h2>
      <p className="mt-1 text-sm text-ink">{message}</p>
      {action !== "close" && action !== "choose" && <Comparison step={step} />}
      <div className="mt-3 flex justify-end gap-2">
        {isStay && action === "open" && (
          <Button onClick={() => void openNoticed(step, page)}>{text("open")}</Button>
        )}
        {(action === "choose" || action === "absent") && (
          <a
            href={launchPath(step)}
            className="inline-flex h-9 items-center rounded-md border border-line-strong bg-white px-3 text-sm text-ink hover:bg-canvas"
          >
            {text("show")}
          </a>
        )}
        <Button kind="quiet" onClick={() => void (contextNotice.value = null)}>
          {text("dismiss")}
        </Button>
      </div>
    </section>
  );
}
