import { affineFromRowMajor, applyAffine, type Vec3 } from "@/model/geometry.ts";
import { AppError } from "@/model/errors.ts";
import type {
  LesionChange,
  LesionChangeList,
  LesionVerdictPut,
} from "@/model/schema/reading/lesion_changes.ts";
import type { WmhDetail } from "@/model/schema/studies/patients.ts";
import { isCounted } from "@/model/regions/lesion_kind.ts";
import { lesionDataOf } from "@/model/measured/lesion_data.ts";
import { hasSameLesionMethod, type LesionMethod } from "@/model/measured/lesion_method.ts";
import {
  findAnalysis,
  type FlairResults,
  type StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  findFlairChange,
  type FlairVisit,
  listVerdicts,
  saveVerdict,
  type StoredLesion,
} from "@/server/core/analyses/storage/flair_changes.ts";
import { currentFlairChange, flairPairs } from "@/server/core/analyses/service/flair_change.ts";
import { queueChange } from "@/server/core/connections/service/result_queue.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";

const round2 = (value: number): number => Math.round(100 * value) / 100;
const ml = (mm3: number): number => round2(mm3 / 1000);

type ChangeFigures = Pick<LesionChange, "is_sure" | "changed_ml" | "before_ml" | "after_ml">;

/**
 * Volumes of a changed lesion in both studies, mL rounded to 2 decimals, and their difference.
 * A change is only called possible if these volumes contradict it,
 * unless the volumes were measured in different ways, and so cannot be compared.
 * @param isReliable  false if a result has grade C.
 * @param isSameMethod  false if the two results measured lesions in different ways.
 */
export function changeFigures(
  { kind, isSure, beforeMm3, afterMm3 }: Pick<
    StoredLesion,
    "kind" | "isSure" | "beforeMm3" | "afterMm3"
  >,
  { isReliable, isSameMethod }: { isReliable: boolean; isSameMethod: boolean },
): ChangeFigures {
  const before_ml = ml(beforeMm3), after_ml = ml(afterMm3);
  const isAgreed = kind === "new" || kind === "enlarging"
    ? afterMm3 > beforeMm3
    : afterMm3 < beforeMm3;
  return {
    is_sure: isSure && (isAgreed || !isSameMethod) && isReliable,
    changed_ml: isReliable && isSameMethod ? round2(after_ml - before_ml) : null,
    before_ml,
    after_ml,
  };
}

/**
 * Text that identifies reported changes: compared studies and verdicts.
 * `null` without a comparison.
 */
export async function lesionChangesKey(
  db: Database,
  pid: number,
  patientId: string,
): Promise<string | null> {
  const change = await currentFlairChange(db, pid, patientId);
  if (!change) return null;
  const verdicts = (await listVerdicts(db, pid)).map(({ lesion, isConfirmed }) =>
    `${lesion}${isConfirmed}`
  );
  const { analysisId, studyDate, t1Grade } = change.pair.prior;
  return [analysisId, studyDate, t1Grade, ...verdicts].join(" ");
}

/** Method with which a stored result measured the lesions. */
export const lesionMethodOf = (
  analysis: Pick<StoredAnalysis, "engineVersion" | "flair"> | null,
): LesionMethod => ({
  engineVersion: analysis?.engineVersion ?? null,
  tissue: analysis?.flair?.tissue ?? "t1",
});

/** Lesion data of a study as reports show them; `null` without a result. */
const detailOf = (
  flair: FlairResults | null | undefined,
  { t1Grade }: FlairVisit,
): WmhDetail | null => flair ? lesionDataOf(flair, t1Grade).wmh_detail : null;

/** Whether reports list the lesion with this index (lesions of a result are sorted by size). */
const isListed = (flair: FlairResults | null | undefined, index: number): boolean => {
  const lesion = flair?.lesions?.[index];
  return lesion !== undefined && isCounted((lesion.periMm3 + lesion.deepMm3) / 1000);
};

/**
 * Location of a changed lesion: that of the largest listed lesion of the study inside it;
 * if no listed lesion is inside, the location of the change itself.
 */
function placeOf(
  { listed, place }: StoredLesion,
  flair: FlairResults | null | undefined,
): Pick<LesionChange, "place"> {
  const first = listed.after.find((index) => isListed(flair, index));
  const found = (first === undefined ? undefined : flair?.lesions?.[first]?.place) ?? place;
  return found ? { place: found } : {};
}

/** Distance below which two positions of a lesion count as one, mm. */
const ONE_PLACE_MM = 8;

/** Removes positions that are too close to a position before them. */
const apartPlaces = (places: readonly Vec3[]): Vec3[] =>
  places.reduce<Vec3[]>(
    (chosen, place) =>
      chosen.every((other) =>
          Math.hypot(...place.map((mm, axis) => mm - other[axis]!)) >= ONE_PLACE_MM
        )
        ? [...chosen, place]
        : chosen,
    [],
  );

