// Statistics of a reading study, computed from the readers' answers.
import { icc, uncertainKappa } from "@/model/reading_study/agreement.ts";
import { areaDifference, areaEstimate, delong } from "@/model/reading_study/auc.ts";
import {
  logRatio,
  meanOf,
  pairedRatio,
  pairedShares,
  ratioOf,
} from "@/model/reading_study/paired.ts";
import type {
  RatingScale,
  ReadingArm,
  ReadingContrast,
  ReadingStatistics,
} from "@/model/schema/reading/reading_studies.ts";

/** A reader's answer about a case, as the statistics use it. */
export interface CountedAnswer {
  /** number of the reader, from 1 */
  reader: number;
  /** position in the list of cases, from 0 */
  caseIndex: number;
  arm: ReadingArm;
  rating: number | null;
  decision: boolean | null;
  /** seconds during which the images were visible */
  seconds: number;
}

/** Data of a reading study that the statistics need. */
export interface CountedStudy {
  scale: RatingScale;
  arms: readonly ReadingArm[];
  /** reference standard of each case; `null`: unknown */
  references: readonly (boolean | null)[];
  readers: number;
}

type Cell = ReadonlyMap<number, CountedAnswer>;

/** Answers by reader and arm, each by case. */
class Answers {
  readonly #cells = new Map<string, Map<number, CountedAnswer>>();

  constructor(answers: readonly CountedAnswer[]) {
    for (const answer of answers) {
      const key = `${answer.reader} ${answer.arm}`;
      let cell = this.#cells.get(key);
      if (!cell) this.#cells.set(key, cell = new Map());
      cell.set(answer.caseIndex, answer);
    }
  }

  of(reader: number, arm: ReadingArm): Cell {
    return this.#cells.get(`${reader} ${arm}`) ?? new Map();
  }
}

/** Cases with an answer by every given reader in the given arm, and the values of these answers. */
function complete<T>(
  cells: readonly Cell[],
  valueOf: (answer: CountedAnswer) => T | null,
): { cases: number[]; values: T[][] } {
  const cases = [...cells[0]?.keys() ?? []].filter((index) =>
    cells.every((cell) => {
      const answer = cell.get(index);
      return answer !== undefined && valueOf(answer) !== null;
    })
  ).sort((a, b) => a - b);
  const values = cells.map((cell) => cases.map((index) => valueOf(cell.get(index)!)!));
  return { cases, values };
}

/**
 * DeLong's AUCs of readers and arms, on the cases with a reference standard that all have answered.
 */
function areasOf(study: CountedStudy, cells: readonly Cell[]) {
  const known = (answer: CountedAnswer) =>
    study.references[answer.caseIndex] === null ? null : answer.rating;
  const { cases, values } = complete(cells, known);
  return delong(values, cases.map((index) => study.references[index] === true));
}

const readersOf = ({ readers }: CountedStudy): number[] =>
  Array.from({ length: readers }, (_, n) => n + 1);

/** Weights with which the AUCs of some curves form a mean. */
const shares = (length: number, isIn: (n: number) => boolean): number[] => {
  const count = Array.from({ length }, (_, n) => n).filter(isIn).length;
  return Array.from({ length }, (_, n) => isIn(n) ? 1 / count : 0);
};

