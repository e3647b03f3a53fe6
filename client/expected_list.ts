// The worklist that is asked for before it is wanted.
import type { PatientListResponse } from "@/model/schema/patients.ts";
import { type WorklistQuery, worklistSearchOf } from "@/model/worklist_query.ts";

/** A list that was asked for before it is shown. */
export interface Begun {
  query: WorklistQuery;
  answer: Promise<PatientListResponse>;
  /** the answer, when it has come before it was wanted */
  data?: PatientListResponse;
  /** to be called when it is shown: it has the new studies that were known of */
  isShown: () => void;
  abort: () => void;
}

/** Whether two states of the worklist have the same address. */
export const isSame = (a: WorklistQuery, b: WorklistQuery): boolean =>
  worklistSearchOf(a) === worklistSearchOf(b);

/** At most one list is expected; whichever is given up is aborted, so that the server does not work for nobody. */
export class ExpectedList {
  #begun: Begun | null = null;

  /**
   * Expects a list, which `begin` asks for unless it is expected already.
   *
   * @returns the answer, if it has just been asked for; `null` when the list is given up or does not come.
   */
  async ask(
    query: WorklistQuery,
    begin: (query: WorklistQuery) => Begun,
  ): Promise<PatientListResponse | null> {
    if (this.#begun !== null && isSame(query, this.#begun.query)) return null;
    this.drop();
    const mine = this.#begun = begin(query);
    try {
      const data = mine.data = await mine.answer;
      return this.#begun === mine ? data : null;
    } catch {
      // it is asked for again when it is wanted
      if (this.#begun === mine) this.#begun = null;
      return null;
    }
  }

  /** The list that is wanted now, if it was expected; another one is given up. */
  take(query: WorklistQuery): Begun | null {
    const begun = this.#begun;
    if (begun === null || !isSame(query, begun.query)) {
      this.drop();
      return null;
    }
    this.#begun = null;
    return { ...begun, query };
  }

  /** Gives up what is expected. */
  drop(): void {
    this.#begun?.abort();
    this.#begun = null;
  }
}
