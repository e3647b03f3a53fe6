// Log of credits and monthly sums; loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { isDay } from "@/model/time/day.ts";
import { isCounted } from "@/model/site/license.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { creditsText } from "@/model/text/account/credits.ts";
import { getCreditLog, getCreditMonths, getLicense } from "@/client/api/site/license.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useToday } from "@/client/page/time_zone.ts";
import { LoadState } from "@/components/message/LoadState.tsx";
import { withQueries } from "@/components/page/with_queries.tsx";
import { DayBox } from "@/components/day/DayBox.tsx";
import { INPUT } from "@/components/fields.tsx";
import { CreditLogTable, CreditMonthTable } from "@/components/licence/CreditTables.tsx";
import { Pagination } from "@/components/Pagination.tsx";

const PAGE_SIZES = [10, 20, 50] as const;
const KINDS = { all: undefined, used: false, rolledBack: true } as const;

interface Choice {
  from: string;
  to: string;
  kind: keyof typeof KINDS;
  order: "desc" | "asc";
  page: number;
  size: number;
}
const FIRST: Choice = { from: "", to: "", kind: "all", order: "desc", page: 1, size: 10 };

/** Log of credits with all parameters of D1 §7: dates, rollbacks, order, page; monthly sums. */
function CreditLogView() {
  const language = useLanguage(), today = useToday(), text = useText(creditsText);
  const [choice, setChoice] = useState(FIRST);
  const { from, to, kind, order, page, size } = choice;
  const days = { start_date_by: from || undefined, end_date_by: to || undefined };
  const query = { ...days, is_rollback: KINDS[kind], sort_by: order, page, per_page: size };
  const license = useQuery({
    queryKey: queryKeys.license,
    queryFn: ({ signal }) => getLicense(browserApi, signal),
  });
  const log = useQuery({
    queryKey: [...queryKeys.license, "log", query],
    queryFn: ({ signal }) => getCreditLog(browserApi, query, signal),
    placeholderData: (before) => before,
  });
  const months = useQuery({
    queryKey: [...queryKeys.license, "months", days],
    queryFn: ({ signal }) => getCreditMonths(browserApi, days, signal),
    placeholderData: (before) => before,
  });
  const choose = (change: Partial<Choice>) => setChoice({ ...choice, page: 1, ...change });
  const field = (label: string, control: ReactNode) => (
    <label className="flex flex-col gap-1 text-[13px] font-medium text-ink-soft">
      {label}
      {control}
    </label>
  );
  const day = (end: "from" | "to") => (
    <div className="flex flex-col gap-1 text-[13px] font-medium text-ink-soft">
      {text(end)}
      <DayBox
        value={choice[end]}
        today={today}
        name={text(end)}
        language={language}
        className={INPUT}
        width="w-[154px]"
        onChange={(day) => choose({ [end]: isDay(day) ? day : "" })}
      />
    </div>
  );
  const select = <T extends string>(value: T, names: readonly T[], onChoose: (name: T) => void) => (
    <select
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value as T)}
      className={INPUT}
    >
      {names.map((name) => (
        <option key={name} value={name}>{text(name as keyof typeof creditsText)}</option>
      ))}
    </select>
  );
  const error = log.error ?? months.error;
  if (error) {
    const reload = () => Promise.all([log.refetch(), months.refetch()]);
    return <LoadState title={text("failedToLoad")} error={error} onRetry={reload} />;
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-end gap-3">
        {day("from")}
        {day("to")}
        {field(
          text("kind"),
          select(kind, ["all", "used", "rolledBack"], (kind) => choose({ kind })),
        )}
        {field(text("order"), select(order, ["desc", "asc"], (order) => choose({ order })))}
      </div>
      {license.data && !isCounted(license.data.limit) && (
        <p className="rounded-xl border border-line bg-white px-3 py-2.5 text-sm text-ink-soft">
          {text("notCounted")}
        </p>
      )}
      <div
        className="grid grid-cols-[minmax(0,1fr)_260px] gap-4 items-start"
        aria-busy={log.isPending}
      >
        <section className="rounded-xl border border-line bg-white overflow-hidden">
          <h2 className="px-3 py-2.5 font-semibold text-ink">{text("log")}</h2>
          {log.data &&
            (log.data.total === 0
              ? <p className="px-3 pb-6 text-sm text-ink-soft">{text("noEntries")}</p>
              : (
                <>
                  <CreditLogTable logs={log.data.logs} language={language} />
                  <Pagination
                    language={language}
                    page={page}
                    pageSize={size}
                    pageSizes={PAGE_SIZES}
                    total={log.data.total}
                    onPage={(page) => choose({ page })}
                    onStep={(pages) => setChoice((now) => ({ ...now, page: now.page + pages }))}
                    onPageSize={(size) => choose({ size })}
                  />
                </>
              ))}
        </section>
        <section className="rounded-xl border border-line bg-white overflow-hidden">
          <h2 className="px-3 py-2.5 font-semibold text-ink">{text("months")}</h2>
          {months.data && (months.data.months.length === 0
            ? <p className="px-3 pb-6 text-sm text-ink-soft">{text("noneUsed")}</p>
            : <CreditMonthTable months={months.data.months} language={language} />)}
        </section>
      </div>
    </div>
  );
}

export default withQueries(CreditLogView);
