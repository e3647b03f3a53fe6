import type { Database } from "@/server/core/database/database.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";

/** Few patients, so that chains, circles and repetitions of merges are frequent. */
export const PATIENTS = 12;

/** Random numbers below `n` from a seed (mulberry32). */
export function randomOf(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * n);
  };
}

export interface Message {
  kind: "update" | "merge";
  id: string;
  prior: string;
  name: string;
  /** `null`: not in the message */
  birth?: string | null;
  sex?: "male" | "female" | null;
  /** minutes since the beginning of the test's year */
  minute: number;
}

interface ModelStudy {
  id: string;
  name: string;
  birth: string | null;
  sex: "male" | "female" | null;
}

const areOther = (a: Omit<ModelStudy, "id" | "name">, b: Omit<ModelStudy, "id" | "name">) =>
  (a.birth !== null && b.birth !== null && a.birth !== b.birth) ||
  (a.sex !== null && b.sex !== null && a.sex !== b.sex);

const hasOthers = (studies: readonly ModelStudy[]) =>
  studies.some((one) => studies.some((other) => areOther(one, other)));

/**
 * Who has which study, by the sentences of ADR 0053 alone: a table of studies, one of former IDs,
 * and the last time at which each ID was used as a valid one.
 */
export class Model {
  readonly studies: ModelStudy[] = [];
  /** updates of some of an ID's studies, and messages refused because two people share an ID */
  readonly seen = { narrowed: 0, refused: 0 };
  readonly #former = new Map<string, { to: string; minute: number }>();
  readonly #used = new Map<string, number>();

  #valid(id: string): string {
    for (let next = this.#former.get(id); next; next = this.#former.get(id)) id = next.to;
    return id;
  }

  addStudy(
    id: string,
    name: string,
    birth: string | null = "1960-05-20",
    sex: "male" | "female" | null = "male",
  ): void {
    this.studies.push({ id: this.#valid(id), name, birth, sex });
  }

  /** Studies of the one person in an update; `null` when several people may be meant. */
  #meant(id: string, birth: string | null, sex: ModelStudy["sex"]): ModelStudy[] | null {
    const own = this.studies.filter((study) => study.id === id);
    if (!hasOthers(own)) return own;
    const given = { birth, sex };
    const meant = own.filter((study) => {
      const isUncertain = hasOthers(own.filter((other) => !areOther(study, other)));
      const isNamed = birth ? study.birth === birth : sex && study.sex === sex;
      return isNamed && !isUncertain && !areOther(study, given);
    });
    return meant.length === 0 || hasOthers(meant) ? null : meant;
  }

  take({ kind, id, prior, name, birth = null, sex = null, minute }: Message): void {
    const used = (of: string) => this.#used.get(of) ?? -Infinity;
    const note = () => this.#used.set(id, Math.max(used(id), minute));
    const write = (studies: readonly ModelStudy[]) => {
      for (const study of studies) {
        study.name = name;
        study.birth = birth ?? study.birth;
        study.sex = sex ?? study.sex;
      }
    };
    const of = (one: string) => this.studies.filter((study) => study.id === one);
    if (kind === "update") {
      if (minute < used(id)) return;
      const has = this.studies.some((study) => study.id === id);
      if (!has && this.#former.has(id)) return;
      const meant = this.#meant(id, birth, sex);
      if (meant === null) return void this.seen.refused++;
      if (meant.length < of(id).length) this.seen.narrowed++;
      write(meant);
      return void note();
    }
    const priors = this.#former.get(prior), later = this.#former.get(id);
    if (id === prior || (priors && priors.minute > minute) || used(prior) > minute) return;
    const isLater = later !== undefined && later.minute > minute;
    const to = isLater ? this.#valid(id) : id;
    if (to === prior) return;
    if (hasOthers(of(prior)) || hasOthers(of(to))) return void this.seen.refused++;
    this.#former.delete(prior);
    if (!isLater) this.#former.delete(id);
    for (const study of this.studies) if (study.id === prior) study.id = to;
    this.#former.set(prior, { to: id, minute });
    if (!isLater && minute >= used(id)) write(of(id));
    note();
  }
}

const SEXES = { male: "M", female: "F", none: "" };

/** The message in HL7. */
export const textOf = (
  { kind, id, prior, name, birth, sex, minute }: Message,
  control: string,
) => {
  const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString().replaceAll(/[-:T]/g, "")
    .slice(0, 12);
  const merge = kind === "merge" ? { prior } : {};
  const person = { birth: (birth ?? "").replaceAll("-", ""), sex: SEXES[sex ?? "none"] };
  return adt({ event: merge.prior ? "A40" : "A08", id, control, name, at, ...person, ...merge });
};

/** Patient of each study, in their order. */
export const readStudies = async (db: Database) =>
  (await db.selectFrom("patients").select([
    "patient_id",
    "patient_name",
    "patient_birthdate",
    "patient_sex",
  ]).orderBy("pid").execute())
    .map((row) => ({
      id: row.patient_id,
      name: row.patient_name,
      birth: row.patient_birthdate,
      sex: row.patient_sex,
    }));

/** Birth date and sex of a study or message: mostly of one person, often incomplete. */
export const randomPerson = (random: (n: number) => number) => ({
  birth: [null, "1950-01-01", "1950-01-01", "1950-01-01", "1975-01-01"][random(5)]!,
  sex: ([null, "female", "female", "female", "male"] as const)[random(5)]!,
});

/** A message of a round; late ones are up to an hour old. */
export const randomMessage = (random: (n: number) => number, round: number): Message => ({
  kind: random(3) === 0 ? "merge" : "update",
  id: `P-${random(PATIENTS)}`,
  prior: `P-${random(PATIENTS)}`,
  name: `Name ${round}`,
  ...randomPerson(random),
  minute: round - (random(4) === 0 ? random(60) : 0),
});
