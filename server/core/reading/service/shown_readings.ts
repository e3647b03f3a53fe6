// Images and results that readings of a study showed, and earlier views of a case by its readers.
import { createHash } from "node:crypto";
import { filesOfArm, IMAGE_FILES } from "@/model/reading_study/arm_files.ts";
import type { NextReading, ReadingFile } from "@/model/schema/reading/reading_studies.ts";
import type { Patient } from "@/model/schema/studies/patients.ts";
import type { auditEventText } from "@/model/text/site/audit_events.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  listOtherReadings,
  listUnansweredCases,
  type Shown,
  type StoredCase,
  type StoredReader,
  type StoredReading,
} from "@/server/core/reading/storage/reading_studies.ts";
import { firstViews } from "@/server/core/site/service/audit/views.ts";
import { listVisits } from "@/server/core/studies/service/patients.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex");

/**
 * Digests of the images and results that a reading shows, computed from the URLs of their files.
 * The URL of a file changes with its content.
 * Display scales are left out: they follow from the files, and are missing if one is unreadable.
 */
export function shownBy(
  patient: Pick<Patient, ReadingFile | "wmh_detail">,
  { arm, volume, results }: Pick<NextReading, "arm" | "volume" | "results">,
  engineVersion: string | null,
): Shown {
  const { scales: _scales, ...grid } = volume;
  const files = filesOfArm(patient, arm).map((field) => [field, patient[field]] as const);
  const isImage = ([field]: typeof files[number]) => IMAGE_FILES.includes(field);
  const maps = files.filter((file) => !isImage(file));
  return {
    images: digestOf([grid, files.filter(isImage)]),
    results: arm === "with" ? digestOf([results, maps]) : null,
    engineVersion,
  };
}

/**
 * Whether two readings of a case showed the same images, and the same results if both showed any.
 */
export const isSameShown = (a: Shown, b: Shown): boolean =>
  a.images === b.images && (a.results === null || b.results === null || a.results === b.results);

/**
 * For each opened reading of a study, whether images or results of the case had changed:
 * since an earlier reading of the case, or between opening and answer.
 * @returns a function of a reading; `null` if an older release did not record them.
 */
export function changesIn(
  readings: readonly StoredReading[],
): (reading: StoredReading) => boolean | null {
  const earliest = new Map<number, Shown[]>();
  const opened = readings.filter(({ shown }) => shown !== null)
    .sort((a, b) => a.openedAt! < b.openedAt! ? -1 : 1);
  for (const { caseNumber, shown } of opened) {
    // readings are compared with the case's first reading, and its first one with results
    const first = earliest.get(caseNumber) ?? [];
    if (first.length === 0 || shown!.results !== null && first.every((one) => !one.results)) {
      first.push(shown!);
    }
    earliest.set(caseNumber, first);
  }
  return ({ caseNumber, shown, isChanged }) =>
    isChanged
      ? true
      : shown === null
      ? null
      : !(earliest.get(caseNumber) ?? []).every((one) => isSameShown(one, shown));
}

/**
 * Whether a reader saw a case outside the reading study before answering, or, if unanswered, at any
 * time until now: in another reading study or, by the audit log, in the viewer, a report, the
 * worklist or any other response with the case's results (see `ShownStudies`).
 */
export async function knownCases(
  db: Database,
  id: number,
  cases: readonly StoredCase[],
  readers: readonly StoredReader[],
): Promise<(reading: Pick<StoredReading, "reader" | "caseNumber" | "answer">) => boolean> {
  const userOf = new Map(readers.map(({ number, userId }) => [number, userId]));
  const pidOf = new Map(cases.map(({ number, pid }) => [number, pid]));
  const key = (userId: number, pid: number) => `${userId} ${pid}`;
  const userIds = [...userOf.values()], pids = [...pidOf.values()];
  const firstAt = new Map<string, string>();
  const note = (userId: number, pid: number, at: string) => {
    const earlier = firstAt.get(key(userId, pid));
    if (earlier === undefined || at < earlier) firstAt.set(key(userId, pid), at);
  };
  for (const { userId, pid, at } of await firstViews(db, userIds, pids)) note(userId, pid, at);
  for (const { userId, pid, openedAt } of await listOtherReadings(db, { id, userIds, pids })) {
    note(userId, pid, openedAt);
  }
  return ({ reader, caseNumber, answer }) => {
    const at = firstAt.get(key(userOf.get(reader)!, pidOf.get(caseNumber)!));
    return at !== undefined && (answer === null || at < answer.answeredAt);
  };
}

/**
 * Cases that a user still has to read, and has not seen outside of the reading study.
 * @param pids  Studies that a response shows; called only if the user has readings left.
 * @param hasVisits  Whether the response may also show other studies of the same patients.
 * @returns `null` if the studies are unknown and the user has readings left.
 */
export async function unseenAmong(
  { db }: Pick<ServiceContext, "db">,
  { uid }: Pick<Caller, "uid">,
  pids: () => Promise<readonly number[] | null>,
  hasVisits: boolean,
): Promise<number[] | null> {
  const unanswered = await listUnansweredCases(db, uid);
  if (unanswered.length === 0) return [];
  const named = await pids();
  if (named === null) return null;
  const shown = new Set(hasVisits ? await listVisits(db, named) : named);
  const cases = unanswered.filter((pid) => shown.has(pid));
  const seen = new Set((await firstViews(db, [uid], cases)).map(({ pid }) => pid));
  return cases.filter((pid) => !seen.has(pid));
}

/** Audit events with entries that name the case of a reading; some entries also name the arm. */
const NAMING_EVENTS: readonly (keyof typeof auditEventText)[] = [
  "reading_study.read",
  "reading_study.answer",
  "reading_study.seen",
];

/**
 * Audit events hidden from a user who still has readings to answer: their entries would reveal
 * which studies are cases, and in which arm they are shown.
 */
export const hiddenEvents = async (
  { db }: Pick<ServiceContext, "db">,
  { uid }: Pick<Caller, "uid">,
): Promise<readonly string[] | undefined> =>
  (await listUnansweredCases(db, uid)).length > 0 ? NAMING_EVENTS : undefined;
