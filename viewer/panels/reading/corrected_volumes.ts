import type { Patient } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerReadingText } from "@/model/text/viewer/viewer_reading.ts";

const digits = (volumeMl: number | null): string => volumeMl === null ? "–" : volumeMl.toFixed(2);

/** Volumes of a study's lesions in mL, as in the list; a dash if not measured. */
export const lesionVolumesText = (
  { wmh, peri_wmh, deep_wmh }: Pick<Patient, "wmh" | "peri_wmh" | "deep_wmh">,
  language: Language,
): string =>
  textIn(viewerReadingText.lesionVolumes, language, {
    total: digits(wmh),
    peri: digits(peri_wmh),
    deep: digits(deep_wmh),
  });
