// Reading studies, for administrators: design, progress, statistics, export and removal.
import { randomInt } from "node:crypto";
import { mayDo } from "@/model/accounts/roles.ts";
import { AppError } from "@/model/errors.ts";
import { Random } from "@/model/random.ts";
import { planReadings, washoutEnd } from "@/model/reading_study/design.ts";
import { type CountedAnswer, readingStatistics } from "@/model/reading_study/statistics.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import type {
  ReadingExport,
  ReadingRow,
  ReadingStudyDetails,
  ReadingStudyEntry,
  ReadingStudyList,
  ReadingStudyPost,
} from "@/model/schema/reading/reading_studies.ts";
import { listAccounts } from "@/server/core/accounts/service/users.ts";
import type { Database } from "@/server/core/database/database.ts";
import { csvText } from "@/server/core/exports/service/workbook.ts";
import {
  countReadings,
  deleteReadingStudy,
  insertReadingStudy,
  listCases,
  listReaders,
  listReadings,
  listReadingStudies,
  type StoredCase,
  type StoredReading,
  type StoredReadingStudy,
} from "@/server/core/reading/storage/reading_studies.ts";
import { changesIn, knownCases } from "@/server/core/reading/service/shown_readings.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { completedAnalyses } from "@/server/core/studies/service/patients.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";

/** Finds a reading study. @throws {AppError} `entity.not_found`. */
export async function mustFindStudy(db: Database, id: number): Promise<StoredReadingStudy> {
  const [study] = await listReadingStudies(db, id);
  if (!study) {
    throw new AppError("entity.not_found", `Cannot find reading study ${id}: no such number`);
  }
  return study;
}

/** Whether the images of a case can be shown: now, after a running analysis, or not any more. */
export async function imagesOf(db: Database, pid: number): Promise<"ready" | "awaited" | "none"> {
  const patient = await findPatient(db, pid);
  if (!patient) return "none";
  const { t1, t2 } = await completedAnalyses(db, patient);
  if (t1 !== null || t2 !== null) return "ready";
  const { t1_analysis_status, t2_analysis_status } = patient.row;
  return [t1_analysis_status, t2_analysis_status].some(isAnalyzing) ? "awaited" : "none";
}

const hasImages = async (db: Database, pid: number): Promise<boolean> =>
  await imagesOf(db, pid) === "ready";

/**
 * Time at which a reader's second session opens; `null` until the reader ends the first session.
 */
export function sessionOpensAt(
  { washoutDays }: Pick<StoredReadingStudy, "washoutDays">,
  readings: readonly StoredReading[],
): string | null {
  const answered = readings.flatMap(({ session, answer }) =>
    session === 0 && answer ? [answer.answeredAt] : []
  );
  return answered.length === 0
    ? null
    : washoutEnd(answered.reduce((a, b) => a > b ? a : b), washoutDays);
}

function progressOf(study: StoredReadingStudy, readings: readonly StoredReading[]) {
  const open = readings.filter(({ answer }) => answer === null);
  const opensAt = sessionOpensAt(study, readings);
  const isWaiting = opensAt !== null && opensAt > nowIso() && open.length > 0 &&
    open.every(({ session }) => session === 1);
  return {
    done: readings.length - open.length,
    total: readings.length,
    ...isWaiting ? { opens_at: opensAt } : {},
  };
}

/**
 * Reader studies visible to the caller: all for administrators, otherwise those that they read in.
 */
export async function getReadingStudies(
  { db }: ServiceContext,
  caller: Caller,
): Promise<ReadingStudyList> {
  const isAdministrator = mayDo(caller.role, "administer");
  const studies: ReadingStudyEntry[] = [];
  for (const study of await listReadingStudies(db)) {
    const readers = await listReaders(db, study.id);
    const mine = readers.find(({ userId }) => userId === caller.uid);
    if (!isAdministrator && !mine) continue;
    const { cases, done, total } = await countReadings(db, study.id);
    studies.push({
      id: study.id,
      title: study.title,
      created_at: study.createdAt,
      cases,
      readers: readers.length,
      mine: mine ? progressOf(study, await listReadings(db, study.id, mine.number)) : null,
      all: isAdministrator ? { done, total } : null,
    });
  }
  return { studies };
}

