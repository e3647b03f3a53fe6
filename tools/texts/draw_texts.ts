// Prints random texts with their source, for a reader who judges the wording without the code:
// `deno run -A tools/texts/draw_texts.ts LANGUAGE COUNT SEED`. Covers all catalogues, the manual,
// the terms of use and, in English, the messages of commands.
import type { Language } from "@/model/text.ts";
import { catalogueTexts } from "./catalogue.ts";
import { commandSentences, type Placed } from "./commands.ts";

const ROOT = new URL("../../", import.meta.url);

/** All texts of a language, in a fixed order. */
async function placedTexts(language: Language): Promise<Placed[]> {
  const catalogue = (await catalogueTexts()).map(({ at, text }) => ({ at, words: text[language] }));
  const documents = [`docs/manual/${language}.md`, `docs/terms/${language}.txt`].flatMap((file) =>
    Deno.readTextFileSync(new URL(file, ROOT)).split("\n").map((words, n) => ({
      at: `${file}:${n + 1}`,
      words,
    })).filter(({ words }) => /\p{L}{2}/u.test(words) && !/^!\[|^\|[-: |]+$/.test(words))
  );
  return [...catalogue, ...documents, ...language === "en" ? await commandSentences() : []];
}

if (import.meta.main) {
  const [language = "en", count = "60", seed = "1"] = Deno.args;
  const texts = await placedTexts(language === "ko" ? "ko" : "en");
  // linear congruential generator, Numerical Recipes, 2nd edition, section 7.1
  let state = Number(seed) >>> 0;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  for (let drawn = 0; drawn < Number(count); drawn++) {
    const { at, words } = texts[Math.floor(next() * texts.length)]!;
    console.log(`${String(drawn + 1).padStart(2)}. [${at}] ${words}`);
  }
}
