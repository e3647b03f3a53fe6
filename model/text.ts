/** Languages of the product. */
export const LANGUAGES = ["en", "ko"] as const;
/** Each language's name in itself. */
export const LANGUAGE_NAMES = { en: "English", ko: "한국어" } as const;
export type Language = (typeof LANGUAGES)[number];

/** A catalogue of texts; `{name}` marks a value to fill in. A missing language does not compile. */
export type Catalogue = Record<string, Record<Language, string>>;

/** The text in a language, with `{name}` replaced from `values`. */
export function textIn(
  text: Record<Language, string>,
  language: Language,
  values: Record<string, string | number> = {},
): string {
  return text[language].replace(
    /\{(\w+)\}/g,
    (whole, key: string) => key in values ? String(values[key]) : whole,
  );
}
