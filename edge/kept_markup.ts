/**
 * Markup that was rendered before, by all that it was made of. What was not asked for longest goes first: a generation
 * of entries is dropped when the next one is full.
 */
export class KeptMarkup {
  #young = new Map<string, string>();
  #old = new Map<string, string>();
  #youngChars = 0;

  /** @param maxChars Of keys and markup together. */
  constructor(private readonly maxChars: number) {}

  /**
   * The markup of a key, rendered when there is none.
   * @param key Everything that `render` reads.
   */
  of(key: string, render: () => string): string {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    // in one piece: React's strings are put together from a hundred, which every page would have to follow
    const markup = this.#old.get(key) ?? Buffer.from(render()).toString();
    const chars = key.length + markup.length, mostYoung = this.maxChars / 2;
    if (chars > mostYoung) return markup;
    if (this.#youngChars + chars > mostYoung) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngChars = 0;
    }
    this.#young.set(key, markup);
    this.#youngChars += chars;
    return markup;
  }

  /** Characters that are kept, keys and all. */
  get chars(): number {
    return [...this.#young, ...this.#old].reduce((sum, [key, markup]) => sum + key.length + markup.length, 0);
  }
}
