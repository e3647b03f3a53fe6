// The audit log: search, export and verification; loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { AppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { startOfDay } from "@/model/time/site_time.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { statusText } from "@/model/text/site/status.ts";
import {
  type AuditChoice,
  auditExportPath,
  getAudit,
  verifyAudit,
} from "@/client/api/site/audit.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useToday } from "@/client/page/time_zone.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { withQueries } from "@/components/page/with_queries.tsx";
import { DayBox } from "@/components/day/DayBox.tsx";
import { Button } from "@/components/Button.tsx";
import { LoadFailure } from "@/components/message/LoadFailure.tsx";
import { INPUT } from "@/components/fields.tsx";
import { AuditTable } from "@/components/administration/AuditTable.tsx";
import { Pagination } from "@/components/Pagination.tsx";

const PAGE_SIZES = [20, 50, 100] as const;
const EMPTY = { search: "", from: "", to: "", pid: "" };

const instantOf = (day: string, timeZone: string) =>
  /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(startOfDay(timeZone, day)).toISOString() : undefined;

/** Converts the search form to a query; dates in the site's time zone; empty fields are omitted. */
const choiceOf = ({ search, from, to, pid }: typeof EMPTY, timeZone: string): AuditChoice => ({
  search: search.trim() || undefined,
  from: instantOf(from, timeZone),
  to: instantOf(to, timeZone),
  pid: /^[1-9]\d{0,14}$/.test(pid) ? Number(pid) : undefined,
});

/** State of the audit log panel: search criteria, page and entries. */
function useAuditPage() {
  const timeZone = useTimeZone();
  const [form, setForm] = useState(EMPTY), [asked, setAsked] = useState<AuditChoice>({});
  const [page, setPage] = useState(1), [size, setSize] = useState<number>(PAGE_SIZES[0]);
  const query = { ...asked, page, per_page: size };
  const { data, error, refetch } = useQuery({
    queryKey: [...queryKeys.audit, query],
    queryFn: ({ signal }) => getAudit(browserApi, query, signal),
    placeholderData: (before) => before,
  });
  return {
    form,
    change: (part: Partial<typeof EMPTY>) => setForm((now) => ({ ...now, ...part })),
    asked,
    /** Searches the log and shows the first page. */
    search(next: typeof EMPTY) {
      setForm(next);
      setAsked(choiceOf(next, timeZone));
      setPage(1);
    },
    page,
    setPage,
    size,
    setSize(next: number) {
      setSize(next);
      setPage(1);
    },
    data,
    error,
    refetch,
  };
}

function AuditLog() {
  const log = useAuditPage();
  return (
    <div className="flex flex-col gap-3">
      <AuditSearch form={log.form} onChange={log.change} onSearch={log.search} />
      <Verification choice={log.asked} />
      <AuditEntries log={log} />
    </div>
  );
}

interface AuditSearchProps {
  form: typeof EMPTY;
  onChange: (part: Partial<typeof EMPTY>) => void;
  onSearch: (form: typeof EMPTY) => void;
}

function AuditSearch({ form, onChange, onSearch }: AuditSearchProps) {
  const text = useText(statusText), timeZone = useTimeZone();
  const language = useLanguage(), today = useToday();
  const field = (name: keyof typeof EMPTY, label: string, type: string, width: string) => (
    <label className="flex flex-col gap-1 text-[13px] font-medium text-ink-soft">
      {label}
      <input
        type={type}
        value={form[name]}
        inputMode={name === "pid" ? "numeric" : undefined}
        onChange={(event) => onChange({ [name]: event.currentTarget.value })}
        className={`${INPUT} ${width}`}
      />
    </label>
  );
  const day = (name: "from" | "to", label: string) => (
    <div className="flex flex-col gap-1 text-[13px] font-medium text-ink-soft">
      <span aria-hidden="true">{label}</span>
      <DayBox
        value={form[name]}
        today={today}
        name={label}
        language={language}
        className={INPUT}
        width="w-[150px]"
        onChange={(value) => onChange({ [name]: value })}
      />
    </div>
  );
  return (
    <form
      role="search"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        onSearch(form);
      }}
      className="flex items-end gap-3"
    >
      {field("search", text("search"), "search", "w-[300px]")}
      {day("from", text("from", { zone: timeZone }))}
      {day("to", text("to", { zone: timeZone }))}
      {field("pid", text("studyNumber"), "text", "w-[96px]")}
      <Button kind="primary" type="submit" className="h-9">{text("apply")}</Button>
      <Button kind="quiet" className="h-9" onClick={() => onSearch(EMPTY)}>{text("clear")}</Button>
    </form>
  );
}

/** Buttons that verify the whole log, and export the entries of the current search. */
function Verification({ choice }: { choice: AuditChoice }) {
  const text = useText(statusText), language = useLanguage();
  const [isVerifying, setVerifying] = useState(false),
    [verdict, setVerdict] = useState<string | null>(null);
  const verify = async () => {
    setVerifying(true);
    setVerdict(null);
    try {
      const { broken, count, hash, proven, isAnchored } = await verifyAudit(browserApi);
      setVerdict(
        broken !== null
          ? text("broken", { number: broken, proven })
          : isAnchored
          ? text("whole", { count: count.toLocaleString("en"), hash, proven })
          : text("notAnchored", { proven }),
      );
    } catch (problem) {
      presentError(problem);
    } finally {
      setVerifying(false);
    }
  };
  return (
    <div className="flex items-center gap-3 min-h-[40px]">
      <Button disabled={isVerifying} onClick={() => void verify()}>
        {text(isVerifying ? "verifying" : "verify")}
      </Button>
      <a
        href={auditExportPath(choice, language)}
        download
        className="inline-flex h-10 items-center rounded-md border border-line-strong bg-white px-4 text-sm font-medium text-ink hover:bg-canvas"
      >
        {text("exportCsv")}
      </a>
      <p role="status" className="min-w-0 text-[13px] text-ink break-all">{verdict}</p>
    </div>
  );
}

/** A page of audit entries, or the reason why loading failed. */
function AuditEntries({ log }: { log: ReturnType<typeof useAuditPage> }) {
  const { data, error } = log;
  const language = useLanguage(), text = useText(statusText), common = useText(commonText);
  return (
    <section
      className="rounded-xl border border-line bg-white overflow-hidden"
      aria-busy={!data && !error}
    >
      {error && !data
        ? (
          <LoadFailure
            title={text("failedToLoad")}
            reason={messageOf(error instanceof AppError ? error.code : "internal", {}, language)}
            retryLabel={common("retry")}
            onRetry={() => void log.refetch()}
          />
        )
        : data && (
          <>
            <AuditTable entries={data.entries} language={language} />
            <Pagination
              language={language}
              page={log.page}
              pageSize={log.size}
              pageSizes={PAGE_SIZES}
              total={data.total}
              onPage={log.setPage}
              onStep={(pages) => log.setPage((now) => now + pages)}
              onPageSize={log.setSize}
            />
          </>
        )}
    </section>
  );
}

export default withQueries(AuditLog);
