import type {
  AcceptanceDecision,
  AcceptanceHead,
  AcceptanceResult,
  PictureAnswer,
} from "@/model/schema/report/acceptance.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";
import { OWN_FAULTS } from "@/server/core/norms/storage/charted_results.ts";

/** Acceptance test of a scanner, protocol and engine version. */
export interface StoredAcceptance {
  id: number;
  scanner: string;
  protocol: string;
  engineVersion: string;
  decision: AcceptanceDecision | null;
  remark: string;
  seed: number;
  startedAt: string;
  startedBy: number | null;
  signedAt: string | null;
  signedBy: number | null;
  countersignedAt: string | null;
  countersignedBy: number | null;
  revokedAt: string | null;
  revokedBy: number | null;
  /** number of results among which a user chose the studies; `null`: the first results */
  chosenOf: number | null;
  /** norms of the tested results; `null`: not recorded by an earlier version */
  norms: TestedNorms | null;
}

/** Norms with which results were compared in an acceptance test. */
export interface TestedNorms {
  /** name of the published norms */
  published: string;
  /** ids of local norms; a `null` in the list: results compared with the published norms alone */
  local: (number | null)[];
}

/** Study of an acceptance test with a picture that a reader checks. */
export interface StoredPicture {
  place: number;
  pid: number;
  answer: PictureAnswer | null;
  answeredAt: string | null;
  answeredBy: number | null;
}

interface By {
  userId: number;
  at: string;
}

const COLUMNS = [
  "id",
  "scanner",
  "protocol",
  "engine_version",
  "decision",
  "remark",
  "seed",
  "started_at",
  "started_by",
  "signed_at",
  "signed_by",
  "countersigned_at",
  "countersigned_by",
  "revoked_at",
  "revoked_by",
  "chosen_of",
  "norms",
] as const;

/** All acceptance tests, newest first, without the measured values. */
export async function listAcceptances(db: Database): Promise<StoredAcceptance[]> {
  const rows = await db.selectFrom("acceptances").select(COLUMNS).orderBy("id", "desc").execute();
  return rows.map((row) => ({
    id: row.id,
    scanner: row.scanner,
    protocol: row.protocol,
    engineVersion: row.engine_version,
    decision: row.decision,
    remark: row.remark,
    seed: row.seed,
    startedAt: row.started_at,
    startedBy: row.started_by,
    signedAt: row.signed_at,
    signedBy: row.signed_by,
    countersignedAt: row.countersigned_at,
    countersignedBy: row.countersigned_by,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
    chosenOf: row.chosen_of,
    norms: row.norms === null ? null : JSON.parse(row.norms),
  }));
}

/** Whether an acceptance test is signed by two people and not withdrawn. */
export const isInForce = (
  { countersignedAt, revokedAt }: Pick<StoredAcceptance, "countersignedAt" | "revokedAt">,
): boolean => countersignedAt !== null && revokedAt === null;

/** Order of tests: the one whose first signature is the newest comes first. */
export const signedLastFirst = (
  a: Pick<StoredAcceptance, "id" | "signedAt">,
  b: Pick<StoredAcceptance, "id" | "signedAt">,
): number => (b.signedAt ?? "").localeCompare(a.signedAt ?? "") || b.id - a.id;

export const stateOf = (
  { signedAt, countersignedAt, revokedAt }: StoredAcceptance,
): AcceptanceHead["state"] =>
  revokedAt !== null
    ? "revoked"
    : countersignedAt !== null
    ? "accepted"
    : signedAt !== null
    ? "signed"
    : "checking";

/** Stores an acceptance test with the studies of its pictures. @returns id of the test. */
export async function insertAcceptance(
  db: Database,
  test: {
    scanner: string;
    protocol: string;
    engineVersion: string;
    seed: number;
    pids: readonly number[];
    pictures: readonly number[];
    result: AcceptanceResult;
    chosenOf?: number | null;
    norms?: TestedNorms;
  },
  { userId, at }: { userId: number | null; at: string },
): Promise<number> {
  const { id } = await db.insertInto("acceptances").values({
    scanner: test.scanner,
    protocol: test.protocol,
    engine_version: test.engineVersion,
    seed: test.seed,
    studies: JSON.stringify(test.pids),
    result: JSON.stringify(test.result),
    chosen_of: test.chosenOf ?? null,
    norms: test.norms ? JSON.stringify(test.norms) : null,
    started_at: at,
    started_by: userId,
    decision: null,
    signed_at: null,
    signed_by: null,
    countersigned_at: null,
    countersigned_by: null,
    revoked_at: null,
    revoked_by: null,
  }).returning("id").executeTakeFirstOrThrow();
  await db.insertInto("acceptance_pictures").values(test.pictures.map((pid, place) => ({
    acceptance_id: id,
    place,
    pid,
    answer: null,
    answered_at: null,
    answered_by: null,
  }))).execute();
  return id;
}

