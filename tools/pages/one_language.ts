import type * as esbuild from "esbuild";
import { type Language, LANGUAGES } from "@/model/text.ts";

/**
 * Catalogues that are read in more languages than the page's: a report has a language of its own, and the search for
 * a region finds its name in either.
 */
export const BOTH = /^(report(_\w+)?|lesion_place|quality|ranks|regions)$/;

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const TEXT = `${STRING}(?:\\s*\\+\\s*${STRING})*`;
const PAIR = new RegExp(`\\{\\s*en:\\s*(${TEXT}),\\s*ko:\\s*(${TEXT}),?\\s*\\}`, "g");

/**
 * The source of a catalogue with the texts of one language only.
 * @throws TypeError when a text stands there in another form than `{ en: "…", ko: "…" }`.
 */
export function inOneLanguage(source: string, language: Language): string {
  const at = LANGUAGES.indexOf(language);
  const short = source.replace(PAIR, (_pair, ...texts: string[]) => `{ ${language}: ${texts[at]} }`);
  const others = LANGUAGES.filter((other) => other !== language);
  const left = others.find((other) => new RegExp(`\\b${other}:\\s`).test(short));
  if (left) throw new TypeError(`cannot leave out the texts in ${left}: write them as { en: "…", ko: "…" }`);
  return short;
}

/**
 * Checks a catalogue that is read in every language: what it takes from one with a single language is missing there.
 * @throws TypeError naming the other catalogue.
 */
export function assertWhole(source: string): void {
  for (const [, name] of source.matchAll(/^import \{[^}]*\} from "@\/model\/text\/(?:\w+\/)?(\w+)\.ts";/gm)) {
    if (!BOTH.test(name!)) throw new TypeError(`takes texts of one language from model/text/${name}.ts`);
  }
}

/** esbuild plugin: a page comes in one language, so its files carry the texts of that one. */
export const oneLanguage = (language: Language): esbuild.Plugin => ({
  name: "one-language",
  setup(build) {
    build.onLoad({ filter: /[\\/]model[\\/]text[\\/](\w+[\\/])?\w+\.ts$/ }, async ({ path }) => {
      const name = path.split(/[\\/]/).pop()!.slice(0, -".ts".length);
      const source = await Deno.readTextFile(path);
      if (!BOTH.test(name)) return { loader: "ts", contents: inOneLanguage(source, language) };
      assertWhole(source);
      return { loader: "ts", contents: source };
    });
  },
});
