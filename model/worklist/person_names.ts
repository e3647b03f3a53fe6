import type { Language } from "@/model/text.ts";

/** Separator of the alphabetic, ideographic and phonetic forms of one name (PS3.5 §6.2). */
export const BETWEEN_FORMS = " / ";
/** Names in Hangul only: the ideographic form may mix Hangul and Hanja. */
const HANGUL = /^[\p{Script=Hangul}\P{L}]+$/u;

/** Forms of a person's name; for users of the Korean pages the Hangul form comes first. */
export function nameForms(name: string, language: Language): string[] {
  // removes repeated forms of a name, which earlier versions stored
  const forms = [...new Set(name.split(BETWEEN_FORMS))];
  if (language !== "ko") return forms;
  return [
    ...forms.filter((form) => HANGUL.test(form)),
    ...forms.filter((form) => !HANGUL.test(form)),
  ];
}

/** A person's name for display: see {@link nameForms}. */
export const nameText = (name: string, language: Language): string =>
  nameForms(name, language).join(BETWEEN_FORMS);
