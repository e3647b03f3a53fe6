import type { Selectable } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import type { CreditLogRow } from "@/server/core/database/tables.ts";

/** Licence of the site; dates are days in the site's time zone. */
export interface StoredLicense {
  holder: string | null;
  certType: string;
  limits: string[];
  startDate: string | null;
  expireDate: string | null;
  credits: number;
  /** public key with which licence files are verified, PEM */
  providerKey: string | null;
  /** version number, which each change increases, also a change of the credits */
  revision: number;
}

export async function readLicense(db: Database): Promise<StoredLicense> {
  const row = await db.selectFrom("license").selectAll().where("id", "=", 1)
    .executeTakeFirstOrThrow();
  return {
    holder: row.holder,
    certType: row.cert_type,
    limits: JSON.parse(row.limits),
    startDate: row.start_date,
    expireDate: row.expire_date,
    credits: row.credits,
    providerKey: row.provider_key,
    revision: row.revision,
  };
}

/** Changes fields of the licence row; `null` clears a field, an absent field is unchanged. */
export async function updateLicense(
  db: Database,
  change: Partial<Omit<StoredLicense, "credits" | "revision">>,
  updatedAt: string,
): Promise<void> {
  await db.updateTable("license").set((e) => ({
    ...(change.holder === undefined ? {} : { holder: change.holder }),
    ...(change.certType === undefined ? {} : { cert_type: change.certType }),
    ...(change.limits === undefined ? {} : { limits: JSON.stringify(change.limits) }),
    ...(change.startDate === undefined ? {} : { start_date: change.startDate }),
    ...(change.expireDate === undefined ? {} : { expire_date: change.expireDate }),
    ...(change.providerKey === undefined ? {} : { provider_key: change.providerKey }),
    revision: e("revision", "+", 1),
    updated_at: updatedAt,
  })).where("id", "=", 1).execute();
}

/**
 * Adds credits; a negative amount subtracts credits.
 * @returns remaining credits; `null`, without a change, if fewer than 0 would remain.
 */
export async function changeCredits(db: Database, amount: number): Promise<number | null> {
  const row = await db.updateTable("license").set((e) => ({
    credits: e("credits", "+", amount),
    revision: e("revision", "+", 1),
  })).where("id", "=", 1).where("credits", ">=", -amount).returning("credits").executeTakeFirst();
  return row?.credits ?? null;
}

/** Records that a licence file was imported. @returns false if it was imported before. */
export async function insertLicenseFile(
  db: Database,
  serial: string,
  appliedAt: string,
): Promise<boolean> {
  const row = await db.insertInto("license_files").values({ serial, applied_at: appliedAt })
    .onConflict((conflict) => conflict.column("serial").doNothing()).returning("serial")
    .executeTakeFirst();
  return row !== undefined;
}

type StoredCredit = Selectable<CreditLogRow>;

export async function insertCredit(db: Database, credit: Omit<StoredCredit, "id">): Promise<void> {
  await db.insertInto("credit_log").values(credit).execute();
}

/** Charge for a run with any of these analyses, unless it has been refunded. */
export async function findOpenUse(
  db: Database,
  analysisIds: readonly number[],
): Promise<StoredCredit | null> {
  if (analysisIds.length === 0) return null;
  const use = await db.selectFrom("credit_log").selectAll()
    .where("kind", "=", "use").where("analysis_id", "in", analysisIds).executeTakeFirst();
  if (!use) return null;
  const rollback = await db.selectFrom("credit_log").select("id")
    .where("kind", "=", "rollback").where("analysis_id", "=", use.analysis_id).executeTakeFirst();
  return rollback ? null : use;
}

/** A range of days; the last day is included. */
interface CreditRange {
  from?: string;
  to?: string;
}

const inRange = (db: Database, { from, to }: CreditRange) => {
  let query = db.selectFrom("credit_log");
  if (from !== undefined) query = query.where("local_date", ">=", from);
  if (to !== undefined) query = query.where("local_date", "<=", to);
  return query;
};

/** One page of the log of credits. @returns entries and their total number. */
export async function listCredits(
  db: Database,
  { direction, isRollback, page, perPage, ...range }: CreditRange & {
    direction: "asc" | "desc";
    isRollback?: boolean;
    /** number of the page, from 1 */
    page: number;
    perPage: number;
  },
): Promise<{ credits: StoredCredit[]; total: number }> {
  let query = inRange(db, range);
  if (isRollback !== undefined) query = query.where("kind", isRollback ? "=" : "<>", "rollback");
  const { n } = await query.select((e) => e.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  const credits = await query.selectAll().orderBy("id", direction)
    .limit(perPage).offset((page - 1) * perPage).execute();
  return { credits, total: Number(n) };
}

/** Credits by month (`YYYY-MM`) and kind of entry, newest month first. */
export async function sumCreditsByMonth(
  db: Database,
  range: CreditRange,
): Promise<{ month: string; kind: StoredCredit["kind"]; amount: number }[]> {
  const rows = await inRange(db, range)
    .select((e) => [
      e.fn<string>("substr", ["local_date", e.lit(1), e.lit(7)]).as("month"),
      "kind",
      e.fn.sum<number>("amount").as("amount"),
    ]).groupBy(["month", "kind"]).orderBy("month", "desc").execute();
  return rows.map((row) => ({ ...row, amount: Number(row.amount) }));
}
