import type { Patient } from "@/model/schema/studies/patients.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerReadingText } from "@/model/text/viewer/viewer_reading.ts";

const digits = (volumeMl: number | null): string => volumeMl === null ? "–" : volumeMl.toFixed(2);

/**
 * Volumes of a study's lesions in mL, as in the list; a dash if not measured. Of grade C the total
 * alone, with the words that it is not reliable.
 */
export const lesionVolumesText = (
  { wmh, peri_wmh, deep_wmh, wmh_detail }: Pick<
    Patient,
    "wmh" | "peri_wmh" | "deep_wmh" | "wmh_detail"
  >,
  language: Language,
): string =>
  wmh_detail?.is_unreliable
    ? textIn(viewerReadingText.lesionVolume, language, {
      total: lesionFigure(`${digits(wmh)}\u00a0mL`, true, language),
    })
    : textIn(viewerReadingText.lesionVolumes, language, {
      total: digits(wmh),
      peri: digits(peri_wmh),
      deep: digits(deep_wmh),
    });
