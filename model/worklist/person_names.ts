import type { Language } from "@/model/text.ts";

/** Between the forms of one name: alphabetic, ideographic, phonetic (PS3.5 §6.2). */
const BETWEEN = " / ";
/** In Hangul throughout: the ideographic form may mix both. */
const HANGUL = /^[\p{Script=Hangul}\P{L}]+$/u;

/** The forms of a person's name; for Korean readers the one in Hangul first. */
export function nameForms(name: string, language: Language): string[] {
  // equal groups of names that arrived with an earlier version
  const forms = [...new Set(name.split(BETWEEN))];
  if (language !== "ko") return forms;
  return [
    ...forms.filter((form) => HANGUL.test(form)),
    ...forms.filter((form) => !HANGUL.test(form)),
  ];
}

/** A person's name as it is read: see {@link nameForms}. */
export const nameText = (name: string, language: Language): string =>
  nameForms(name, language).join(BETWEEN);
