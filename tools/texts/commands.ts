// English sentences that commands print: they have no catalogue, since an operator's terminal is
// English.
import { isSentence } from "./catalogue.ts";
import { literalsOf } from "./literals.ts";

const COMMANDS = new URL("../../server/commands/", import.meta.url);

/** A text that a command prints, and its source. */
export interface Placed {
  /** file and line, e.g. "checks.ts:105" */
  at: string;
  words: string;
}

/** Pattern of code inside a template literal, which is no word of the sentence. */
const CODE = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;

/**
 * Patterns of arguments, expressions, SQL and headers, unlike usage texts no sentences for users.
 */
const NO_SENTENCE =
  /^(?:--|run --|[\^}])|^[^\n]*\S\|\S[^\n]*$|^[A-Z]+ [A-Z]+ |^[A-Z][\w-]+: \w+\/|https\?:/;

/** Finds the sentences of all commands, in the order of file names. */
export async function commandSentences(folder = COMMANDS): Promise<Placed[]> {
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
