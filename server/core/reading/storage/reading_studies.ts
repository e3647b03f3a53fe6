import type { PlannedReading } from "@/model/reading_study/design.ts";
import type {
  RatingScale,
  ReadingAnswer,
  ReadingArm,
  ReadingStudyPost,
} from "@/model/schema/reading/reading_studies.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";

/** Design of a reading study, without its plan and answers. */
export interface StoredReadingStudy {
  id: number;
  title: string;
  question: string;
  scale: RatingScale;
  asksDecision: boolean;
  asksRegion: boolean;
  arms: ReadingArm[];
  washoutDays: number;
  seed: number;
  createdAt: string;
  createdBy: number;
}

export interface StoredCase {
  /** number of the case in the reading study, from 1 */
  number: number;
  pid: number;
  reference: boolean | null;
}

export interface StoredReader {
  /** number of the reader in the reading study, from 1 */
  number: number;
  userId: number;
}

/** One planned reading of a case by a reader, with the answer; `null`: not answered yet. */
export interface StoredReading {
  reader: number;
  place: number;
  session: number;
  caseNumber: number;
  arm: ReadingArm;
  openedAt: string | null;
  /** digests of images and results shown; `null`: not opened, or an older release opened it */
  shown: Shown | null;
  /** whether images or results changed between opening and answer */
  isChanged: boolean;
  answer: StoredAnswer | null;
}

/** Digests of the images and results that a reading shows; `results` is `null` if it shows none. */
export interface Shown {
  images: string;
  results: string | null;
  engineVersion: string | null;
}

interface StoredAnswer {
  rating: number | null;
  decision: boolean | null;
  region: string | null;
  visibleMs: number;
  elapsedMs: number;
  pauses: number;
  answeredAt: string;
  engineVersion: string | null;
}

const flag = (value: number | null): boolean | null => value === null ? null : value === 1;
const number = (value: boolean | null): number | null => value === null ? null : Number(value);

/** Rows per INSERT statement, within the limit of bound values. */
const ROWS_AT_ONCE = 500;

/** Stores a reading study with the plan of its readings. @returns its id. */
export async function insertReadingStudy(
  tx: Database,
  post: ReadingStudyPost,
  plans: readonly (readonly PlannedReading[])[],
  { seed, at, userId }: { seed: number; at: string; userId: number },
): Promise<number> {
  const { id } = await tx.insertInto("reading_studies").values({
    title: post.title,
    question: post.question,
    scale: post.scale,
    asks_decision: Number(post.asks_decision),
    asks_region: Number(post.asks_region),
    arms: JSON.stringify(post.arms),
    washout_days: post.washout_days,
    seed,
    created_at: at,
    created_by: userId,
  }).returning("id").executeTakeFirstOrThrow();
  await tx.insertInto("reading_study_cases").values(post.cases.map(({ pid, reference }, n) => ({
    reading_study_id: id,
    number: n + 1,
    pid,
    reference: number(reference),
  }))).execute();
  await tx.insertInto("reading_study_readers").values(post.readers.map((user_id, n) => ({
    reading_study_id: id,
    number: n + 1,
    user_id,
  }))).execute();
  const rows = plans.flatMap((plan, reader) =>
    plan.map(({ place, session, caseIndex, arm }) => ({
      reading_study_id: id,
      reader: reader + 1,
      place,
      session,
      case_number: caseIndex + 1,
      arm,
      opened_at: null,
      images_digest: null,
      results_digest: null,
      engine_version: null,
    }))
  );
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await tx.insertInto("reading_study_readings").values(rows.slice(at, at + ROWS_AT_ONCE))
      .execute();
  }
  return id;
}

/** All reading studies, newest first; with an id only that study. */
export async function listReadingStudies(db: Database, id?: number): Promise<StoredReadingStudy[]> {
  const rows = await db.selectFrom("reading_studies").selectAll()
    .$if(id !== undefined, (query) => query.where("id", "=", id!))
    .orderBy("id", "desc").execute();
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    question: row.question,
    scale: row.scale,
    asksDecision: row.asks_decision === 1,
    asksRegion: row.asks_region === 1,
    arms: JSON.parse(row.arms),
    washoutDays: row.washout_days,
    seed: row.seed,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }));
}

