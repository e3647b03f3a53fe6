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
  /** minutes since the beginning of the test's year */
  minute: number;
}

/**
 * Who has which study, by the sentences of ADR 0053 alone: a table of studies, one of former IDs,
 * and the last time at which each ID was used as a valid one.
 */
export class Model {
  readonly studies: { id: string; name: string }[] = [];
  readonly #former = new Map<string, { to: string; minute: number }>();
  readonly #used = new Map<string, number>();

  #valid(id: string): string {
    for (let next = this.#former.get(id); next; next = this.#former.get(id)) id = next.to;
    return id;
  }

  addStudy(id: string, name: string): void {
    this.studies.push({ id: this.#valid(id), name });
  }

  take({ kind, id, prior, name, minute }: Message): void {
    const used = (of: string) => this.#used.get(of) ?? -Infinity;
    const note = () => this.#used.set(id, Math.max(used(id), minute));
    const rename = (of: string) => {
      for (const study of this.studies) if (study.id === of) study.name = name;
    };
    if (kind === "update") {
      if (minute < used(id)) return;
      const has = this.studies.some((study) => study.id === id);
      if (!has && this.#former.has(id)) return;
      rename(id);
      return void note();
    }
    const priors = this.#former.get(prior), later = this.#former.get(id);
    if (id === prior || (priors && priors.minute > minute) || used(prior) > minute) return;
    const isLater = later !== undefined && later.minute > minute;
    const to = isLater ? this.#valid(id) : id;
    if (to === prior) return;
    this.#former.delete(prior);
    if (!isLater) this.#former.delete(id);
    for (const study of this.studies) if (study.id === prior) study.id = to;
    this.#former.set(prior, { to: id, minute });
    if (!isLater && minute >= used(id)) rename(id);
    note();
  }
}

/** The message in HL7. */
export const textOf = ({ kind, id, prior, name, minute }: Message, control: string) => {
  const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString().replaceAll(/[-:T]/g, "")
    .slice(0, 12);
  const merge = kind === "merge" ? { prior } : {};
  return adt({ event: merge.prior ? "A40" : "A08", id, control, name, at, ...merge });
};

/** Patient of each study, in their order. */
export const readStudies = async (db: Database) =>
  (await db.selectFrom("patients").select(["patient_id", "patient_name"]).orderBy("pid").execute())
    .map((row) => ({ id: row.patient_id, name: row.patient_name }));

/** A message of a round; late ones are up to an hour old. */
export const randomMessage = (random: (n: number) => number, round: number): Message => ({
  kind: random(3) === 0 ? "merge" : "update",
  id: `P-${random(PATIENTS)}`,
  prior: `P-${random(PATIENTS)}`,
  name: `Name ${round}`,
  minute: round - (random(4) === 0 ? random(60) : 0),
});