/** Measured values of an acceptance test. */
export async function readResult(db: Database, id: number): Promise<AcceptanceResult> {
  const row = await db.selectFrom("acceptances").select("result").where("id", "=", id)
    .executeTakeFirstOrThrow();
  return JSON.parse(row.result);
}

export async function listPictures(db: Database, id: number): Promise<StoredPicture[]> {
  const rows = await db.selectFrom("acceptance_pictures").selectAll()
    .where("acceptance_id", "=", id).orderBy("place").execute();
  return rows.map(({ place, pid, answer, answered_at, answered_by }) => ({
    place,
    pid,
    answer,
    answeredAt: answered_at,
    answeredBy: answered_by,
  }));
}

/** Records that a picture was sent to a user; the first time is kept. */
export async function insertDelivery(
  db: Database,
  { id, place }: { id: number; place: number },
  { userId, at }: By,
): Promise<void> {
  await db.insertInto("picture_deliveries")
    .values({ acceptance_id: id, place, user_id: userId, delivered_at: at })
    .onConflict((conflict) => conflict.doNothing()).execute();
}

/** Whether a picture was sent to a user. */
export async function isDelivered(
  db: Database,
  { id, place }: { id: number; place: number },
  userId: number,
): Promise<boolean> {
  const row = await db.selectFrom("picture_deliveries").select("place")
    .where("acceptance_id", "=", id).where("place", "=", place).where("user_id", "=", userId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Stores a reader's verdict on a picture. @returns false for an unknown picture or a signed test.
 */
export async function answerPicture(
  db: Database,
  { id, place }: { id: number; place: number },
  answer: PictureAnswer,
  { userId, at }: By,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("acceptance_pictures")
    .set({ answer, answered_at: at, answered_by: userId })
    .where("acceptance_id", "=", id).where("place", "=", place)
    .where((e) =>
      e.exists(
        e.selectFrom("acceptances").select("acceptances.id").where("acceptances.id", "=", id)
          .where("signed_at", "is", null).where("revoked_at", "is", null),
      )
    ).executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Stores the first signature. @returns false if the test is signed or withdrawn. */
export async function signAcceptance(
  db: Database,
  id: number,
  { decision, remark }: { decision: AcceptanceDecision; remark: string },
  { userId, at }: By,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("acceptances")
    .set({ decision, remark, signed_at: at, signed_by: userId })
    .where("id", "=", id).where("signed_at", "is", null).where("revoked_at", "is", null)
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/**
 * Stores the second signature.
 * @returns false if the test does not wait for it, or the same person signed first.
 */
export async function countersignAcceptance(
  db: Database,
  id: number,
  { userId, at }: By,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("acceptances")
    .set({ countersigned_at: at, countersigned_by: userId })
    .where("id", "=", id).where("signed_at", "is not", null)
    .where("countersigned_at", "is", null).where("revoked_at", "is", null)
    .where((e) => e.or([e("signed_by", "is", null), e("signed_by", "!=", userId)]))
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Withdraws an acceptance test. @returns false if it is already withdrawn. */
export async function revokeAcceptance(
  db: Database,
  id: number,
  { userId, at }: By,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("acceptances")
    .set({ revoked_at: at, revoked_by: userId })
    .where("id", "=", id).where("revoked_at", "is", null).executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/**
 * Number of valid completed T1w results by scanner, protocol and engine version.
 * Results are not counted before their headers have been read.
 */
export async function countResults(
  db: Database,
): Promise<
  { scanner: string; protocol: string; engineVersion: string; count: number; last: number }[]
> {
  const rows = await db.selectFrom("analyses as a")
    .innerJoin(
      "patients as p",
      (join) => join.onRef("p.pid", "=", "a.pid").onRef("p.t1_analysis_id", "=", "a.id"),
    )
    .innerJoin("series as s", "s.id", "a.series_id")
    .select((e) => [
      "s.scanner",
      "s.protocol",
      "a.engine_version",
      e.fn.countAll().as("n"),
      e.fn.max("a.id").as("last"),
    ])
    .where("a.status", "=", "completed").where("a.engine_version", "is not", null)
    .where("s.scanner", "is not", null).where("s.protocol", "is not", null)
    .groupBy(["s.scanner", "s.protocol", "a.engine_version"]).execute();
  return rows.map((row) => ({
    scanner: row.scanner!,
    protocol: row.protocol!,
    engineVersion: row.engine_version!,
    count: Number(row.n),
    last: Number(row.last),
  }));
}

/** Series of ended T1w analyses for which scanner or protocol was not yet read from the headers. */
export async function listUnreadSeries(db: Database, limit: number): Promise<number[]> {
  const rows = await db.selectFrom("series as s")
    .innerJoin("analyses as a", "a.series_id", "s.id")
    .select("s.id").distinct()
    .where("a.kind", "=", "t1").where("a.status", "in", ["completed", "failed"])
    .where((e) => e.or([e("s.scanner", "is", null), e("s.protocol", "is", null)]))
    .orderBy("s.id").limit(limit).execute();
  return rows.map(({ id }) => id);
}

/** Studies with a completed T1w result of one of the given series. */
export async function listMeasuredStudies(
  db: Database,
  seriesIds: readonly number[],
): Promise<number[]> {
  const rows = await db.selectFrom("analyses as a")
    .innerJoin(
      "patients as p",
      (join) => join.onRef("p.pid", "=", "a.pid").onRef("p.t1_analysis_id", "=", "a.id"),
    )
    .select("a.pid").where("a.status", "=", "completed")
    .where(isAmong(db, "a.series_id", numberList(db, seriesIds))).execute();
  return rows.map(({ pid }) => pid);
}

/** A result of one scanner and protocol. */
export interface ScannerResult {
  id: number;
  pid: number;
  studyDate: string | null;
  /** time at which the site received the study */
  receivedAt: string | null;
  finishedAt: string | null;
  engineVersion: string | null;
  /** local norms that were set for the result */
  localNormId: number | null;
}

/** Results of one scanner and protocol, oldest analysis first. */
export async function listScannerResults(
  db: Database,
  of: { scanner: string; protocol: string; engineVersion?: string },
): Promise<ScannerResult[]> {
  let query = db.selectFrom("analyses as a")
    .innerJoin(
      "patients as p",
      (join) => join.onRef("p.pid", "=", "a.pid").onRef("p.t1_analysis_id", "=", "a.id"),
    )
    .innerJoin("series as s", "s.id", "a.series_id")
    .select([
      ...["a.id", "a.pid", "p.study_date", "p.created_at", "a.finished_at"] as const,
      ...["a.engine_version", "a.local_norm_id"] as const,
    ])
    .where("a.status", "=", "completed").where("s.protocol", "=", of.protocol)
    .where((e) => e(e.fn<string>("lower", ["s.scanner"]), "=", of.scanner.toLowerCase()));
  if (of.engineVersion !== undefined) {
    query = query.where("a.engine_version", "=", of.engineVersion);
  }
  const rows = await query.orderBy("a.id").execute();
  return rows.map((row) => ({
    id: row.id,
    pid: row.pid,
    studyDate: row.study_date,
    receivedAt: row.created_at,
    finishedAt: row.finished_at,
    engineVersion: row.engine_version,
    localNormId: row.local_norm_id,
  }));
}

/**
 * Analysis before which an engine version was not in use yet: the last result of another version
 * before the first one of this version; 0 without one.
 */
export async function beforeEngine(
  db: Database,
  { engineVersion, firstId }: { engineVersion: string; firstId: number },
): Promise<number> {
  const row = await db.selectFrom("analyses").select((e) => e.fn.max("id").as("id"))
    .where("kind", "=", "t1").where("status", "=", "completed")
    .where("engine_version", "!=", engineVersion).where("id", "<", firstId)
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/**
 * Number of T1w analyses of one scanner and protocol that failed by a fault of the images or of the
 * engine, and were not repeated. Their ids are above `after`, up to `until`: ids select the engine
 * version, which a failed analysis does not have.
 */
export async function countFailed(
  db: Database,
  { scanner, protocol, after, until }: {
    scanner: string;
    protocol: string;
    after: number;
    /** `null`: no upper limit */
    until: number | null;
  },
): Promise<number> {
  const row = await db.selectFrom("analyses as a")
    .innerJoin(
      "patients as p",
      (join) => join.onRef("p.pid", "=", "a.pid").onRef("p.t1_analysis_id", "=", "a.id"),
    )
    .innerJoin("series as s", "s.id", "a.series_id")
    .select((e) => e.fn.countAll().as("n"))
    .where("a.status", "=", "failed").where("a.kind", "=", "t1")
    .where("a.error_code", "not in", OWN_FAULTS)
    .where("a.id", ">", after)
    .$if(until !== null, (query) => query.where("a.id", "<=", until))
    .where("s.protocol", "=", protocol)
    .where((e) => e(e.fn<string>("lower", ["s.scanner"]), "=", scanner.toLowerCase()))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}