export async function listCases(db: Database, id: number): Promise<StoredCase[]> {
  const rows = await db.selectFrom("reading_study_cases").selectAll()
    .where("reading_study_id", "=", id).orderBy("number").execute();
  return rows.map((row) => ({
    number: row.number,
    pid: row.pid,
    reference: flag(row.reference),
  }));
}

export async function listReaders(db: Database, id: number): Promise<StoredReader[]> {
  const rows = await db.selectFrom("reading_study_readers").selectAll()
    .where("reading_study_id", "=", id).orderBy("number").execute();
  return rows.map((row) => ({ number: row.number, userId: row.user_id }));
}

/** Planned readings and answers of a reading study or of one reader, in each reader's order. */
export async function listReadings(
  db: Database,
  id: number,
  reader?: number,
): Promise<StoredReading[]> {
  const rows = await db.selectFrom("reading_study_readings as r")
    .leftJoin(
      "reading_study_answers as a",
      (join) =>
        join.onRef("a.reading_study_id", "=", "r.reading_study_id")
          .onRef("a.reader", "=", "r.reader").onRef("a.place", "=", "r.place"),
    )
    .select([
      "r.reader",
      "r.place",
      "r.session",
      "r.case_number",
      "r.arm",
      "r.opened_at",
      "r.images_digest",
      "r.results_digest",
      "r.engine_version as opened_engine_version",
      "r.is_changed",
      "a.rating",
      "a.decision",
      "a.region",
      "a.visible_ms",
      "a.elapsed_ms",
      "a.pauses",
      "a.answered_at",
      "a.engine_version",
    ])
    .where("r.reading_study_id", "=", id)
    .$if(reader !== undefined, (query) => query.where("r.reader", "=", reader!))
    .orderBy("r.reader").orderBy("r.place").execute();
  return rows.map((row) => ({
    reader: row.reader,
    place: row.place,
    session: row.session,
    caseNumber: row.case_number,
    arm: row.arm,
    openedAt: row.opened_at,
    shown: row.images_digest === null ? null : {
      images: row.images_digest,
      results: row.results_digest,
      engineVersion: row.opened_engine_version,
    },
    isChanged: row.is_changed === 1,
    answer: row.answered_at === null ? null : {
      rating: row.rating,
      decision: flag(row.decision),
      region: row.region,
      visibleMs: row.visible_ms!,
      elapsedMs: row.elapsed_ms!,
      pauses: row.pauses!,
      answeredAt: row.answered_at,
      engineVersion: row.engine_version,
    },
  }));
}

/** Number of cases, of planned readings and of answers in a reading study. */
export async function countReadings(
  db: Database,
  id: number,
): Promise<{ cases: number; total: number; done: number }> {
  const countIn = async (
    table: "reading_study_cases" | "reading_study_readings" | "reading_study_answers",
  ) => {
    const { n } = await db.selectFrom(table).select((e) => e.fn.countAll<number>().as("n"))
      .where("reading_study_id", "=", id).executeTakeFirstOrThrow();
    return Number(n);
  };
  return {
    cases: await countIn("reading_study_cases"),
    total: await countIn("reading_study_readings"),
    done: await countIn("reading_study_answers"),
  };
}

/** A reader's opened reading of a case in another reading study. */
export interface OtherReading {
  userId: number;
  pid: number;
  openedAt: string;
  /** time of the answer; `null`: not answered yet */
  answeredAt: string | null;
}

