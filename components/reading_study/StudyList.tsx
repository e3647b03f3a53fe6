// List of the caller's reading studies, and the form for a new reading study.
import { useEffect, useState } from "react";
import type {
  ReadingStudyEntry,
  ReadingStudyList,
} from "@/model/schema/reading/reading_studies.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { readingStudyText } from "@/model/text/settings/reading_study.ts";
import { getReadingStudies } from "@/client/api/reading/reading_studies.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { useMay } from "@/client/page/user.ts";
import { NewStudy } from "@/components/reading_study/NewStudy.tsx";
import { LoadState } from "@/components/message/LoadState.tsx";

const LINK = "shrink-0 text-brand-700 underline text-[13px]";

export function StudyList() {
  const text = useText(readingStudyText), mayBegin = useMay("administer");
  const [data, setData] = useState<ReadingStudyList | null>(null),
    [error, setError] = useState<unknown>(null);
  const load = () => {
    setError(null);
    getReadingStudies(browserApi).then(setData, setError);
  };
  useEffect(load, []);
  return (
    <>
      <h1 className="text-xl font-semibold text-ink">{text("title")}</h1>
      <p className="mt-1 mb-4 text-[13px] text-ink-soft">{text("intro")}</p>
      {!data ? <LoadState title={text("failedToLoad")} error={error} onRetry={load} /> : (
        <>
          {data.studies.length === 0 && (
            <p className="text-[13px]">{text(mayBegin ? "none" : "noneMine")}</p>
          )}
          <ul className="flex flex-col gap-2">
            {data.studies.map((study) => <Entry key={study.id} study={study} />)}
          </ul>
          {mayBegin && <NewStudy />}
        </>
      )}
    </>
  );
}

function Entry({ study }: { study: ReadingStudyEntry }) {
  const text = useText(readingStudyText), timeZone = useTimeZone();
  const { id, title, cases, readers, mine, all } = study;
  const opensAt = mine?.opens_at;
  return (
    <li className="flex items-start gap-4 rounded-md border border-line bg-white px-3 py-2">
      <div className="flex-1 min-w-0 text-[13px]">
        <p className="font-medium text-ink">{title}</p>
        <p>{text("summary", { cases, readers })}</p>
        {mine && <p>{text("mine", { done: mine.done, total: mine.total })}</p>}
        {opensAt && <p>{text("opensAt", { date: minuteIn(timeZone, Date.parse(opensAt)) })}</p>}
        {all && <p>{text("all", { done: all.done, total: all.total })}</p>}
      </div>
      {mine && (mine.done === mine.total
        ? <span className="text-[13px] text-ink-soft">{text("finished")}</span>
        : !opensAt && <a href={`/reading/${id}`} className={LINK}>{text("read")}</a>)}
      {all && <a href={`#study-${id}`} className={LINK}>{text("results")}</a>}
    </li>
  );
}
