import { createContext, useContext, useSyncExternalStore } from "react";
import { type Catalogue, type Language, textIn } from "@/model/text.ts";

export const LanguageContext = createContext<Language>("en");

/** Hook that returns the language of the page. */
export const useLanguage = (): Language => useContext(LanguageContext);

/** Language of the page for code outside of React, or after a crash of the context. */
export const pageLanguage = (): Language => document.documentElement.lang === "ko" ? "ko" : "en";

/** Hook that returns the texts of a catalogue in the language of the page. */
export function useText<C extends Catalogue>(
  catalogue: C,
): (key: keyof C, values?: Record<string, string | number>) => string {
  const language = useLanguage();
  return (key, values) => textIn(catalogue[key]!, language, values);
}

/** Stores the chosen language for a year. */
const keepChoice = (language: Language): void => {
  document.cookie = `language=${language}; path=/; max-age=31536000; samesite=strict`;
};

/** Stores the chosen language and reloads the page in that language. */
export function chooseLanguage(language: Language): void {
  keepChoice(language);
  location.reload();
}

/** Language that the user chose without a reload; `null`: the language that the server rendered. */
let chosen: Language | null = null;
const listeners = new Set<() => void>();

/** Stores the chosen language and re-renders every island; loaded images and positions stay. */
export function switchLanguage(language: Language): void {
  keepChoice(language);
  chosen = language;
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
}

const onSwitch = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Language of the islands: the server's until the user chooses another one. */
export const usePageLanguage = (rendered: Language): Language =>
  useSyncExternalStore(onSwitch, () => chosen ?? rendered, () => rendered);