/** Opened readings of the cases by the users, in all reading studies except the given one. */
export async function listOtherReadings(
  db: Database,
  { id, userIds, pids }: { id: number; userIds: readonly number[]; pids: readonly number[] },
): Promise<OtherReading[]> {
  if (userIds.length === 0 || pids.length === 0) return [];
  const rows = await db.selectFrom("reading_study_readings as r")
    .innerJoin(
      "reading_study_readers as p",
      (join) =>
        join.onRef("p.reading_study_id", "=", "r.reading_study_id")
          .onRef("p.number", "=", "r.reader"),
    )
    .innerJoin(
      "reading_study_cases as c",
      (join) =>
        join.onRef("c.reading_study_id", "=", "r.reading_study_id")
          .onRef("c.number", "=", "r.case_number"),
    )
    .leftJoin(
      "reading_study_answers as a",
      (join) =>
        join.onRef("a.reading_study_id", "=", "r.reading_study_id")
          .onRef("a.reader", "=", "r.reader").onRef("a.place", "=", "r.place"),
    )
    .select(["p.user_id", "c.pid", "r.opened_at", "a.answered_at"])
    .where("r.reading_study_id", "!=", id).where("r.opened_at", "is not", null)
    .where("p.user_id", "in", [...userIds]).where(isAmong(db, "c.pid", numberList(db, pids)))
    .execute();
  return rows.map(({ user_id, pid, opened_at, answered_at }) => ({
    userId: user_id,
    pid,
    openedAt: opened_at!,
    answeredAt: answered_at,
  }));
}

/** Cases of the reading studies in which a user still has readings to answer. */
export async function listUnansweredCases(db: Database, userId: number): Promise<number[]> {
  const rows = await db.selectFrom("reading_study_readers as p")
    .innerJoin(
      "reading_study_readings as r",
      (join) =>
        join.onRef("r.reading_study_id", "=", "p.reading_study_id")
          .onRef("r.reader", "=", "p.number"),
    )
    .innerJoin(
      "reading_study_cases as c",
      (join) =>
        join.onRef("c.reading_study_id", "=", "r.reading_study_id")
          .onRef("c.number", "=", "r.case_number"),
    )
    .leftJoin(
      "reading_study_answers as a",
      (join) =>
        join.onRef("a.reading_study_id", "=", "r.reading_study_id")
          .onRef("a.reader", "=", "r.reader").onRef("a.place", "=", "r.place"),
    )
    .select("c.pid").distinct()
    .where("p.user_id", "=", userId).where("a.answered_at", "is", null).execute();
  return rows.map(({ pid }) => pid);
}

/** Identifies one planned reading: reading study, reader, and place in the reader's order. */
export interface ReadingKey {
  id: number;
  reader: number;
  place: number;
}

/** Records when a reading was first opened, and digests of the images and results it showed. */
export async function markOpened(
  db: Database,
  { id, reader, place }: ReadingKey,
  at: string,
  { images, results, engineVersion }: Shown,
): Promise<void> {
  await db.updateTable("reading_study_readings").set({
    opened_at: at,
    images_digest: images,
    results_digest: results,
    engine_version: engineVersion,
  })
    .where("reading_study_id", "=", id).where("reader", "=", reader).where("place", "=", place)
    .where("opened_at", "is", null).execute();
}

/** Marks a reading of which the images or results have changed since it was opened. */
export async function markChanged(
  db: Database,
  { id, reader, place }: ReadingKey,
): Promise<void> {
  await db.updateTable("reading_study_readings").set({ is_changed: 1 })
    .where("reading_study_id", "=", id).where("reader", "=", reader).where("place", "=", place)
    .execute();
}

/** Stores the answer of a reading. @returns false if it is answered already. */
export async function insertAnswer(
  tx: Database,
  { id, reader, place }: ReadingKey,
  answer: ReadingAnswer,
  { at, elapsedMs, engineVersion }: {
    at: string;
    elapsedMs: number;
    engineVersion: string | null;
  },
): Promise<boolean> {
  const row = await tx.insertInto("reading_study_answers").values({
    reading_study_id: id,
    reader,
    place,
    rating: answer.rating,
    decision: number(answer.decision),
    region: answer.region,
    visible_ms: answer.visible_ms,
    elapsed_ms: elapsedMs,
    pauses: answer.pauses,
    answered_at: at,
    engine_version: engineVersion,
  }).onConflict((conflict) => conflict.doNothing()).returning("place").executeTakeFirst();
  return row !== undefined;
}

/** Deletes a reading study unless it has begun. @returns false if a reading has been opened. */
export async function deleteReadingStudy(tx: Database, id: number): Promise<boolean> {
  const opened = await tx.selectFrom("reading_study_readings").select("place")
    .where("reading_study_id", "=", id).where("opened_at", "is not", null).limit(1)
    .executeTakeFirst();
  if (opened) return false;
  await tx.deleteFrom("reading_studies").where("id", "=", id).execute();
  return true;
}
