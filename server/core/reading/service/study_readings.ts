// Reading studies, for their readers: the next case without identity, its files, and the answer.
import { AppError } from "@/model/errors.ts";
import { washoutEnd } from "@/model/reading_study/design.ts";
import { filesOfArm } from "@/model/reading_study/arm_files.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import {
  type NextReading,
  RATING_LIMITS,
  type ReadingAnswer,
  type ReadingFile,
  type ReadingTask,
} from "@/model/schema/reading/reading_studies.ts";
import type { Patient } from "@/model/schema/studies/patients.ts";
import {
  openViewerFile,
  type ViewerFileSource,
} from "@/server/core/analyses/service/files/viewer_files.ts";
import type { Database } from "@/server/core/database/database.ts";
import { getDisplayScales } from "@/server/core/reading/service/series.ts";
import { isSameShown, shownBy } from "@/server/core/reading/service/shown_readings.ts";
import {
  imagesOf,
  mustFindStudy,
  sessionOpensAt,
} from "@/server/core/reading/service/reading_studies.ts";
import {
  insertAnswer,
  listCases,
  listOtherReadings,
  listReaders,
  listReadings,
  markChanged,
  markOpened,
  type OtherReading,
  type Shown,
  type StoredReading,
  type StoredReadingStudy,
} from "@/server/core/reading/storage/reading_studies.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import {
  completedAnalyses,
  getPatient,
  getVolume,
} from "@/server/core/studies/service/patients.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";

/** Parts of the brain that an answer may contain. */
const PARTS = new Set(REGIONS.map(({ part }) => part));

/** The next reading of a reader, and its reading study. */
interface Next {
  study: StoredReadingStudy;
  reader: number;
  done: number;
  total: number;
  /** `null` if every reading is answered, or the images of the remaining cases were deleted */
  reading: StoredReading & { pid: number } | null;
}

/**
 * The calling reader's readings in a reading study.
 * @throws {AppError} `entity.not_found` also for callers who are not readers of the study.
 */
async function mustFindReadings(db: Database, id: number, caller: Caller) {
  const study = await mustFindStudy(db, id);
  const reader = (await listReaders(db, id)).find(({ userId }) => userId === caller.uid)?.number;
  if (reader === undefined) {
    throw new AppError("entity.not_found", `Cannot find reading study ${id}: no such number`);
  }
  const cases = await listCases(db, id);
  const readings = (await listReadings(db, id, reader))
    .map((reading) => ({ ...reading, pid: cases[reading.caseNumber - 1]!.pid }));
  return { study, reader, readings };
}

/**
 * The reading that is open, otherwise the reader's first unanswered reading with images.
 * If the case of an open reading is being analysed again, or a case is open or in the washout
 * interval of a reading in another reading study, other cases are read meanwhile.
 * @throws {AppError} as {@link mustFindReadings}; `reading_study.washout` with the time at which
 * the next reading opens; `study.not_analyzed` if all remaining cases are being analysed;
 * `reading_study.open_elsewhere` if the reader has the case open in another reading study.
 */
async function findNext(db: Database, id: number, caller: Caller): Promise<Next> {
  const { study, reader, readings } = await mustFindReadings(db, id, caller);
  const left = readings.filter(({ answer }) => answer === null);
  const head = { study, reader, done: readings.length - left.length, total: readings.length };
  const isOpen = ({ openedAt }: StoredReading) => openedAt !== null;
  const pids = left.map(({ pid }) => pid);
  const others = await listOtherReadings(db, { id, userIds: [caller.uid], pids });
  const openElsewhere = new Set(
    others.flatMap(({ pid, answeredAt }) => answeredAt === null ? [pid] : []),
  );
  let isAwaited = false, elsewhere: { session: number } | null = null;
  let wait: { until: string; session: number } | null = null;
  for (const reading of [...left.filter(isOpen), ...left.filter((each) => !isOpen(each))]) {
    // the second session begins after all readings of the first that can be opened
    if (reading.session > Math.min(wait?.session ?? 1, elsewhere?.session ?? 1)) break;
    const images = await imagesOf(db, reading.pid);
    if (images === "awaited") isAwaited = true;
    if (images === "none" || images === "awaited" && !isOpen(reading)) continue;
    // the washout interval of an open reading is over
    if (isOpen(reading)) return { ...head, reading };
    // also without a washout interval, no case is open with and without results at a time
    if (openElsewhere.has(reading.pid)) {
      elsewhere ??= { session: reading.session };
      continue;
    }
    const until = washoutOf(study, readings, others, reading);
    if (until <= nowIso()) return { ...head, reading };
    if (!wait || until < wait.until) wait = { until, session: reading.session };
    // no reading of the second session opens before the session
    if (reading.session === 1 && (sessionOpensAt(study, readings) ?? "") > nowIso()) break;
  }
  if (wait) {
    throw new AppError(
      "reading_study.washout",
      "Cannot open the reading: its washout interval has not passed",
      { until: wait.until },
    );
  }
  if (elsewhere) {
    throw new AppError(
      "reading_study.open_elsewhere",
      "Cannot open the reading: its case is open in another reading study",
    );
  }
  if (isAwaited) throw new AppError("study.not_analyzed", "Cannot open a reading: in analysis");
  return { ...head, reading: null };
}

