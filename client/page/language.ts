import { createContext, useContext, useSyncExternalStore } from "react";
import { type Catalogue, type Language, textIn } from "@/model/text.ts";

export const LanguageContext = createContext<Language>("en");

/** The language of the page. */
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

/** Stores the choice for a year. */
const keepChoice = (language: Language): void => {
  document.cookie = `language=${language}; path=/; max-age=31536000; samesite=strict`;
};

/** Stores the choice and reloads the page in that language. */
export function chooseLanguage(language: Language): void {
  keepChoice(language);
  location.reload();
}

/** Chosen on a page that was not reloaded; `null`: the language that the server rendered. */
let chosen: Language | null = null;
const listeners = new Set<() => void>();

/**
 * Stores the choice and renders every island in that language; loaded images and positions stay.
 */
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

/** Language of the islands: as rendered by the server until another is chosen. */
export const usePageLanguage = (rendered: Language): Language =>
  useSyncExternalStore(onSwitch, () => chosen ?? rendered, () => rendered);
