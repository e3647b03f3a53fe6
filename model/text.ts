/** Languages of the product. */
export const LANGUAGES = ["en", "ko"] as const;
/** Name of each language in that language. */
export const LANGUAGE_NAMES = { en: "English", ko: "한국어" } as const;
export type Language = (typeof LANGUAGES)[number];

/** A catalogue of texts; `{name}` is a placeholder. A missing language does not compile. */
export type Catalogue = Record<string, Record<Language, string>>;

const plural = { en: new Intl.PluralRules("en"), ko: new Intl.PluralRules("ko") };

/**
 * Text in a language. `{name}` is replaced from `values`; `{name|file|files}` becomes the first
 * form where the language's plural rules give "one" for the value, otherwise the second.
 */
export function textIn(
  text: Record<Language, string>,
  language: Language,
  values: Record<string, string | number> = {},
): string {
  return text[language].replace(
    /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g,
    (whole, key: string, one?: string, other?: string) => {
      if (other === undefined) return key in values ? String(values[key]) : whole;
      const count = Number(String(values[key]).replaceAll(",", ""));
      return plural[language].select(count) === "one" ? one! : other;
    },
  );
}
