import { type Catalogue, type Language, textIn } from "@/model/text.ts";

/** Lesion volumes of a result of grade C. */
export const lesionFigureText = {
  figure: { en: "{figure} (not reliable)", ko: "{figure}(신뢰할 수 없음)" },
  /** below the figure, where there is no room beside it */
  under: { en: "not reliable", ko: "신뢰할 수 없음" },
  reason: { en: "not reliable: segmentation quality C", ko: "신뢰할 수 없음: 분할 품질 C" },
} as const satisfies Catalogue;

/**
 * A lesion volume as it is printed: of a result of grade C with the words beside the figure itself,
 * so that no copy of the figure can lose them.
 *
 * @param figure  Digits, with or without their unit; a dash gets no words.
 */
export const lesionFigure = (
  figure: string,
  isUnreliable: boolean | undefined,
  language: Language,
): string =>
  isUnreliable && /\d/.test(figure)
    ? textIn(lesionFigureText.figure, language, { figure })
    : figure;