/** @throws {AppError} `reading_study.readers` with the accounts that cannot be readers. */
async function checkReaders(db: Database, readers: readonly number[], caller: Caller) {
  const { users } = await listAccounts(db);
  const may = new Set(
    users.filter(({ user_id, role, state }) =>
      mayDo(role, "look") && state !== "suspended" && user_id !== caller.uid
    ).map(({ user_id }) => user_id),
  );
  const unfit = readers.filter((reader) => !may.has(reader));
  if (unfit.length > 0) {
    throw new AppError(
      "reading_study.readers",
      "Cannot begin the reading study: an account cannot be a reader",
      { users: unfit.slice(0, 10).join(", ") },
    );
  }
}

/**
 * Stores a reading study, with a plan of readings for every reader.
 * @throws {AppError} `reading_study.no_images` with the cases that have no images to show,
 * `reading_study.readers`, `access.forbidden`.
 */
export async function addReadingStudy(
  { db }: Pick<ServiceContext, "db">,
  post: ReadingStudyPost,
  caller: Caller,
  seed = randomInt(1, 2 ** 31 - 1),
): Promise<{ id: number }> {
  await checkMaintenance(db, caller);
  await checkReaders(db, post.readers, caller);
  const missing: number[] = [];
  for (const { pid } of post.cases) if (!await hasImages(db, pid)) missing.push(pid);
  if (missing.length > 0) {
    throw new AppError(
      "reading_study.no_images",
      "Cannot begin the reading study: a case has no images to show",
      { pids: missing.slice(0, 10).join(", ") },
    );
  }
  const plans = planReadings(
    post.cases.map(({ reference }) => reference),
    post.readers.length,
    post.arms,
    new Random(seed),
  );
  const by = { seed, at: nowIso(), userId: caller.uid };
  return { id: await db.transaction().execute((tx) => insertReadingStudy(tx, post, plans, by)) };
}

/** Answers of all readings, in the form that the statistics need. */
const countedAnswers = (readings: readonly StoredReading[]): CountedAnswer[] =>
  readings.flatMap(({ reader, caseNumber, arm, answer }) =>
    answer
      ? [{
        reader,
        caseIndex: caseNumber - 1,
        arm,
        rating: answer.rating,
        decision: answer.decision,
        seconds: answer.visibleMs / 1000,
      }]
      : []
  );

const statisticsOf = (
  study: StoredReadingStudy,
  cases: readonly StoredCase[],
  readings: readonly StoredReading[],
) =>
  readingStatistics({
    scale: study.scale,
    arms: study.arms,
    references: cases.map(({ reference }) => reference),
    readers: Math.max(0, ...readings.map(({ reader }) => reader)),
  }, countedAnswers(readings));

/**
 * Hides other readers' answers, and the list of cases, from readers who have not finished.
 * @throws {AppError} `reading_study.blinded`.
 */
async function checkUnblinded(db: Database, id: number, caller: Caller): Promise<void> {
  const reader = (await listReaders(db, id)).find(({ userId }) => userId === caller.uid);
  if (!reader) return;
  const readings = await listReadings(db, id, reader.number);
  if (readings.some(({ answer }) => answer === null)) {
    throw new AppError(
      "reading_study.blinded",
      `Cannot show reading study ${id}: the caller still reads its cases`,
    );
  }
}

/** All data of a reading study. For administrators only. */
async function readStudy({ db }: ServiceContext, id: number, caller: Caller) {
  await checkMaintenance(db, caller);
  const study = await mustFindStudy(db, id);
  await checkUnblinded(db, id, caller);
  const [cases, readings] = [await listCases(db, id), await listReadings(db, id)];
  const readers = await listReaders(db, id);
  const isChanged = changesIn(readings), isKnown = await knownCases(db, id, cases, readers);
  const isLeftOut = (reading: StoredReading) =>
    reading.answer !== null && (isKnown(reading) || isChanged(reading) === true);
  const leftOut = readings.filter(isLeftOut).length;
  return {
    study,
    cases,
    readings,
    readers,
    isChanged,
    isKnown,
    statistics: statisticsOf(study, cases, readings),
    unaffected: leftOut === 0 ? null : {
      left_out: leftOut,
      statistics: statisticsOf(
        study,
        cases,
        readings.map((reading) => isLeftOut(reading) ? { ...reading, answer: null } : reading),
      ),
    },
  };
}

