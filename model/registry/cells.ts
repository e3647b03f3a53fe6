// Demographics and acquisition of a study for a registry. Coarsened until at least MIN_PERSONS
// people share them (k-anonymity: Sweeney, Int J Uncertain Fuzz 2002;10:557–570).
import type { Acquisition } from "@/model/registry/acquisition.ts";
import type { Sex } from "@/model/norms/norms.ts";

/**
 * Minimum number of people with the same demographics and acquisition, for a risk of at most .09.
 * The European Medicines Agency and Health Canada require this of published patient data.
 */
export const MIN_PERSONS = 11;

/** A study, with the attributes by which its patient could be identified. */
export interface RegistryPlace extends Acquisition {
  /** key of the patient, which is not sent to the registry; empty: unknown */
  person: string;
  /** age in whole years; `null`: unknown or implausible */
  age: number | null;
  sex: Sex | null;
  year: number | null;
  engine: string | null;
}

/** Demographics and acquisition of a study as sent to the registry; `null`: unknown or withheld. */
export interface RegistryCell extends Acquisition {
  ageBand: string | null;
  sex: Sex | null;
  year: number | null;
  engine: string | null;
  /** level of coarsening; 0: as fine as possible; {@link COARSEST}: all is withheld */
  level: number;
}

/** Lower limits of the bands, years. Children and ages above 89 are one band each. */
const FINE = [0, 18, 30, 40, 50, 60, 70, 80, 90], WIDE = [0, 18, 40, 60, 90];

function bandOf(age: number | null, limits: readonly number[]): string | null {
  if (age === null || !(age >= 0)) return null;
  const at = limits.findLastIndex((limit) => age >= limit), next = limits[at + 1];
  return at === 0
    ? `<${next}`
    : next === undefined
    ? `${limits[at]}+`
    : `${limits[at]}–${next - 1}`;
}

const NOTHING: Omit<RegistryCell, "level"> = {
  ageBand: null,
  sex: null,
  year: null,
  engine: null,
  manufacturer: null,
  model: null,
  fieldT: null,
  voxelMm: null,
};

/** Functions that coarsen the attributes of a study, from fine to coarse. */
const LEVELS: readonly ((place: RegistryPlace) => Omit<RegistryCell, "level">)[] = [
  ({ age, sex, year, engine, manufacturer, model, fieldT, voxelMm }) => ({
    ...{ ageBand: bandOf(age, FINE), sex, year, engine },
    ...{ manufacturer, model, fieldT, voxelMm },
  }),
  ({ age, sex, year, engine, manufacturer, fieldT }) => ({
    ...{ ...NOTHING, ageBand: bandOf(age, FINE), sex, year, engine, manufacturer, fieldT },
  }),
  ({ age, sex, manufacturer }) => ({ ...NOTHING, ageBand: bandOf(age, WIDE), sex, manufacturer }),
  ({ age, sex }) => ({ ...NOTHING, ageBand: bandOf(age, WIDE), sex }),
  () => NOTHING,
];
export const COARSEST = LEVELS.length - 1;

/** Attributes of a study of which everything is withheld. */
export const WITHHELD_CELL: RegistryCell = { ...NOTHING, level: COARSEST };

/** Attributes of a study at a level of coarsening. */
export const cellAt = (place: RegistryPlace, level: number): RegistryCell => ({
  ...LEVELS[level]!(place),
  level,
});

/** joined by bars, which is unambiguous, since no value contains a bar */
const keyOf = (place: RegistryPlace, level: number): string =>
  Object.values(LEVELS[level]!(place)).join("|");

/** Whether percentiles would reveal more about the age than an age band with an open end. */
export const hasOpenBand = ({ ageBand }: RegistryCell): boolean =>
  ageBand === null || /[<+]/.test(ageBand);

/**
 * Finds the level of coarsening of every study: the finest at which at least `minPersons` people
 * without a finer level have the same attributes. Studies of unknown persons count as one person.
 * Memory: five numbers per study, and one text for each combination of attributes.
 */
export class CellCounts {
  /** for each level, the number of the combination of attributes of each study */
  readonly #cells: number[][] = LEVELS.map(() => []);
  readonly #persons: number[] = [];
  readonly #withheld = new Set<number>();
  readonly #personNumbers = new Map<string, number>();
  readonly #cellNumbers: Map<string, number>[] = LEVELS.map(() => new Map());

  /** Adds the next study of the file. */
  add(place: RegistryPlace): void {
    this.#persons.push(numberOf(this.#personNumbers, place.person));
    for (const level of LEVELS.keys()) {
      this.#cells[level]!.push(numberOf(this.#cellNumbers[level]!, keyOf(place, level)));
    }
  }

  /**
   * Attributes of a study as sent to the registry, read a second time.
   * Withheld if the attributes have changed since they were counted.
   */
  cellOf(study: number, place: RegistryPlace, levels: Uint8Array): RegistryCell {
    const level = levels[study]!, cell = cellAt(place, level);
    const isCounted =
      this.#cellNumbers[level]!.get(keyOf(place, level)) === this.#cells[level]![study];
    return isCounted ? cell : cellAt(place, COARSEST);
  }

  /** Withholds all attributes of a study, which then no longer counts as one that shares them. */
  withhold(study: number): void {
    this.#withheld.add(study);
  }

  get studies(): number {
    return this.#persons.length;
  }

  get persons(): number {
    return this.#personNumbers.size;
  }

  /** Level of coarsening of each study, in the order of {@link add}. */
  levels(minPersons: number = MIN_PERSONS): Uint8Array {
    const levels = new Uint8Array(this.studies).fill(COARSEST);
    let rest = Array.from(levels.keys()).filter((study) => !this.#withheld.has(study));
    for (let level = 0; level < COARSEST; level++) {
      const cells = this.#cells[level]!, people = new Map<number, Set<number>>();
      for (const study of rest) {
        const cell = cells[study]!, of = people.get(cell) ?? new Set();
        people.set(cell, of);
        if (of.size < minPersons) of.add(this.#persons[study]!);
      }
      const isShared = (study: number) => people.get(cells[study]!)!.size >= minPersons;
      for (const study of rest) if (isShared(study)) levels[study] = level;
      rest = rest.filter((study) => !isShared(study));
    }
    return levels;
  }
}

function numberOf(numbers: Map<string, number>, key: string): number {
  const number = numbers.get(key) ?? numbers.size;
  numbers.set(key, number);
  return number;
}
