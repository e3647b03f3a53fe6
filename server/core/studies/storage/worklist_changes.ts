import { sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";

/** Number of changes above which the whole table is read instead. */
const MANY_CHANGES = 500;
/** Number of changes retained for indexes of other processes. */
const MAX_STORED_CHANGES = 10_000;

/** Changes committed since the last call. */
interface Changes {
  pids: number[];
  /** marks changes as processed; without this call they are returned again */
  accept(): void;
}

/** Follows `worklist_changes`, written by any process. */
export interface ChangeReader {
  /** Restarts: all changes committed from now on are returned by {@link read}. */
  begin(): Promise<void>;
  /** @returns `null` if the whole table must be read: too many changes, or deleted changes. */
  read(): Promise<Changes | null>;
}

const changesAfter = (db: Database, seq: number) =>
  db.selectFrom("worklist_changes").select(["seq", "pid"]).where("seq", ">", seq).orderBy("seq")
    .limit(MANY_CHANGES + 1).execute();

/** On SQLite, transactions are sequential, and ids of changes have no gaps. */
class NumberedChanges implements ChangeReader {
  #seq = 0;

  constructor(private readonly db: Database) {}

  async begin(): Promise<void> {
    const { seq } = await this.db.selectFrom("worklist_changes")
      .select((e) => e.fn.max("seq").as("seq")).executeTakeFirstOrThrow();
    this.#seq = Number(seq ?? 0);
  }

  async read(): Promise<Changes | null> {
    const rows = await changesAfter(this.db, this.#seq);
    if (rows.length > MANY_CHANGES || (rows.length > 0 && rows[0]!.seq !== this.#seq + 1)) {
      return null;
    }
    return {
      pids: [...new Set(rows.map(({ pid }) => pid))],
      accept: () => this.#seq = rows.at(-1)?.seq ?? this.#seq,
    };
  }
}

/**
 * Change reader for PostgreSQL, where transactions commit in another order than their ids.
 * `#horizon` is the oldest transaction that had not ended at the last call: all changes of earlier
 * transactions have been read. Changes already read of later transactions are remembered.
 */
class TransactionChanges implements ChangeReader {
  #horizon = "0";
  /** transaction id by change id */
  readonly #seen = new Map<number, bigint>();
  /** newest change read: as long as its row exists, no later change has been deleted */
  #newest = 0;

  constructor(private readonly db: Database) {}

  async begin(): Promise<void> {
    const { rows } = await sql<{ horizon: string; newest: number | null }>`
      SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, max(seq) AS newest
      FROM worklist_changes`.execute(this.db);
    this.#horizon = rows[0]!.horizon;
    this.#newest = rows[0]!.newest ?? 0;
    this.#seen.clear();
  }

  async read(): Promise<Changes | null> {
    const { rows } = await sql<
      { horizon: string; is_whole: boolean; seq: number | null; pid: number; xid: string }
    >`
      SELECT now.horizon, now.is_whole, c.seq, c.pid, c.xid::text AS xid
      FROM (
        SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
          ${this.#newest} = 0 OR EXISTS (SELECT FROM worklist_changes WHERE seq = ${this.#newest}) AS is_whole
      ) AS now LEFT JOIN LATERAL (
        SELECT seq, pid, xid FROM worklist_changes
        WHERE xid >= ${this.#horizon}::xid8 AND seq <> ALL (${[...this.#seen.keys()]}::bigint[])
        LIMIT ${sql.lit(MANY_CHANGES + 1)}
      ) AS c ON true`.execute(this.db);
    const { horizon, is_whole } = rows[0]!;
    const changes = rows.flatMap(({ seq, pid, xid }) =>
      seq === null ? [] : { seq, pid, xid: BigInt(xid) }
    );
    if (!is_whole || changes.length > MANY_CHANGES) return null;
    return {
      pids: [...new Set(changes.map(({ pid }) => pid))],
      accept: () => {
        for (const { seq, xid } of changes) {
          this.#seen.set(seq, xid);
          this.#newest = Math.max(this.#newest, seq);
        }
        this.#horizon = horizon;
        for (const [seq, xid] of this.#seen) if (xid < BigInt(horizon)) this.#seen.delete(seq);
      },
    };
  }
}

export const changeReader = (db: Database): ChangeReader =>
  isPostgres(db) ? new TransactionChanges(db) : new NumberedChanges(db);

/** Deletes old changes; an index that has not read these changes reads the whole table again. */
export async function pruneChanges(db: Database): Promise<void> {
  const { seq } = await db.selectFrom("worklist_changes").select((e) => e.fn.max("seq").as("seq"))
    .executeTakeFirstOrThrow();
  await db.deleteFrom("worklist_changes").where("seq", "<=", Number(seq ?? 0) - MAX_STORED_CHANGES)
    .execute();
  if (!isPostgres(db)) return;
  // a database restored from another server's dump has other transaction ids
  await sql`DELETE FROM worklist_changes WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())`
    .execute(db);
}
