import { KeptValues } from "@/model/kept_values.ts";

/** Markup that was rendered before, by all that it was made of. */
export class KeptMarkup {
  readonly #kept: KeptValues<string>;

  /** @param maxChars Of keys and markup together. */
  constructor(maxChars: number) {
    this.#kept = new KeptValues(maxChars, (markup) => markup.length);
  }

  /**
   * The markup of a key, rendered when there is none.
   * @param key Everything that `render` reads.
   */
  of(key: string, render: () => string): string {
    // in one piece: React's strings are put together from a hundred, which every page would have to follow
    return this.#kept.of(key, () => Buffer.from(render()).toString());
  }

  /** Characters that are kept, keys and all. */
  get chars(): number {
    return this.#kept.chars;
  }
}
