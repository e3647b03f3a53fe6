import type { Patient } from "@/model/schema/studies/patients.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerReadingText } from "@/model/text/viewer/viewer_reading.ts";

const digits = (volumeMl: number | null): string => volumeMl === null ? "–" : volumeMl.toFixed(2);

/**
 * Lesion volumes of a study in mL, as in the list; a dash if not measured.
 * With quality grade C only the total, marked as not reliable.
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
