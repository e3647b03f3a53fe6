import { sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";

/** Maximum number of changes read one by one; with more, the whole worklist is read again. */
const MANY_CHANGES = 500;
/** Number of changes that are kept in the table, for other processes to read. */
const MAX_STORED_CHANGES = 10_000;

/** Changes of the worklist that were committed since the last call. */
interface Changes {
  pids: number[];
  /** marks the changes as read; without this call they are returned again */
  accept(): void;
}

/** Reads the table `worklist_changes`, to which all processes of the site write. */
export interface ChangeReader {
  /** Starts or restarts reading: {@link read} returns changes that are committed from now on. */
  begin(): Promise<void>;
  /** @returns `null` if the whole worklist must be read: too many changes, or deleted ones. */
  read(): Promise<Changes | null>;
}

const changesAfter = (db: Database, seq: number) =>
  db.selectFrom("worklist_changes").select(["seq", "pid"]).where("seq", ">", seq).orderBy("seq")
    .limit(MANY_CHANGES + 1).execute();

/** Change reader for SQLite, where transactions run in sequence and change ids have no gaps. */
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
 * Change reader for PostgreSQL, where transactions may commit in another order than their ids.
 * `#horizon` is the oldest transaction that was running at the last call.
 * All changes of transactions before it were read; later changes are remembered once read.
 */
class TransactionChanges implements ChangeReader {
  #horizon = "0";
  /** transaction id of each change that was read, by change id */
  readonly #seen = new Map<number, bigint>();
  /** newest change that was read: while its row exists, no later change has been deleted */
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

/** Deletes old changes; a process that has not read them reads the whole worklist again. */
export async function pruneChanges(db: Database): Promise<void> {
  const { seq } = await db.selectFrom("worklist_changes").select((e) => e.fn.max("seq").as("seq"))
    .executeTakeFirstOrThrow();
  await db.deleteFrom("worklist_changes").where("seq", "<=", Number(seq ?? 0) - MAX_STORED_CHANGES)
    .execute();
  if (!isPostgres(db)) return;
  // after a restore from another server's dump, rows have transaction ids of that server
  await sql`DELETE FROM worklist_changes WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())`
    .execute(db);
}
