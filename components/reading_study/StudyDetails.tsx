// Design, progress and results of one reading study, for administrators.
import { type ReactNode, useEffect, useState } from "react";
import type { ReadingStudyDetails } from "@/model/schema/reading/reading_studies.ts";
import { asAppError } from "@/model/errors.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { readingStudyText } from "@/model/text/settings/reading_study.ts";
import {
  getReadingStudy,
  readingExportPath,
  removeReadingStudy,
} from "@/client/api/reading/reading_studies.ts";
import { browserApi } from "@/client/browser_api.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { StatisticsTables } from "@/components/reading_study/ResultTables.tsx";
import { Button } from "@/components/Button.tsx";
import { LoadState } from "@/components/message/LoadState.tsx";
import { useAction } from "@/components/use_action.ts";

const LINK = "text-brand-700 underline text-[13px]", CELL = "px-2 py-1 text-left align-top";

export function StudyDetails({ id }: { id: number }) {
  const text = useText(readingStudyText), language = useLanguage();
  const [data, setData] = useState<ReadingStudyDetails | null>(null),
    [error, setError] = useState<unknown>(null);
  const load = async () => {
    setError(null);
    await getReadingStudy(browserApi, id).then(setData, setError);
  };
  useEffect(() => void load(), []);
  const { isBusy, act } = useAction();
  const remove = async (title: string) => {
    if (!await confirmInModal("reading_study.remove", { title })) return;
    await act(async () => {
      await removeReadingStudy(browserApi, id);
      location.hash = "";
    });
  };
  const isBlinded = error !== null && asAppError(error).code === "reading_study.blinded";
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-4">
        <a href="#" className={`flex-1 ${LINK}`}>{text("back")}</a>
        {data && (
          <>
            <a href={readingExportPath(id, "csv")} download className={LINK}>{text("exportCsv")}</a>
            <a href={readingExportPath(id, "json")} download className={LINK}>
              {text("exportJson")}
            </a>
            {data.is_removable && (
              <Button
                size="small"
                disabled={isBusy}
                onClick={() => void remove(data.title)}
              >
                {text("remove")}
              </Button>
            )}
          </>
        )}
      </div>
      {isBlinded
        ? <p role="alert">{messageOf("reading_study.blinded", {}, language)}</p>
        : !data
        ? <LoadState title={text("failedToLoad")} error={error} onRetry={() => void load()} />
        : <Details details={data} />}
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-1 font-semibold text-ink">{title}</h2>
      {children}
    </section>
  );
}

/** Results without readings of cases that the reader had seen before, or that had changed. */
function UnaffectedResults(
  { unaffected }: { unaffected: NonNullable<ReadingStudyDetails["unaffected"]> },
) {
  const text = useText(readingStudyText);
  return (
    <section>
      <h3 className="mb-1 font-semibold text-ink">
        {text("unaffected", { n: unaffected.left_out })}
      </h3>
      <StatisticsTables statistics={unaffected.statistics} />
    </section>
  );
}

function Details({ details }: { details: ReadingStudyDetails }) {
  const text = useText(readingStudyText), timeZone = useTimeZone();
  const { arms, statistics, unaffected, readers } = details;
  const minute = (at: string) => minuteIn(timeZone, Date.parse(at));
  const done = readers.reduce((sum, reader) => sum + reader.done, 0);
  const total = readers.reduce((sum, reader) => sum + reader.total, 0);
  const changed = details.cases.filter(({ has_changed }) => has_changed).length;
  const armText = arms.length === 2 ? "bothArms" : arms[0] === "with" ? "onlyWith" : "onlyWithout";
  return (
    <article className="flex flex-col gap-4 rounded-md border border-line bg-white px-6 py-5 text-[13px]">
      <header>
        <h1 className="text-lg font-semibold text-ink">{details.title}</h1>
        <p>{details.question}</p>
        <p className="text-ink-soft">
          {text("designLine", {
            arms: text(armText),
            days: details.washout_days,
            seed: details.seed,
            date: minute(details.created_at),
            user: details.created_by ?? "–",
          })}
        </p>
      </header>
      <Part title={text("progress")}>
        <ul>
          {readers.map(({ number, user, known_cases, done, total, opens_at }) => (
            <li key={number}>
              {`${text("reader", { n: number })} (${user ?? "–"}): ${done} / ${total}`}
              {opens_at && ` · ${text("opensAt", { date: minute(opens_at) })}`}
              {known_cases > 0 && ` · ${text("knownCases", { n: known_cases })}`}
            </li>
          ))}
        </ul>
        {readers.some(({ known_cases }) => known_cases > 0) && (
          <p className="mt-1 text-ink-soft">{text("knownHint")}</p>
        )}
      </Part>
      <Part title={text("results")}>
        {done < total && <p className="mb-2">{text("interim", { done, total })}</p>}
        {changed > 0 && <p className="mb-2">{text("changedCases", { n: changed })}</p>}
        <StatisticsTables statistics={statistics} />
        {unaffected && <UnaffectedResults unaffected={unaffected} />}
        <p className="mt-1 text-ink-soft">{text("methods")}</p>
      </Part>
      <Part title={text("cases")}>
        <table className="border border-line">
          <thead>
            <tr className="text-ink-soft">
              <th className={CELL}>{text("caseNumber")}</th>
              <th className={CELL}>{text("studyNumber")}</th>
              <th className={CELL}>{text("reference")}</th>
            </tr>
          </thead>
          <tbody>
            {details.cases.map(({ number, pid, reference, is_available, has_changed }) => (
              <tr key={number} className="border-t border-line">
                <td className={CELL}>
                  {has_changed ? `${number} (${text("changed")})` : number}
                </td>
                <td className={CELL}>{is_available ? pid : `${pid} (${text("missing")})`}</td>
                <td className={CELL}>
                  {text(
                    reference === null
                      ? "referenceUnknown"
                      : reference
                      ? "referencePositive"
                      : "referenceNegative",
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Part>
    </article>
  );
}
