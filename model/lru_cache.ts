/**
 * Caches computed values by the inputs that they depend on. Approximates least recently used: a generation of entries is
 * dropped when the next one is full.
 */
export class LruCache<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  #youngChars = 0;

  /** @param maxChars Of keys and values together, as `charsOf` counts a value. */
  constructor(private readonly maxChars: number, private readonly charsOf: (value: V) => number) {}

  /** The value of a key, computed when absent. @param key Everything that `make` depends on. */
  of(key: string, make: () => V): V {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const value = this.#old.get(key) ?? make();
    const chars = key.length + this.charsOf(value), mostYoung = this.maxChars / 2;
    if (chars > mostYoung) return value;
    if (this.#youngChars + chars > mostYoung) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngChars = 0;
    }
    this.#young.set(key, value);
    this.#youngChars += chars;
    return value;
  }

  /** Characters that are cached, keys included. */
  get chars(): number {
    return [...this.#young, ...this.#old]
      .reduce((sum, [key, value]) => sum + key.length + this.charsOf(value), 0);
  }
}