/**
 * Design, progress and statistics of a reading study.
 * @throws {AppError} `entity.not_found`, `reading_study.blinded`, `access.forbidden`.
 */
export async function getReadingStudy(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<ReadingStudyDetails> {
  const { db } = services;
  const all = await readStudy(services, id, caller);
  const { study, cases, readings, statistics, unaffected } = all;
  const users = new Map((await listAccounts(db)).users.map((each) => [each.user_id, each.email]));
  const shownCases = [];
  for (const { number, pid, reference } of cases) {
    const has_changed = readings.some((reading) =>
      reading.caseNumber === number && all.isChanged(reading) === true
    );
    const is_available = await hasImages(db, pid);
    shownCases.push({ number, pid, reference, is_available, has_changed });
  }
  return {
    id,
    title: study.title,
    question: study.question,
    scale: study.scale,
    asks_decision: study.asksDecision,
    asks_region: study.asksRegion,
    arms: study.arms,
    washout_days: study.washoutDays,
    created_at: study.createdAt,
    created_by: users.get(study.createdBy) ?? null,
    seed: study.seed,
    is_removable: readings.every(({ openedAt }) => openedAt === null),
    cases: shownCases,
    readers: all.readers.map(({ number, userId }) => {
      const own = readings.filter(({ reader }) => reader === number);
      const known = own.filter(all.isKnown).map(({ caseNumber }) => caseNumber);
      const known_cases = new Set(known).size, user = users.get(userId) ?? null;
      return { number, user, known_cases, ...progressOf(study, own) };
    }),
    statistics,
    unaffected,
  };
}

const rowsOf = (
  { cases, readings, isChanged, isKnown }: Awaited<ReturnType<typeof readStudy>>,
): ReadingRow[] =>
  readings.flatMap((reading) => {
    const { reader, place, session, caseNumber, arm, openedAt, answer } = reading;
    return answer
      ? [{
        reader,
        case: caseNumber,
        reference: cases[caseNumber - 1]!.reference,
        session: session + 1,
        reading: place + 1,
        arm,
        rating: answer.rating,
        decision: answer.decision,
        region: answer.region,
        visible_seconds: answer.visibleMs / 1000,
        elapsed_seconds: answer.elapsedMs / 1000,
        pauses: answer.pauses,
        opened_at: openedAt!,
        answered_at: answer.answeredAt,
        engine_version: answer.engineVersion,
        results_changed: isChanged(reading),
        known_case: isKnown(reading),
      }]
      : [];
  });

const COLUMNS = [
  "reader",
  "case",
  "reference",
  "session",
  "reading",
  "arm",
  "rating",
  "decision",
  "region",
  "visible_seconds",
  "elapsed_seconds",
  "pauses",
  "opened_at",
  "answered_at",
  "engine_version",
  "results_changed",
  "known_case",
] as const satisfies readonly (keyof ReadingRow)[];

/**
 * Answered readings without the identity of patients and readers.
 * @throws as {@link getReadingStudy}.
 */
export async function exportReadingStudy(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<ReadingExport> {
  const all = await readStudy(services, id, caller), { study, statistics, unaffected } = all;
  return {
    title: study.title,
    question: study.question,
    scale: study.scale,
    arms: study.arms,
    washout_days: study.washoutDays,
    seed: study.seed,
    rows: rowsOf(all),
    statistics,
    unaffected,
  };
}

/** Answered readings as CSV; truth values are 1 and 0, and unknown values are empty. */
export const readingCsv = ({ rows }: ReadingExport): string =>
  csvText([
    COLUMNS,
    ...rows.map((row) =>
      COLUMNS.map((column) => {
        const value = row[column];
        return typeof value === "boolean" ? Number(value) : value ?? "";
      })
    ),
  ], true);

/**
 * Removes a reading study, if no reader has opened a case yet.
 * @throws {AppError} `reading_study.begun`, `entity.not_found`, `access.forbidden`.
 */
export async function removeReadingStudy(
  { db }: ServiceContext,
  id: number,
  caller: Caller,
): Promise<void> {
  await checkMaintenance(db, caller);
  await db.transaction().execute(async (tx) => {
    await mustFindStudy(tx, id);
    if (!await deleteReadingStudy(tx, id)) {
      throw new AppError(
        "reading_study.begun",
        `Cannot remove reading study ${id}: a reading has been opened`,
      );
    }
  });
}
