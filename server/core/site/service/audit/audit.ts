import {
  auditDetailsIn,
  auditEventIn,
  auditEventsNamed,
  auditHeadText,
  auditOutcomeIn,
} from "@/model/text/site/audit_events.ts";
import { createHash } from "node:crypto";
import type {
  AuditExportQuery,
  AuditPage,
  AuditQuery,
  AuditVerdict,
} from "@/model/schema/site/audit.ts";
import type { Database } from "@/server/core/database/database.ts";
import { csvText } from "@/server/core/exports/service/workbook.ts";
import {
  type AuditFilter,
  insertAudit,
  listAudit,
  listAuditBefore,
  listedStudies,
  nextAudit,
  readAuditAfter,
  readAuditHead,
  type StoredAudit,
} from "@/server/core/site/storage/audit.ts";
import { listUsers } from "@/server/core/accounts/storage/users.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { type Anchor, readAnchors } from "@/server/core/site/service/audit/anchors.ts";
import { auditKeyOf, isMac, macOf } from "@/server/core/site/service/audit/audit_key.ts";

/** Number of audit entries read in one step while the hash chain is verified. */
const BATCH = 1000;
/**
 * Maximum number of studies with separate audit entries per call. If a call concerns more, each
 * entry lists the numbers of up to {@link STUDIES_PER_ENTRY} studies in its details.
 */
const MAX_ROWS_PER_CALL = 200;
/** Maximum number of studies listed in one audit entry. */
const STUDIES_PER_ENTRY = 1000;

/** An audit event without patient data: a study is identified by its number. */
export interface AuditEntry {
  event: string;
  userId: number | null;
  /** network address of the client */
  address?: string | null;
  pid?: number | null;
  /** outcome of the call: `ok`, or an error code */
  outcome?: string;
  details?: Record<string, string | number>;
  requestId?: string | null;
}

/** Hash of an entry: SHA-256 over the previous entry's hash and all fields, in this order. */
const hashOf = (previous: string, row: Omit<StoredAudit, "hash" | "mac">): string =>
  createHash("sha256").update(JSON.stringify([
    previous,
    row.seq,
    row.at,
    row.user_id,
    row.address,
    row.event,
    row.pid,
    row.outcome,
    row.details,
    row.request_id,
  ])).digest("hex");

/** Study and details of each audit entry about a call. */
function rowsOf(
  { details = {} }: AuditEntry,
  pids: readonly number[],
): { pid: number | null; details: Record<string, string | number> }[] {
  if (pids.length === 0) return [{ pid: null, details }];
  if (pids.length <= MAX_ROWS_PER_CALL) return pids.map((pid) => ({ pid, details }));
  const count = Math.ceil(pids.length / STUDIES_PER_ENTRY);
  return Array.from({ length: count }, (_, n) => {
    const listed = pids.slice(n * STUDIES_PER_ENTRY, (n + 1) * STUDIES_PER_ENTRY);
    const study_numbers = listedStudies(listed);
    return { pid: null, details: { ...details, studies: pids.length, study_numbers } };
  });
}

/**
 * Adds an audit entry for each study, or one entry without study, in one transaction.
 * A call about very many studies leaves few entries, which list all of their numbers.
 */
export async function appendAudit(
  db: Database,
  entry: AuditEntry,
  pids: readonly number[] = entry.pid ? [entry.pid] : [],
): Promise<void> {
  const key = await auditKeyOf(db);
  // locks the row of the last entry, so that concurrent writers wait instead of retrying
  await db.transaction().setIsolationLevel("read committed").execute(async (tx) => {
    for (const { pid, details } of rowsOf(entry, pids)) {
      const { seq, previous } = await nextAudit(tx);
      const row = {
        seq,
        at: nowIso(),
        user_id: entry.userId,
        address: entry.address ?? null,
        event: entry.event,
        pid,
        outcome: entry.outcome ?? "ok",
        details: JSON.stringify(details),
        request_id: entry.requestId ?? null,
      };
      const hash = hashOf(previous, row);
      await insertAudit(tx, { ...row, hash, mac: key === null ? null : macOf(key, hash) });
    }
  });
}

/**
 * Adds an entry about a call that has already succeeded, and does not fail the call:
 * a full disk must not lock physicians out of stored studies.
 * An entry that cannot be written goes to the program's log instead.
 * @returns whether the audit log contains the entry.
 */
export async function noteAudit(
  { db, log }: Pick<ServiceContext, "db" | "log">,
  entry: AuditEntry,
  pids?: readonly number[],
): Promise<boolean> {
  try {
    await appendAudit(db, entry, pids);
    return true;
  } catch (failure) {
    log("error", "Cannot write the audit entry", {
      ...entry,
      details: "",
      pids: (pids ?? []).join(),
      error: String(failure),
    });
    return false;
  }
}

/** Result of verifying the hash chain of the audit log. */
interface ChainVerdict {
  /** number of audit entries */
  count: number;
  /**
   * hash of the last entry; a copy kept elsewhere proves later that no earlier entry was changed
   */
  hash: string;
  /** number of the first entry that is missing or was changed; `null`: none */
  broken: number | null;
  /** number of the last entry with a valid code made with the site's key (MAC); 0: none */
  proven: number;
  /** newest anchor, which proves a minimum number of entries; `null` without anchors */
  anchor: Anchor | null;
  /** whether the anchor file exists and was written only by this site */
  isAnchored: boolean;
  /** whether an entry has the expected hash; `null` if no hash was given */
  isExpectedFound: boolean | null;
}