/** Lesion changes since the previous study, with readers' verdicts on them. */
export async function lesionChangesOf(
  db: Database,
  pid: number,
  patientId: string,
): Promise<LesionChangeList> {
  const change = await currentFlairChange(db, pid, patientId);
  if (!change) {
    const pair = (await flairPairs(db, patientId)).find(({ current }) => current.pid === pid);
    const stored = pair && await findFlairChange(db, pid);
    const isFailed = stored?.errorCode && stored.analysisId === pair?.current.analysisId;
    return {
      prior: pair ? { pid: pair.prior.pid, study_date: pair.prior.studyDate } : null,
      state: !pair ? "none" : isFailed ? "failed" : "waiting",
      lesions: [],
    };
  }
  const { pair: { prior, current }, results } = change;
  const analysis = await findAnalysis(db, current.analysisId);
  const flair = analysis?.flair, rows = flair?.t1FromFlairRows;
  const earlier = await findAnalysis(db, prior.analysisId);
  const visits = { before: detailOf(earlier?.flair, prior), after: detailOf(flair, current) };
  const isSameMethod = hasSameLesionMethod(lesionMethodOf(earlier), lesionMethodOf(analysis));
  const isPriorUnreliable = visits.before?.is_unreliable === true;
  const isCurrentUnreliable = visits.after?.is_unreliable === true;
  const isReliable = !isCurrentUnreliable && !isPriorUnreliable;
  const viewerFromFlair = affineFromRowMajor<"Ras", "Ras">(
    rows ?? [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
  );
  const verdicts = new Map(
    (await listVerdicts(db, pid)).map((verdict) => [verdict.lesion, verdict]),
  );
  return {
    prior: { pid: prior.pid, study_date: prior.studyDate },
    state: "compared",
    ...(visits.before && visits.after && {
      counted: { before: visits.before.lesion_count, after: visits.after.lesion_count },
    }),
    ...(isPriorUnreliable && { is_prior_unreliable: true }),
    ...(isCurrentUnreliable && { is_current_unreliable: true }),
    ...(!isSameMethod && { is_other_method: true }),
    lesions: results.lesions.map((lesion, n): LesionChange => {
      const verdict = verdicts.get(n);
      const places = apartPlaces(
        lesion.parts.map((part) =>
          applyAffine(viewerFromFlair, results.compared.changes[part]!.centreRasMm[1])
        ),
      );
      const numbers = lesion.listed.after.filter((index) => isListed(flair, index)).map((index) =>
        index + 1
      );
      return {
        lesion: n,
        kind: lesion.kind,
        ...changeFigures(lesion, { isReliable, isSameMethod }),
        listed: numbers,
        centre_ras_mm: applyAffine(viewerFromFlair, lesion.centreRasMm[1]),
        ...(places.length > 1 && { places_ras_mm: places }),
        ...(lesion.nearLabel && { near_label: lesion.nearLabel }),
        ...placeOf(lesion, flair),
        is_confirmed: verdict?.isConfirmed ?? null,
        decided_at: verdict?.decidedAt ?? null,
        decided_by: verdict?.decider ?? "",
      };
    }),
  };
}

/**
 * Lesions that changed since the previous study.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function getLesionChanges(
  { db }: ServiceContext,
  pid: number,
): Promise<LesionChangeList> {
  return await lesionChangesOf(db, pid, (await mustFindPatient(db, pid)).row.patient_id);
}

/**
 * Confirms or rejects a changed lesion, or withdraws the verdict, for the calling reader.
 * @throws {AppError} `entity.not_found` if the current comparison does not list the lesion.
 */
export async function judgeLesionChange(
  { db, publish }: ServiceContext,
  pid: number,
  lesion: number,
  { is_confirmed }: LesionVerdictPut,
  { uid }: Caller,
): Promise<void> {
  const isQueued = await db.transaction().execute(async (tx) => {
    const { row } = await mustFindPatient(tx, pid);
    const change = await currentFlairChange(tx, pid, row.patient_id);
    if (!change?.results.lesions[lesion]) {
      throw new AppError(
        "entity.not_found",
        `Cannot judge lesion ${lesion}: the study has none of that number`,
      );
    }
    const verdict = is_confirmed === null
      ? null
      : { isConfirmed: is_confirmed, at: nowIso(), userId: uid };
    await saveVerdict(tx, pid, lesion, verdict);
    return await queueChange(tx, pid, "verdicts");
  });
  publish({ event: "study_reading", pid, uid });
  if (isQueued) publish({ event: "study_sent", pid });
}
