/** Seeded random number generator: the same seed gives the same sequence on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x85ebca6b) >>> 0 || 1;
    for (let i = 0; i < 8; i++) this.bits();
  }

  /** 32 random bits (xorshift32, Marsaglia 2003). */
  bits(): number {
    let x = this.#state;
    x ^= x << 13;
    x >>>= 0;
    x ^= x >>> 17;
    x ^= x << 5;
    return this.#state = x >>> 0;
  }

  /** Returns a random number, uniform in [0, 1). */
  uniform(): number {
    return this.bits() / 4294967296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** Returns a standard normal number (Box and Muller 1958). */
  normal(): number {
    const r = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return r * Math.cos(2 * Math.PI * this.uniform());
  }
}
