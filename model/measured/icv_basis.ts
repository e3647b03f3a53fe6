/** Facts of a result that show brain extraction of its images. */
export interface ExtractionFacts {
  /** the engine's quality control: `warnings` and more */
  quality: object;
  secondOpinion?: { reason?: unknown } | null | undefined;
}

/**
 * Whether the skull had been removed from the images; also of results in which only the second
 * network noted it.
 */
export function isBrainExtracted({ quality, secondOpinion }: ExtractionFacts): boolean {
  const { warnings } = quality as { warnings?: unknown };
  return secondOpinion?.reason === "extracted brain" ||
    (Array.isArray(warnings) && warnings.includes("brain_extracted"));
}

/**
 * The intracranial volume of a result, mm³; `null` for images without the skull: the engine
 * cannot locate the dura in them and measures 10 to 31 % too much.
 */
export const measuredIcvMm3 = (results: ExtractionFacts & { icvMm3: number }): number | null =>
  isBrainExtracted(results) ? null : results.icvMm3;

/**
 * Warnings of a result; of a brain-extracted one, the right reason why the second network had no
 * part.
 */
export function warningsOf(facts: ExtractionFacts): string[] {
  const { warnings } = facts.quality as { warnings?: unknown };
  const allWarnings = Array.isArray(warnings) ? warnings.map((warning) => String(warning)) : [];
  if (!isBrainExtracted(facts)) return allWarnings;
  return ["brain_extracted", ...allWarnings.filter((code) => !NOT_OF_EXTRACTED.has(code))];
}

/** Warnings that the missing skull explains, or that are replaced by true ones for such images. */
const NOT_OF_EXTRACTED: ReadonlySet<string> = new Set([
  "brain_extracted",
  "second_opinion_refused",
  "icv_out_of_range",
  "brain_icv_ratio_out_of_range",
]);
