import type { ReactNode } from "react";
import { storageLevel } from "@/model/site/storage_level.ts";
import type { SiteStatus } from "@/model/schema/site/status.ts";
import { type Language, textIn } from "@/model/text.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { statusText } from "@/model/text/site/status.ts";
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

/** @param isWide The content may scroll horizontally in a narrow window, also by keyboard. */
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

/** Storage, versions, workers and jobs of the site. */
export function ServerPanel({ status, language }: { status: SiteStatus; language: Language }) {
  const say = (key: keyof typeof statusText, values?: Record<string, string | number>) =>
    textIn(statusText[key], language, values);
  const { disk, workers, jobs } = status, timeZone = useTimeZone();
  /** Formats an instant for this page. */
  const formatTime = (at: string | null): string =>
    at === null ? "-" : minuteIn(timeZone, Date.parse(at));
  const level = storageLevel(disk.usage, disk.warn, disk.error);
  const colour = {
    error: "bg-red-50 text-red-700",
    warn: "bg-amber-50 text-amber-800",
    ok: "bg-emerald-50 text-emerald-800",
  };
  const word = { error: "diskError", warn: "diskWarn", ok: "diskOk" } as const;
  const kindOf = (kind: string) => {
    const key = `kind_${kind}`;
    return Object.hasOwn(statusText, key) ? say(key as keyof typeof statusText) : kind;
  };
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-3 gap-4">
        <Card title={say("storage")}>
          <p className="flex items-center justify-between gap-2">
            <span className="text-xl font-semibold text-ink tabular">
              {say("diskUsed", { percent: disk.usage })}
            </span>
            <span className={`px-2.5 py-1 rounded-full text-[13px] font-medium ${colour[level]}`}>
              {say(word[level])}
            </span>
          </p>
          <progress
            className="progress mt-3"
            aria-label={say("storage")}
            max={100}
            value={disk.usage}
          />
          <p className="mt-2 text-sm text-ink tabular">
            {say("diskFree", {
              free: (disk.free_bytes / GB).toFixed(1),
              total: (disk.total_bytes / GB).toFixed(1),
            })}
          </p>
          <p className="mt-1 text-[13px] text-ink-soft">
            {say("diskLimits", { warn: disk.warn, error: disk.error })}
          </p>
        </Card>
        <Card title={say("versions")}>
          <Facts
            facts={[
              [say("product"), `${status.product} ${status.version}`],
              [
                say("engine"),
                status.engine_version?.replace(/^sulcus-engine /, "") ?? say("noEngine"),
              ],
              [say("runtime"), status.runtime],
              [say("database"), status.database === "sqlite" ? "SQLite" : "PostgreSQL"],
              [say("started"), formatTime(status.started_at)],
            ]}
          />
        </Card>
        <Card title={say("workers")}>
          <Facts
            facts={[
              [say("threads"), String(workers.threads)],
              [say("busy"), String(workers.busy)],
              ...(["queued", "running", "done", "failed", "canceled"] as const).map((state) =>
                [say(state), String(jobs.counts[state] ?? 0)] as const
              ),
            ]}
          />
        </Card>
      </div>
      <Card title={say("jobs")} isWide={jobs.list.length > 0}>
        {jobs.list.length === 0
          ? <p className="text-sm text-ink-soft">{say("noJobs")}</p>
          : (
            <table className="w-full text-[13px]">
              <thead>
                <tr className="border-b border-line text-ink-soft">
                  {(["number", "kind", "study", "state", "since", "until"] as const).map((name) => (
                    <th key={name} scope="col" className={`${CELL} font-semibold`}>{say(name)}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {jobs.list.map((job) => (
                  <tr key={job.id} className="border-b border-line last:border-b-0 text-ink">
                    <td className={`${CELL} tabular`}>{job.id}</td>
                    <td className={CELL}>{kindOf(job.kind)}</td>
                    <td className={`${CELL} tabular`}>{job.pids.join(", ") || "-"}</td>
                    <td className={CELL}>
                      <span
                        className={`px-2 py-0.5 rounded-full font-medium ${
                          JOB_COLOURS[job.status]
                        }`}
                      >
                        {say(job.status)}
                        {job.status === "running" && ` ${Math.round(job.percent)}\u00a0%`}
                      </span>
                      {job.error && <code className="ml-2 text-xs text-ink-soft">{job.error}</code>}
                    </td>
                    <td className={`${CELL} tabular`}>{formatTime(job.created_at)}</td>
                    <td className={`${CELL} tabular`}>{formatTime(job.finished_at)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
      </Card>
    </div>
  );
}
