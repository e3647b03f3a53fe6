/** Seeded random numbers: the same seed gives the same phantom on every machine. */
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

  /** Uniform in [0, 1). */
  uniform(): number {
    return this.bits() / 4294967296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** Standard normal (Box and Muller 1958). */
  normal(): number {
    const r = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return r * Math.cos(2 * Math.PI * this.uniform());
  }
}

/** 65 536 standard normal values, for noise of millions of voxels: index with 16 random bits. */
export function normalTable(seed: number): Float32Array {
  const random = new Random(seed);
  return Float32Array.from({ length: 65536 }, () => random.normal());
}

/** A smooth random scalar field: waves of one length in random directions, unit variance. */
export function waveField(seed: number, wavelengthMm: number, waves: number) {
  const random = new Random(seed);
  const parts = Array.from({ length: waves }, () => {
    const [x, y, z] = [random.normal(), random.normal(), random.normal()];
    const k = 2 * Math.PI / (wavelengthMm * random.between(0.8, 1.25) * Math.hypot(x, y, z));
    return [x * k, y * k, z * k, random.between(0, 2 * Math.PI)] as const;
  });
  const scale = Math.sqrt(2 / waves);
  return (x: number, y: number, z: number): number => {
    let sum = 0;
    for (const [kx, ky, kz, phase] of parts) sum += Math.sin(kx * x + ky * y + kz * z + phase);
    return sum * scale;
  };
}
