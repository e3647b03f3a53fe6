import { createContext, useContext } from "react";
import { type Catalogue, type Language, textIn } from "@/model/text.ts";

export const LanguageContext = createContext<Language>("en");

/** The language of the page; it changes with a reload only. */
export const useLanguage = (): Language => useContext(LanguageContext);

/** The language of the page outside of React, or when the part of React that has it has crashed. */
export const pageLanguage = (): Language => document.documentElement.lang === "ko" ? "ko" : "en";

/** A function that gives the texts of a catalogue in the language of the page. */
export function useText<C extends Catalogue>(
  catalogue: C,
): (key: keyof C, values?: Record<string, string | number>) => string {
  const language = useLanguage();
  return (key, values) => textIn(catalogue[key]!, language, values);
}

/** Stores the choice for a year and reloads the page in that language. */
export function chooseLanguage(language: Language): void {
  document.cookie = `language=${language}; path=/; max-age=31536000; samesite=strict`;
  location.reload();
}