function armOf(study: CountedStudy, answers: Answers, arm: ReadingArm) {
  const readers = readersOf(study), cells = readers.map((reader) => answers.of(reader, arm));
  const auc = cells.flatMap((cell, n) => {
    const result = areasOf(study, [cell]);
    return result ? [{ reader: n + 1, ...areaEstimate(result, [1]) }] : [];
  });
  const together = areasOf(study, cells);
  const pairs = readers.flatMap((a) => readers.filter((b) => b > a).map((b) => [a, b] as const));
  const kappas = pairs.flatMap(([a, b]) => {
    const both = [cells[a - 1]!, cells[b - 1]!];
    const decisions = complete(both, ({ decision }) => decision === null ? null : Number(decision));
    const ratings = complete(both, ({ rating }) => rating);
    const [first, second] = ratings.values.map((values) => values.map((value) => value - 1));
    const ofDecisions = decisions.cases.length > 0
      ? [uncertainKappa(decisions.values[0]!, decisions.values[1]!, 2)]
      : [];
    const ofRatings = study.scale === "five" && ratings.cases.length > 0
      ? [uncertainKappa(first!, second!, 5, "linear")]
      : [];
    return [
      ...ofDecisions.map((each) => ({ readers: [a, b], of: "decision" as const, ...each })),
      ...ofRatings.map((each) => ({ readers: [a, b], of: "rating" as const, ...each })),
    ];
  });
  const { cases, values } = complete(cells, ({ rating }) => rating);
  return {
    arm,
    readings: cells.reduce((sum, cell) => sum + cell.size, 0),
    auc,
    mean_auc: together && areaEstimate(together, shares(cells.length, () => true)),
    kappas,
    icc: study.scale === "hundred"
      ? icc(cases.map((_, row) => values.map((column) => column[row]!)))
      : null,
  };
}

function contrastOf(study: CountedStudy, answers: Answers): ReadingContrast {
  const readers = readersOf(study);
  const cellsOf = (reader: number) => [answers.of(reader, "with"), answers.of(reader, "without")];
  const secondsOf = ({ seconds }: CountedAnswer) => seconds;
  const each = readers.map((reader) => {
    const cells = cellsOf(reader), result = areasOf(study, cells);
    const { values: [withTimes, withoutTimes] } = complete(cells, secondsOf);
    const isRight = ({ caseIndex, decision }: CountedAnswer) =>
      decision === null || study.references[caseIndex] === null
        ? null
        : decision === study.references[caseIndex];
    const { cases, values: [withRight, withoutRight] } = complete(cells, isRight);
    const only = (a: readonly boolean[], b: readonly boolean[]) =>
      a.filter((right, n) => right && !b[n]).length;
    const onlyWith = only(withRight!, withoutRight!), onlyWithout = only(withoutRight!, withRight!);
    return {
      auc: result && { reader, ...areaDifference(result, [1, 0], [0, 1]) },
      accuracy: cases.length === 0 ? null : {
        reader,
        cases: cases.length,
        only_with: onlyWith,
        only_without: onlyWithout,
        ...accuracyOf(onlyWith, onlyWithout, cases.length),
      },
      time: pairedRatio(withTimes!.map((time, n) => [time, withoutTimes![n]!])),
      reader,
    };
  });
  const cells = readers.flatMap(cellsOf), together = areasOf(study, cells);
  const { cases, values } = complete(cells, secondsOf);
  const logs = cases.map((_, row) =>
    readers.reduce(
      (sum, _, n) => sum + logRatio(values[2 * n]![row]!, values[2 * n + 1]![row]!),
      0,
    ) /
    readers.length
  );
  return {
    auc: each.flatMap(({ auc }) => auc ? [auc] : []),
    mean_auc: together && areaDifference(
      together,
      shares(cells.length, (n) => n % 2 === 0),
      shares(cells.length, (n) => n % 2 === 1),
    ),
    accuracy: each.flatMap(({ accuracy }) => accuracy ? [accuracy] : []),
    time: each.flatMap(({ reader, time }) => time ? [{ reader, ...time }] : []),
    mean_time: ratioOf(meanOf(logs)),
  };
}

function accuracyOf(onlyWith: number, onlyWithout: number, cases: number) {
  const { value, low, high, exactP, midP } = pairedShares(onlyWith, onlyWithout, cases);
  return { value, low, high, exact_p: exactP, mid_p: midP };
}

/**
 * Areas, agreement, accuracy and times of a reading study, each with a 95 % interval.
 * Means over readers are valid for these readers and for cases like these.
 * A case that a reader has not read in all arms is left out of the means.
 */
export function readingStatistics(
  study: CountedStudy,
  answers: readonly CountedAnswer[],
): ReadingStatistics {
  const sorted = new Answers(answers);
  return {
    arms: study.arms.map((arm) => armOf(study, sorted, arm)),
    contrast: study.arms.length === 2 ? contrastOf(study, sorted) : null,
  };
}