/**
 * Verifies each audit entry against the previous entry and the key,
 * the last entry against the stored end of the log, and all entries against the anchors.
 * @param expected Hash noted earlier; reveals a log rewritten together with key and anchors.
 */
export async function verifyAudit(db: Database, expected?: string): Promise<ChainVerdict> {
  const key = await auditKeyOf(db), { anchors, isWhole } = await readAnchors(db);
  const head = await readAuditHead(db),
    hashes = new Map(anchors.map(({ seq, hash }) => [seq, hash]));
  let previous = "",
    seq = 0,
    proven = 0,
    isExpectedFound = expected === undefined ? null : expected === "";
  const verdict = (broken: number | null): ChainVerdict => ({
    count: seq,
    hash: previous,
    broken,
    proven,
    anchor: anchors.at(-1) ?? null,
    isAnchored: isWhole,
    isExpectedFound,
  });
  while (true) {
    const rows = await readAuditAfter(db, seq, BATCH);
    if (rows.length === 0) break;
    for (const { hash, mac, ...row } of rows) {
      const isKnown = hashes.get(row.seq) ?? hash;
      if (row.seq !== seq + 1 || hashOf(previous, row) !== hash || isKnown !== hash) {
        return verdict(seq + 1);
      }
      if (key !== null && row.seq >= key.since) {
        if (!isMac(key, hash, mac)) return verdict(row.seq);
        proven = row.seq;
      }
      previous = hash;
      seq = row.seq;
      if (hash === expected) isExpectedFound = true;
    }
  }
  const isCut = seq < head.seq || seq < (anchors.at(-1)?.seq ?? 0);
  // entries that were added after the end of the log was read
  return verdict(isCut || (seq === head.seq && previous !== head.hash) ? seq + 1 : null);
}

/** All entries of the audit log, oldest first, in batches. */
export async function* readAudit(db: Database): AsyncGenerator<StoredAudit[]> {
  for (let seq = 0;;) {
    const rows = await readAuditAfter(db, seq, BATCH);
    if (rows.length === 0) return;
    yield rows;
    seq = rows.at(-1)!.seq;
  }
}

type Users = ReadonlyMap<number, string>;
const emailsOf = async (db: Database): Promise<Users> =>
  new Map((await listUsers(db)).map(({ id, email }) => [id, email]));

function filterOf(query: AuditQuery, users: Users): AuditFilter {
  const text = query.search?.trim().toLowerCase();
  const userIds = [...users].filter(([, email]) => text && email.toLowerCase().includes(text)).map((
    [id],
  ) => id);
  return {
    from: query.from,
    before: query.to,
    userId: query.user,
    pid: query.pid,
    event: query.event,
    ...(text ? { search: { text, userIds, events: auditEventsNamed(text) } } : {}),
  };
}

/** One page of the audit log. @param without Events that the caller must not see. */
export async function getAudit(
  { db }: ServiceContext,
  query: AuditQuery,
  without: readonly string[] | undefined,
): Promise<AuditPage> {
  const { page, per_page } = query, users = await emailsOf(db);
  const filter = { ...filterOf(query, users), without };
  const { entries, total } = await listAudit(db, filter, page, per_page);
  return {
    entries: entries.map(({ details, hash: _hash, mac: _mac, ...row }) => ({
      ...row,
      user: row.user_id === null ? null : users.get(row.user_id) ?? null,
      details: JSON.parse(details),
    })),
    total,
    page,
    per_page,
  };
}

/** Verifies the hash chain of the audit log. */
export async function getAuditVerdict({ db }: ServiceContext): Promise<AuditVerdict> {
  return await verifyAudit(db);
}

/**
 * Matching audit entries as CSV, newest first, in chunks: memory is independent of their number.
 * Cells are escaped so that a spreadsheet program takes none for a formula.
 * @param without  Events that the caller must not see.
 */
export async function exportAudit(
  { db }: ServiceContext,
  { language, ...query }: AuditExportQuery,
  without: readonly string[] | undefined,
): Promise<AsyncIterable<string>> {
  const users = await emailsOf(db), filter = { ...filterOf(query, users), without };
  return (async function* () {
    yield csvText([Object.values(auditHeadText).map((head) => head[language])], true);
    for (let seq = Number.MAX_SAFE_INTEGER;;) {
      const rows = await listAuditBefore(db, filter, seq, BATCH);
      if (rows.length === 0) return;
      yield csvText(rows.map((row) => [
        row.seq,
        row.at,
        row.user_id === null ? null : users.get(row.user_id) ?? `#${row.user_id}`,
        row.address,
        auditEventIn(row.event, language),
        row.pid,
        auditOutcomeIn(row.outcome, language),
        auditDetailsIn(JSON.parse(row.details), language) || null,
        row.event,
        row.outcome,
        row.details === "{}" ? null : row.details,
        row.request_id,
        row.hash,
      ]));
      seq = rows.at(-1)!.seq;
    }
  })();
}
