// All texts that the product shows, in both languages: the catalogues below model/text and the
// sentences of the report's conclusion.
import type { Language } from "@/model/text.ts";

const ROOT = new URL("../../", import.meta.url);

/** A text in each language, with its source file and keys. */
export interface CatalogueText {
  /** path of the text in its module: "toasts.ts.toastText.session.expired.text" */
  at: string;
  text: Record<Language, string>;
}

/** Finds all two-language texts in a value, each object once. */
function textsIn(value: unknown, at: string, seen: Set<unknown>): CatalogueText[] {
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  if ("en" in value && "ko" in value && typeof value.en === "string") {
    return [{ at, text: value as Record<Language, string> }];
  }
  return Object.entries(value).flatMap(([key, each]) => textsIn(each, `${at}.${key}`, seen));
}

/** Finds all two-language texts that the modules below a folder export. */
async function textsBelow(folder: URL, seen: Set<unknown>): Promise<CatalogueText[]> {
  const texts: CatalogueText[] = [];
  const entries = await Array.fromAsync(Deno.readDir(folder));
  for (const { name, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) texts.push(...await textsBelow(url, seen));
    else if (name.endsWith(".ts") && !name.endsWith("_test.ts") && name !== "terms.ts") {
      texts.push(...textsIn(await import(url.href), name, seen));
    }
  }
  return texts;
}

/** All two-language texts, in the order of file names. */
export async function catalogueTexts(): Promise<CatalogueText[]> {
  const seenObjects = new Set<unknown>();
  return [
    ...await textsBelow(new URL("model/text/", ROOT), seenObjects),
    ...textsIn(
      await import(new URL("model/report/opinions.ts", ROOT).href),
      "opinions.ts",
      seenObjects,
    ),
  ];
}

const VARIABLE = /\{\w+(?:\|[^|}]*\|[^}]*)?\}/;

/** Minimum number of English words, or of Hangul syllables, that make a text a sentence. */
const WORDS = 4, SYLLABLES = 12;

/** Whether a quoted text is long enough to make a test depend on its wording. */
export const isSentence = (words: string): boolean =>
  (words.match(/[가-힣]/g) ?? []).length >= SYLLABLES ||
  (words.match(/[A-Za-z][\w’'-]*/g) ?? []).length >= WORDS;

/** Parts of a text between its variables that are long enough to be recognised. */
export const fixedParts = (text: string): string[] =>
  text.split(VARIABLE).map((part) => part.replace(/^[\s.,:;)–-]+|[\s,:;(–-]+$/g, ""))
    .filter(isSentence);
