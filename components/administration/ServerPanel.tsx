import type { ReactNode } from "react";
import { isErrorCode } from "@/model/errors.ts";
import { storageLevel } from "@/model/site/storage_level.ts";
import type { SiteStatus } from "@/model/schema/site/status.ts";
import { type Language, textIn } from "@/model/text.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { statusText } from "@/model/text/site/status.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";

const GB = 1e9;
const JOB_COLOURS: Record<SiteStatus["jobs"]["list"][number]["status"], string> = {
  queued: "bg-canvas text-ink-soft",
  running: "bg-brand-50 text-brand-700",
  done: "bg-emerald-50 text-emerald-800",
  failed: "bg-red-50 text-red-700",
  canceled: "bg-amber-50 text-amber-800",
};
const CELL = "px-3 py-2 text-left align-top";

/** @param isWide Whether the content may scroll horizontally in a narrow window. */
function Card(
  { title, isWide, children }: { title: string; isWide?: boolean; children: ReactNode },
) {
  return (
    <section
      className="rounded-xl border border-line bg-white p-5"
      aria-label={title}
      tabIndex={isWide ? 0 : undefined}
    >
      <h2 className="mb-3 text-base font-semibold text-ink">{title}</h2>
      {children}
    </section>
  );
}

function Facts({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className="text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="flex gap-3 py-1 border-b border-line last:border-b-0">
          <dt className="w-[46%] shrink-0 text-ink-soft">{name}</dt>
          <dd className="min-w-0 break-words text-ink tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Formats an instant in the site's time zone; `-` if there is none. */
function useMinuteText(): (at: string | null) => string {
  const timeZone = useTimeZone();
  return (at) => at === null ? "-" : minuteIn(timeZone, Date.parse(at));
}

interface PanelProps {
  status: SiteStatus;
  language: Language;
}

const textsIn =
  (language: Language) =>
  (key: keyof typeof statusText, values?: Record<string, string | number>) =>
    textIn(statusText[key], language, values);

/** Panel with storage, versions, workers and jobs of the site. */
export function ServerPanel({ status, language }: PanelProps) {
  const text = textsIn(language), minuteText = useMinuteText();
  const { workers, jobs } = status;
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-3 gap-4">
        <StorageCard status={status} language={language} />
        <Card title={text("versions")}>
          <Facts
            facts={[
              [text("product"), `${status.product} ${status.version}`],
              [
                text("engine"),
                status.engine_version?.replace(/^sulcus-engine /, "") ?? text("noEngine"),
              ],
              [text("runtime"), status.runtime],
              [text("database"), status.database === "sqlite" ? "SQLite" : "PostgreSQL"],
              [text("started"), minuteText(status.started_at)],
            ]}
          />
        </Card>
        <Card title={text("workers")}>
          <Facts
            facts={[
              [text("threads"), String(workers.threads)],
              [text("busy"), String(workers.busy)],
              ...(["queued", "running", "done", "failed", "canceled"] as const).map((state) =>
                [text(state), String(jobs.counts[state] ?? 0)] as const
              ),
            ]}
          />
        </Card>
      </div>
      <Card title={text("jobs")} isWide={jobs.list.length > 0}>
        {jobs.list.length === 0
          ? <p className="text-sm text-ink-soft">{text("noJobs")}</p>
          : <JobTable jobs={jobs.list} language={language} />}
      </Card>
    </div>
  );
}

const LEVELS = {
  error: { colour: "bg-red-50 text-red-700", text: "diskError" },
  warn: { colour: "bg-amber-50 text-amber-800", text: "diskWarn" },
  ok: { colour: "bg-emerald-50 text-emerald-800", text: "diskOk" },
} as const;

/** Disk usage, and the limits for warning and error. */
function StorageCard({ status: { disk }, language }: PanelProps) {
  const text = textsIn(language), level = LEVELS[storageLevel(disk.usage, disk.warn, disk.error)];
  return (
    <Card title={text("storage")}>
      <p className="flex items-center justify-between gap-2">
        <span className="text-xl font-semibold text-ink tabular">
          {text("diskUsed", { percent: disk.usage })}
        </span>
        <span className={`px-2.5 py-1 rounded-full text-[13px] font-medium ${level.colour}`}>
          {text(level.text)}
        </span>
      </p>
      <progress
        className="progress mt-3"
        aria-label={text("storage")}
        max={100}
        value={disk.usage}
      />
      <p className="mt-2 text-sm text-ink tabular">
        {text("diskFree", {
          free: (disk.free_bytes / GB).toFixed(1),
          total: (disk.total_bytes / GB).toFixed(1),
        })}
      </p>
      <p className="mt-1 text-[13px] text-ink-soft">
        {text("diskLimits", { warn: disk.warn, error: disk.error })}
      </p>
    </Card>
  );
}

const JOB_HEADS = ["number", "kind", "study", "state", "since", "until"] as const;

function JobTable({ jobs, language }: { jobs: SiteStatus["jobs"]["list"]; language: Language }) {
  const text = textsIn(language), minuteText = useMinuteText();
  const kindText = (kind: string) => {
    const key = `kind_${kind}`;
    return Object.hasOwn(statusText, key) ? text(key as keyof typeof statusText) : kind;
  };
  return (
    <table className="w-full text-[13px]">
      <thead>
        <tr className="border-b border-line text-ink-soft">
          {JOB_HEADS.map((name) => (
            <th key={name} scope="col" className={`${CELL} font-semibold`}>{text(name)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id} className="border-b border-line last:border-b-0 text-ink">
            <td className={`${CELL} tabular`}>{job.id}</td>
            <td className={CELL}>{kindText(job.kind)}</td>
            <td className={`${CELL} tabular`}>{job.pids.join(", ") || "-"}</td>
            <td className={CELL}>
              <span
                className={`px-2 py-0.5 rounded-full font-medium ${JOB_COLOURS[job.status]}`}
              >
                {text(job.status)}
                {job.status === "running" && ` ${Math.round(job.percent)}\u00a0%`}
              </span>
              {job.error && (
                <span className="block mt-1 text-xs text-ink-soft" title={job.error}>
                  {isErrorCode(job.error) ? messageOf(job.error, {}, language) : job.error}
                </span>
              )}
            </td>
            <td className={`${CELL} tabular`}>{minuteText(job.created_at)}</td>
            <td className={`${CELL} tabular`}>{minuteText(job.finished_at)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
