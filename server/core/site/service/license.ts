import { AppError } from "@/model/errors.ts";
import { isCounted, licenseStateOn } from "@/model/site/license.ts";
import { dayIn } from "@/model/time/site_time.ts";
import {
  type CreditLog,
  type CreditLogMonth,
  type CreditLogQuery,
  type CreditMonthQuery,
  type LicenseInfo,
} from "@/model/schema/site/license.ts";
import { certType } from "@/model/schema/studies/study.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  changeCredits,
  findOpenUse,
  insertCredit,
  listCredits,
  readLicense,
  type StoredLicense,
  sumCreditsByMonth,
} from "@/server/core/site/storage/license.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/**
 * Interval at which changes of the licence are detected: changes by another process
 * (`deno task admin`), or by the end of a day.
 */
const WATCH_INTERVAL_MS = 2_000;

let timeZoneOfProcess: string | undefined;

/** Time zone of the site: that of this process (`TZ`), read once. */
export const siteTimeZone = (): string =>
  timeZoneOfProcess ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;

function infoOf(license: StoredLicense, nowMs: number, timeZone: string): Required<LicenseInfo> {
  const cert = certType.safeParse(license.certType);
  const info = {
    limit: license.limits,
    total_remain_credit: isCounted(license.limits) ? license.credits : null,
    expire_date: license.expireDate,
    start_date: license.startDate,
    cert_type: cert.success ? cert.data : "DEMO" as const,
  };
  return { ...info, state: licenseStateOn(info, dayIn(timeZone, nowMs)) };
}

/** Permissions that the site's licence gives today. */
export const getLicense = async (
  db: Database,
  nowMs = Date.now(),
  timeZone = siteTimeZone(),
): Promise<Required<LicenseInfo>> => infoOf(await readLicense(db), nowMs, timeZone);

/**
 * Checks that the licence is valid today. @throws {AppError} `license.expired`,
 * `license.not_started`.
 */
export async function checkLicense(
  db: Database,
  nowMs = Date.now(),
): Promise<Required<LicenseInfo>> {
  const license = await getLicense(db, nowMs), { cert_type } = license;
  if (license.state === "expired") {
    const expire_date = license.expire_date ?? "";
    throw new AppError("license.expired", "Cannot go on: the licence is over", {
      expire_date,
      cert_type,
    });
  }
  if (license.state === "not_started") {
    const date = license.start_date ?? "";
    throw new AppError("license.not_started", "Cannot go on: the licence begins later", {
      date,
      cert_type,
    });
  }
  return license;
}

/**
 * Checks that a credit remains for one more analysis.
 * @throws {AppError} as {@link checkLicense}, `credit.none`.
 */
export async function checkCredit(db: Database): Promise<void> {
  const { state } = await checkLicense(db);
  if (state === "no_credit") throw noCredit();
}

const noCredit = () => new AppError("credit.none", "Cannot analyse: no credits are left");

/**
 * Charges a credit for the analysis of a study, in the transaction that queues the analysis.
 * Does nothing if credits are not counted.
 *
 * @param run.analysisId First analysis of the run; all series of a run cost one credit together.
 * @throws {AppError} `credit.none`, and as {@link checkLicense}.
 */
export async function spendCredit(
  tx: Database,
  run: { analysisId: number; pid: number; userId: number | null },
  nowMs = Date.now(),
): Promise<void> {
  const { limit } = await checkLicense(tx, nowMs);
  if (!isCounted(limit)) return;
  const balance = await changeCredits(tx, -1);
  if (balance === null) throw noCredit();
  await insertCredit(tx, {
    ...instant(nowMs),
    kind: "use",
    amount: -1,
    balance,
    pid: run.pid,
    user_id: run.userId,
    analysis_id: run.analysisId,
  });
}

/** Refunds the credit of analyses, only once; does nothing for analyses that cost none. */
export async function returnCredit(
  tx: Database,
  analysisIds: readonly number[],
  nowMs = Date.now(),
): Promise<void> {
  const use = await findOpenUse(tx, analysisIds);
  if (!use) return;
  const balance = await changeCredits(tx, -use.amount);
  const { pid, user_id, analysis_id } = use;
  await insertCredit(tx, {
    ...instant(nowMs),
    kind: "rollback",
    amount: -use.amount,
    balance: balance ?? 0,
    pid,
    user_id,
    analysis_id,
  });
}

/** Time of an event, and its date in the site's time zone. */
export const instant = (nowMs: number): { created_at: string; local_date: string } => ({
  created_at: new Date(nowMs).toISOString(),
  local_date: dayIn(siteTimeZone(), nowMs),
});

/** Notifies all pages to reload the number of credits, if credits are counted. */
export async function publishCredits({ db, publish }: ServiceContext): Promise<void> {
  if (isCounted((await readLicense(db)).limits)) publish({ event: "credit_update" });
}

/** One page of the log of credits. */
export async function getCreditLog(
  { db }: ServiceContext,
  query: CreditLogQuery,
): Promise<CreditLog> {
  const { page, per_page } = query;
  const { credits, total } = await listCredits(db, {
    direction: query.sort_by,
    isRollback: query.is_rollback,
    from: query.start_date_by,
    to: query.end_date_by,
    page,
    perPage: per_page,
  });
  const logs = credits.map(({ id, created_at, amount, balance, kind, pid }) => ({
    id,
    created_at,
    amount,
    balance,
    is_rollback: kind === "rollback",
    ...(pid === null ? {} : { pid }),
  }));
  return { logs, total, page, per_page };
}

/** Credits used and refunded, by month. */
export async function getCreditMonths(
  { db }: ServiceContext,
  query: CreditMonthQuery,
): Promise<CreditLogMonth> {
  const months = new Map<string, CreditLogMonth["months"][number]>();
  for (
    const { month, kind, amount } of await sumCreditsByMonth(db, {
      from: query.start_date_by,
      to: query.end_date_by,
    })
  ) {
    const sums = months.get(month) ?? { month, used: 0, rolled_back: 0 };
    if (kind === "use") sums.used -= amount;
    else if (kind === "rollback") sums.rolled_back += amount;
    months.set(month, sums);
  }
  return {
    months: [...months.values()].filter(({ used, rolled_back }) => used > 0 || rolled_back > 0),
  };
}

/**
 * Notifies all pages when the licence changes without a call to this process:
 * credits added by the operator, an imported licence, midnight of the last day.
 * @returns a function that stops the watch.
 */
export function watchLicense(
  { db, publish, log }: ServiceContext,
  everyMs = WATCH_INTERVAL_MS,
): { close(): Promise<void> } {
  let last: string | null = null, running: Promise<void> | null = null;
  const look = async () => {
    const license = await readLicense(db);
    const { state } = infoOf(license, Date.now(), siteTimeZone());
    const currentState = `${license.revision} ${state}`;
    if (last !== null && last !== currentState) publish({ event: "credit_update" });
    last = currentState;
  };
  const start = () => {
    running ??= look().catch((error) =>
      log("warn", "Cannot read the licence", { error: String(error) })
    )
      .finally(() => running = null);
  };
  const timer = setInterval(start, everyMs);
  start();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