/**
 * End of the washout interval of a reading: the second session opens some days after the end of
 * the first, and no case is shown earlier than that many days after the reader's last reading of
 * it, in the other session or in any other reading study. Empty without an earlier reading.
 */
function washoutOf(
  study: StoredReadingStudy,
  readings: readonly StoredReading[],
  others: readonly OtherReading[],
  { session, caseNumber, pid }: StoredReading & { pid: number },
): string {
  const ofCase = [
    ...readings.flatMap((each) =>
      each.caseNumber === caseNumber && each.answer ? [each.answer.answeredAt] : []
    ),
    ...others.flatMap((each) => each.pid === pid ? [each.answeredAt ?? each.openedAt] : []),
  ].map((at) => washoutEnd(at, study.washoutDays));
  const ofSession = session === 1 ? sessionOpensAt(study, readings) : null;
  return [...ofCase, ofSession ?? ""].reduce((a, b) => a > b ? a : b, "");
}

/** Volumes, thickness and percentiles that a blinded reader sees: no name, ID, age, sex or date. */
const shownResults = (patient: Patient): NonNullable<NextReading["results"]> => ({
  t1_result: patient.t1_result,
  t1_thick_result: patient.t1_thick_result,
  thickness_reason: patient.thickness_reason,
  aggregates: patient.aggregates,
  wm: patient.wm,
  wmh: patient.wmh,
  deep_wmh: patient.deep_wmh,
  peri_wmh: patient.peri_wmh,
  wmh_detail: patient.wmh_detail,
  icv: patient.icv,
  norm_reason: patient.norm_reason,
  threshold_list: patient.threshold_list,
  t1_quality: patient.t1_quality,
  t2_quality: patient.t2_quality,
});

/**
 * The calling reader's next reading: images, and in the arm with results also results; no identity.
 * @returns the reading task, and the study of the case for the audit log.
 * @throws {AppError} as {@link findNext}.
 */
