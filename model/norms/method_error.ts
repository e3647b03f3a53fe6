import table from "@/model/norms/method_error.json" with { type: "json" };
import { keyOf, labelsOf, type MeasureKey, usualVolume } from "@/model/regions/measures.ts";
import type { Measure } from "@/model/norms/norms.ts";
import { regionOf } from "@/model/regions/regions.ts";

/**
 * Measurement error against the truth: ln(measured / true) for volumes, mm for thickness.
 * The systematic part has a mean and an SD between scanners.
 * The random part is the SD between heads on one scanner.
 */
export interface MethodError {
  bias: number;
  biasSd: number;
  randomSd: number;
  /** whether percentile bands are informative; false if the error is too large */
  hasBands: boolean;
}

type VolumeRow = { bias: number; bias_sd: number; random_sd: number; bands: boolean };
type ThicknessRow = { bias_mm: number; bias_sd_mm: number; random_sd_mm: number; bands: boolean };

type Rows = Record<Measure, Map<MeasureKey, MethodError>>;

const rowsOf = (
  volume: Record<string, VolumeRow>,
  thickness: Record<string, ThicknessRow>,
): Rows => ({
  volume: new Map(
    Object.entries(volume).map(([key, row]) => [key, {
      bias: row.bias,
      biasSd: row.bias_sd,
      randomSd: row.random_sd,
      hasBands: row.bands,
    }]),
  ),
  thickness: new Map(
    Object.entries(thickness).map(([key, row]) => [key, {
      bias: row.bias_mm,
      biasSd: row.bias_sd_mm,
      randomSd: row.random_sd_mm,
      hasBands: row.bands,
    }]),
  ),
});

/** Two error tables: for labels made with a second opinion, and without. */
const { with_second_opinion: asked, without_second_opinion: alone } = table;
const withOpinion = rowsOf(asked.volume, asked.thickness),
  withoutOpinion = rowsOf(alone.volume, alone.thickness);

/**
 * Correlation of the left and right error of one structure: contrast causes half of the error, and
 * both sides share the contrast. Errors of different cortical regions are treated as independent:
 * a shifted border takes volume from one region and gives it to the neighbour, and the measured
 * error of the whole cortex is smaller still.
 */
const SIDE_CORRELATION = 0.5;

/** Error of a weighted sum from the errors of its parts; the weights add up to 1. */
function combineErrors(
  parts: readonly { part: string; weight: number; error: MethodError }[],
): MethodError {
  const spread = (sd: (error: MethodError) => number) => {
    let variance = 0;
    for (const a of parts) {
      for (const b of parts) {
        const correlation = a === b ? 1 : a.part === b.part ? SIDE_CORRELATION : 0;
        variance += correlation * a.weight * b.weight * sd(a.error) * sd(b.error);
      }
    }
    return Math.sqrt(variance);
  };
  return {
    bias: parts.reduce((sum, { weight, error }) => sum + weight * error.bias, 0),
    biasSd: spread(({ biasSd }) => biasSd),
    randomSd: spread(({ randomSd }) => randomSd),
    // a lobe has bands although single regions have none; a pair has bands if both sides have them
    hasBands: parts.length > 2 || parts.every(({ error }) => error.hasBands),
  };
}

function fromParts(key: MeasureKey, measure: Measure, rows: Rows): MethodError | null {
  const keys = measure === "volume"
    ? labelsOf(key).map((label) => keyOf([label]))
    : key === "thickness"
    ? ["thickness_left", "thickness_right"]
    : [];
  // hypointensities are lesions, so their error is not part of the white matter's error
  const parts = keys.flatMap((part) => {
    const error = rows[measure].get(part), label = Number(part);
    const weight = measure === "volume" ? usualVolume(label) : 1;
    return error && weight > 0 ? [{ part: regionOf(label)?.part ?? key, weight, error }] : [];
  });
  const totalWeight = parts.reduce((sum, { weight }) => sum + weight, 0);
  return parts.length === 0
    ? null
    : combineErrors(parts.map((part) => ({ ...part, weight: part.weight / totalWeight })));
}

/**
 * Error of the intracranial volume, which cannot be measured on labelled heads: their ICV is itself
 * estimated from the template's size. The ratios on five heads were 1.015, 0.974, 1.019, 1.019 and
 * 1.016; the SD between scanners is assumed.
 */
const ICV_ERROR: MethodError = { bias: 0.01, biasSd: 0.03, randomSd: 0.02, hasBands: true };

/** Offset that the engine of the error table subtracts from every thickness to read as FreeSurfer, mm. */
export const THICKNESS_OFFSET_MM: number = table.thickness_offset_mm;

const errorsByMeasure = new Map<string, MethodError | null>();

/**
 * Error of a measure, from the table or from the errors of the measure's parts.
 * `null` if unknown: the measure then has no percentile.
 *
 * @param hasOpinion Whether the labels were made with a second opinion.
 */
export function methodErrorOf(
  key: MeasureKey,
  measure: Measure,
  hasOpinion = false,
): MethodError | null {
  const at = `${measure}:${key}:${hasOpinion}`, known = errorsByMeasure.get(at);
  if (known !== undefined) return known;
  const rows = hasOpinion ? withOpinion : withoutOpinion;
  const error = rows[measure].get(key) ??
    (key === "icv" ? ICV_ERROR : fromParts(key, measure, rows));
  errorsByMeasure.set(at, error);
  return error;
}

/** Description of the heads used for the error table, for pages that cite it. */
export const METHOD_ERROR_SOURCES: readonly {
  name: string;
  kind: string;
  scanner: string;
  heads: number;
}[] = table.sources;
