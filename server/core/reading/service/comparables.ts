import {
  type Affine,
  affineFromRowMajor,
  applyAffine,
  compose,
  invert,
  rowMajor,
} from "@/model/geometry.ts";
import { commissuresIn } from "@/model/linear/head_axes.ts";
import type { ComparableList } from "@/model/schema/reading/comparables.ts";
import type { AnalysisResults } from "@/server/core/analyses/storage/analyses.ts";
import { otherPersonVisits, personsOf } from "@/server/core/studies/service/headers/persons.ts";
import { findPatient, listHistory } from "@/server/core/studies/storage/patients.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { completedAnalyses, mustFindPatient } from "@/server/core/studies/service/patients.ts";

/** Affine from the atlas to a study; `null` for results without a registration. */
function atlasIn(results: AnalysisResults | null): Affine<"Ras", "Ras"> | null {
  const rows = results?.quality.subjectFromAtlasRows;
  const isSound = Array.isArray(rows) && rows.length === 16 && rows.every(Number.isFinite);
  return isSound ? affineFromRowMajor<"Ras", "Ras">(rows as number[]) : null;
}

/**
 * Rotation closest to an affine's linear part, and a translation that maps a given point as the
 * affine does. Scale and shear are left out as errors of the registrations:
 * the head has the same size in both studies.
 *
 * @see Higham 1986, doi:10.1137/0907079 (polar decomposition by Newton's iteration).
 */
export function rigidNear(affine: Affine<"Ras", "Ras">, centre: readonly [number, number, number]) {
  const at = (r: number, c: number) => affine[4 * c + r]!;
  let m = [0, 1, 2].map((r) => [0, 1, 2].map((c) => at(r, c)));
  for (let n = 0; n < 30; n++) {
    const [[a, b, c], [d, e, f], [g, h, i]] = m as [
      [number, number, number],
      [number, number, number],
      [
        number,
        number,
        number,
      ],
    ];
    const det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
    // inverse transpose of the affine's linear part
    const t = [
      [e * i - f * h, f * g - d * i, d * h - e * g],
      [c * h - b * i, a * i - c * g, b * g - a * h],
      [b * f - c * e, c * d - a * f, a * e - b * d],
    ];
    m = m.map((row, r) => row.map((value, col) => (value + t[r]![col]! / det) / 2));
  }
  const place = [0, 1, 2].map((r) =>
    at(r, 0) * centre[0] + at(r, 1) * centre[1] + at(r, 2) * centre[2] + at(r, 3)
  );
  const rows = m.flatMap((row, r) => [
    ...row,
    place[r]! - row[0]! * centre[0] - row[1]! * centre[1] - row[2]! * centre[2],
  ]);
  return affineFromRowMajor<"Ras", "Ras">([...rows, 0, 0, 0, 1]);
}

/** Centre of the brain in the atlas, RAS mm. */
const ATLAS_CENTRE = [0, -18, 10] as const;

/**
 * Rigid transform to this study from another study of the same head, by way of the atlas.
 * See {@link rigidNear}.
 */
export const viewerFromOther = (
  own: Affine<"Ras", "Ras">,
  theirs: Affine<"Ras", "Ras">,
): Affine<"Ras", "Ras"> =>
  rigidNear(compose(own, invert(theirs)), applyAffine(theirs, ATLAS_CENTRE));

/**
 * Other analysed studies of the same patient.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function getComparables({ db }: ServiceContext, pid: number): Promise<ComparableList> {
  const patient = await mustFindPatient(db, pid), { row } = patient;
  const ownAtlas = atlasIn((await completedAnalyses(db, patient)).t1?.results ?? null),
    studies = [];
  const commissures = ownAtlas && commissuresIn(ownAtlas);
  if (row.patient_id === "") return { studies: [], commissures };
  const persons = await personsOf(db, row.patient_id), others = [];
  for (const { row: visit } of await listHistory(db, row.patient_id)) {
    const otherPatient = visit.pid === pid ? null : await findPatient(db, visit.pid);
    if (!otherPatient) continue;
    const { t1, t2 } = await completedAnalyses(db, otherPatient),
      theirs = atlasIn(t1?.results ?? null);
    if (!t1 && !t2) continue;
    if (persons.sameAs(row, [visit]).length === 0) {
      others.push(visit);
      continue;
    }
    studies.push({
      pid: visit.pid,
      study_date: visit.study_date,
      series: [t1, t2].flatMap((analysis) => analysis ? [analysis.kind] : []),
      viewer_from_other: ownAtlas && theirs && rowMajor(viewerFromOther(ownAtlas, theirs)),
    });
  }
  const date = row.study_date ?? "",
    isBefore = (one: { study_date: string | null }) => (one.study_date ?? "") < date;
  const sorted = studies.sort((a, b) => (b.study_date ?? "").localeCompare(a.study_date ?? ""));
  return {
    studies: [...sorted.filter(isBefore), ...sorted.filter((one) => !isBefore(one))],
    ...(others.length > 0 && { not_compared: otherPersonVisits(persons, row, others) }),
    commissures,
  };
}
