import { type Catalogue, type Language, textIn } from "@/model/text.ts";

/** Warnings printed with lesion volumes of a result of quality grade C. */
export const lesionFigureText = {
  figure: { en: "{figure} (not reliable)", ko: "{figure}(신뢰할 수 없음)" },
  /** printed below a lesion volume in a column too narrow for text beside the number */
  under: { en: "not reliable", ko: "신뢰할 수 없음" },
  reason: { en: "not reliable: segmentation quality C", ko: "신뢰할 수 없음: 분할 품질 C" },
} as const satisfies Catalogue;

/**
 * A lesion volume as printed. With grade C the text includes a warning:
 * users who copy the number then copy the warning with it.
 *
 * @param figure  Volume with or without its unit; a dash gets no warning.
 */
export const lesionFigure = (
  figure: string,
  isUnreliable: boolean | undefined,
  language: Language,
): string =>
  isUnreliable && /\d/.test(figure)
    ? textIn(lesionFigureText.figure, language, { figure })
    : figure;
