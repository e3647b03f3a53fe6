// Prints random texts with their source, for a reader who judges the wording without the code:
// `deno run -A tools/texts/draw_texts.ts LANGUAGE COUNT SEED`. Covers all catalogues, the manual,
// the terms of use and, in English, the messages of commands.
import type { Language } from "@/model/text.ts";
import { catalogueTexts, isSentence } from "./catalogue.ts";
import { literalsOf } from "./literals.ts";

const ROOT = new URL("../../", import.meta.url);

/** A line of text and its source. */
interface Placed {
  at: string;
  words: string;
}

/** Code inside a template, which is no word of its sentence. */
const CODE = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;

/** Arguments, patterns, SQL and headers, which are not sentences for users. */
const NO_SENTENCE = /^(?:--|run --|[\^}])|\S\|\S|^[A-Z]+ [A-Z]+ |^[A-Z][\w-]+: \w+\/|https\?:/;

async function commandSentences(folder = new URL("server/commands/", ROOT)): Promise<Placed[]> {
  const sentences: Placed[] = [];
  const entries = await Array.fromAsync(Deno.readDir(folder));
  for (const { name, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) sentences.push(...await commandSentences(url));
    else if (name.endsWith(".ts") && !/_(?:test|fixture)\.ts$/.test(name)) {
      for (const { text, line } of literalsOf(await Deno.readTextFile(url))) {
        const words = text.replace(CODE, "{…}");
        if (isSentence(words) && words.includes(" ") && !NO_SENTENCE.test(words)) {
          sentences.push({ at: `${name}:${line}`, words });
        }
      }
    }
  }
  return sentences;
}

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
