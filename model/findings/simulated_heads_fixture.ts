// Heads made from z scores: how healthy people differ, how the method errs, and what a pattern of atrophy adds.
import {
  type FlairFigures,
  type MeasuredStudy,
  measureStudy,
} from "@/model/measured/measured_study.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { normOf, type NormSubject, type Sex, valueAt } from "@/model/norms/norms.ts";
import { LOBES } from "@/model/regions/measures.ts";
import { regionOf, REGIONS } from "@/model/regions/regions.ts";

/** Correlation of two parts, and of both sides of one, among healthy people of one age, sex and head size. */
const PARTS_SHARE = 0.15, SIDES_SHARE = 0.8, ERROR_SHARE = 0.5;

/** Uniform numbers from a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Normal numbers from uniform ones (Box and Muller). */
export const normalOf = (random: () => number) => (): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** z that a disease adds to a label. */
export type Pattern = (label: number) => number;

export interface HeadOptions {
  seed: number;
  age?: number;
  sex?: Sex;
  pattern?: Pattern;
  /** thickness in spreads of the norm; none by default */
  thinning?: Pattern | null;
  flair?: FlairFigures | null;
  grade?: "A" | "B" | "C";
  /** of the variation among healthy people, and of the error of the method */
  variation?: number;
  error?: number;
  thresholds?: readonly number[];
}

/** Figures of a simulated head, as the engine gives them: mm³ by label, mm by label. */
export interface HeadFigures {
  volumesMm3: number[];
  icvMm3: number;
  thicknessMm?: number[];
  thicknessSidesMm?: [left: number, right: number];
}

/** Volumes and thickness of a made head. */
export function simulatedFigures(
  options: Omit<HeadOptions, "flair" | "grade" | "thresholds"> & { icvMl?: number },
): HeadFigures {
  const { seed, age = 70, sex = "female", pattern = () => 0, thinning = null } = options;
  const { variation = 1, error = 1, icvMl = sex === "female" ? 1409 : 1596 } = options;
  const subject: NormSubject = { age, sex, icvMl };
  const normal = normalOf(randomOf(seed)), whole = normal();
  const byPart = new Map<string, { healthy: number; bias: number; random: number }>();
  const shared = (part: string) => {
    const value = byPart.get(part) ?? { healthy: normal(), bias: normal(), random: normal() };
    byPart.set(part, value);
    return value;
  };
  const draw = (label: number) => {
    const part = shared(regionOf(label)!.part);
    const healthy = Math.sqrt(PARTS_SHARE) * whole +
      Math.sqrt(SIDES_SHARE - PARTS_SHARE) * part.healthy +
      Math.sqrt(1 - SIDES_SHARE) * normal();
    const mix = (common: number) =>
      Math.sqrt(ERROR_SHARE) * common + Math.sqrt(1 - ERROR_SHARE) * normal();
    return { healthy: variation * healthy, bias: mix(part.bias), random: mix(part.random) };
  };
  const volumesMm3 = new Array<number>(105).fill(0), thicknessMm = new Array<number>(105).fill(0);
  for (const { label } of REGIONS) {
    const norm = normOf(label, "volume", subject), of = methodErrorOf(String(label), "volume");
    const { healthy, bias, random } = draw(label);
    if (!norm) {
      volumesMm3[label] = 1000;
      continue;
    }
    const truth = valueAt(healthy + pattern(label), norm);
    // the error of a part of the cortex is that of its lobe: what one part loses its neighbour gains
    const wrong = of && label < 37
      ? of.bias + error * (of.biasSd * bias + of.randomSd * random)
      : 0;
    volumesMm3[label] = Math.max(1, truth * Math.exp(wrong));
    if (!thinning || label < 37) continue;
    const thick = normOf(label, "thickness", { ...subject, icvMl: null }),
      off = methodErrorOf(String(label), "thickness");
    if (!thick) continue;
    const drawn = draw(label), wrongMm = off ? off.bias + error * off.randomSd * drawn.random : 0;
    thicknessMm[label] = Math.max(0.5, valueAt(drawn.healthy + thinning(label), thick) + wrongMm);
  }
  for (const lobe of LOBES) {
    const common = { bias: normal(), random: normal() };
    for (const [hemisphere, side] of [["L", "left"], ["R", "right"]] as const) {
      const of = methodErrorOf(`${lobe}_${side}`, "volume")!;
      const mix = (shared: number) =>
        Math.sqrt(ERROR_SHARE) * shared + Math.sqrt(1 - ERROR_SHARE) * normal();
      const wrong = of.bias +
        error * (of.biasSd * mix(common.bias) + of.randomSd * mix(common.random));
      for (const region of REGIONS) {
        if (region.group === lobe && region.hemisphere === hemisphere) {
          volumesMm3[region.label]! *= Math.exp(wrong);
        }
      }
    }
  }
  const side = (hemisphere: "L" | "R") => {
    const labels = REGIONS.filter((region) =>
      region.label >= 37 && region.hemisphere === hemisphere
    );
    const weight = labels.reduce((sum, { label }) => sum + volumesMm3[label]!, 0);
    return labels.reduce((sum, { label }) => sum + thicknessMm[label]! * volumesMm3[label]!, 0) /
      weight;
  };
  return {
    volumesMm3,
    icvMm3: 1000 * icvMl,
    ...(thinning && { thicknessMm, thicknessSidesMm: [side("L"), side("R")] }),
  };
}

/** The figures of a made head with their percentiles. */
export function simulatedHead(options: HeadOptions): MeasuredStudy {
  const { age = 70, sex = "female", grade = "A", flair = null, thresholds } = options;
  return measureStudy({
    patient: {
      patient_birthdate: null,
      study_date: "2026-01-01",
      patient_age: age,
      patient_sex: sex,
    },
    t1: { ...simulatedFigures(options), quality: { grade, warnings: [] } },
    flair,
    thresholds,
  });
}
