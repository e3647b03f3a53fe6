import type { QualityGrade } from "@/model/schema/studies/patients.ts";

/** Parts of a stored result that show whether the images were brain-extracted (skull-stripped). */
export interface ExtractionFacts {
  /** quality control of the engine, with `warnings` */
  quality: object;
  secondOpinion?: { reason?: unknown } | null | undefined;
}

/**
 * Whether the skull had been removed from the images.
 * Also true if only the second network noticed the missing skull.
 */
export function isBrainExtracted({ quality, secondOpinion }: ExtractionFacts): boolean {
  const { warnings } = quality as { warnings?: unknown };
  return secondOpinion?.reason === "extracted brain" ||
    (Array.isArray(warnings) && warnings.includes("brain_extracted"));
}

/**
 * The intracranial volume of a result, mm³; `null` for images without the skull,
 * in which the engine cannot locate the dura and measures 10 to 31 % too much.
 */
export const measuredIcvMm3 = (results: ExtractionFacts & { icvMm3: number }): number | null =>
  isBrainExtracted(results) ? null : results.icvMm3;

/**
 * Grade of a T1w result: at most B with an intracranial volume that is implausible for the sex,
 * since the segmentation may have missed the dura.
 */
export const gradeWithIcv = (
  grade: QualityGrade | null,
  isIcvBeyond: boolean,
): QualityGrade | null => isIcvBeyond && grade === "A" ? "B" : grade;

/**
 * Warnings of a result. For brain-extracted images,
 * the reason why the second network was not used is corrected.
 */
export function warningsOf(facts: ExtractionFacts): string[] {
  const { warnings } = facts.quality as { warnings?: unknown };
  const allWarnings = Array.isArray(warnings) ? warnings.map((warning) => String(warning)) : [];
  if (!isBrainExtracted(facts)) return allWarnings;
  return ["brain_extracted", ...allWarnings.filter((code) => !NOT_OF_EXTRACTED.has(code))];
}

/** Codes of warnings that only follow from a missing skull, replaced for brain-extracted images. */
const NOT_OF_EXTRACTED: ReadonlySet<string> = new Set([
  "brain_extracted",
  "second_opinion_refused",
  "icv_out_of_range",
  "brain_icv_ratio_out_of_range",
]);