export async function getNextReading(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<{ task: ReadingTask; pid: number | null }> {
  const { db } = services, { study, reader, done, total, reading } = await findNext(db, id, caller);
  const { title, question, scale, asksDecision, asksRegion } = study;
  const form = { title, question, scale, asks_decision: asksDecision, asks_region: asksRegion };
  if (reading === null) return { task: { ...form, done, total, reading: null }, pid: null };
  const { pid, arm, place } = reading, key = { id, reader, place };
  const { next, shown } = await caseOf(services, reading);
  await markOpened(db, key, nowIso(), shown);
  if (isOtherShown(reading, shown)) await markChanged(db, key);
  return { pid, task: { ...form, done, total, reading: { place, arm, ...next } } };
}

/** Whether an open reading would now show other images or results than when it was opened. */
const isOtherShown = ({ shown }: StoredReading, now: Shown | null): boolean =>
  shown !== null && now !== null && !isSameShown(shown, now);

/** Images and results of a case at present. @throws {AppError} `study.not_analyzed`. */
async function caseOf(
  services: ServiceContext,
  { pid, arm }: StoredReading & { pid: number },
): Promise<{ next: Omit<NextReading, "place" | "arm">; shown: Shown }> {
  const patient = await getPatient(services, pid);
  const volume = {
    ...await getVolume(services, pid),
    scales: await getDisplayScales(services, pid),
  };
  const results = arm === "with" ? shownResults(patient) : null;
  const engineVersion = await engineVersionOf(services.db, pid);
  return {
    next: { volume, files: filesOfArm(patient, arm), results },
    shown: shownBy(patient, { arm, volume, results }, engineVersion),
  };
}

/**
 * A reading that the caller has opened and not answered, also while its images are unavailable.
 * @throws {AppError} `reading_study.answered`, as {@link findNext}, `reading_study.not_next` if
 * the reading has not been opened.
 */
async function mustBeOpen(db: Database, id: number, place: number, caller: Caller) {
  const { study, reader, readings } = await mustFindReadings(db, id, caller);
  const reading = readings.find((each) => each.place === place);
  if (reading?.answer) throw answered(place);
  if (!reading || reading.openedAt === null) {
    // errors of the next reading (such as a washout interval) are reported first
    await findNext(db, id, caller);
    throw new AppError(
      "reading_study.not_next",
      `Cannot open reading ${place}: another one is next, or it has not been opened`,
    );
  }
  return { study, reader, reading: { ...reading, openedAt: reading.openedAt } };
}

const answered = (place: number) =>
  new AppError("reading_study.answered", `Cannot answer reading ${place}: it has an answer`);

/**
 * A file of an open reading. @throws {AppError} `entity.not_found` for a file that this arm does
 * not show, `reading_study.not_next`, and as {@link findNext}.
 */
export async function openReadingFile(
  services: ServiceContext,
  { id, place, field }: { id: number; place: number; field: ReadingFile },
  caller: Caller,
): Promise<{ file: ViewerFileSource; pid: number }> {
  const { reading: { arm, pid } } = await mustBeOpen(services.db, id, place, caller);
  if (!filesOfArm(await getPatient(services, pid), arm).includes(field)) {
    throw new AppError("entity.not_found", "Cannot open the file: the reading does not show it");
  }
  return { file: await openViewerFile(services, pid, field), pid };
}

/**
 * @throws {AppError} `input.invalid` with the field that the study's answer form does not allow.
 */
function checkAnswer(study: StoredReadingStudy, { rating, decision, region }: ReadingAnswer): void {
  const limits = study.scale === "none" ? null : RATING_LIMITS[study.scale];
  const isRatingRight = limits === null
    ? rating === null
    : rating !== null && rating >= limits[0] && rating <= limits[1];
  const isRegionRight = region === null || study.asksRegion && PARTS.has(region);
  const field = !isRatingRight
    ? "rating"
    : (decision !== null) !== study.asksDecision
    ? "decision"
    : isRegionRight
    ? null
    : "region";
  if (field) {
    throw new AppError("input.invalid", `Cannot read the answer: ${field} does not fit the study`, {
      field,
    });
  }
}

/** Version of the engine that made the results of a case. */
async function engineVersionOf(db: Database, pid: number): Promise<string | null> {
  const patient = await findPatient(db, pid);
  if (!patient) return null;
  const { t1, t2 } = await completedAnalyses(db, patient);
  return (t1 ?? t2)?.engineVersion ?? null;
}

/**
 * Stores the answer of an open reading, which cannot be changed afterwards.
 * @returns the case's study number in the worklist, for the audit log.
 * @throws {AppError} `reading_study.answered`, `reading_study.not_next`, `input.invalid`, and
 * as {@link findNext}.
 */
export async function answerReading(
  services: ServiceContext,
  { id, place }: { id: number; place: number },
  answer: ReadingAnswer,
  caller: Caller,
): Promise<{ pid: number }> {
  return await services.db.transaction().execute(async (tx) => {
    const { study, reader, reading } = await mustBeOpen(tx, id, place, caller);
    checkAnswer(study, answer);
    const at = nowIso(), elapsedMs = Math.max(0, Date.parse(at) - Date.parse(reading.openedAt));
    // limited to the time since the reading was opened, because a browser may send any value
    const visible_ms = Math.min(answer.visible_ms, elapsedMs);
    const key = { id, reader, place };
    // a case that is being analysed again, or was deleted, counts as shown with its earlier results
    const now = await imagesOf(tx, reading.pid) === "ready"
      ? (await caseOf({ ...services, db: tx }, reading)).shown
      : null;
    const { engineVersion } = reading.shown ?? now ?? { engineVersion: null };
    if (isOtherShown(reading, now)) await markChanged(tx, key);
    if (!await insertAnswer(tx, key, { ...answer, visible_ms }, { at, elapsedMs, engineVersion })) {
      throw answered(place);
    }
    return { pid: reading.pid };
  });
}
