import { Random } from "@/model/random.ts";

export { Random };

/** 65 536 standard normal values, for noise of millions of voxels: index with 16 random bits. */
export function normalTable(seed: number): Float32Array {
  const random = new Random(seed);
  return Float32Array.from({ length: 65536 }, () => random.normal());
}

/** A smooth random scalar field: waves of one length in random directions, with unit variance. */
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
