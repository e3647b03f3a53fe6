// English strings that leave the product in documents and messages: names, meanings and
// descriptions of DICOM objects, HL7 messages and FHIR resources. They have no catalogue, since
// those documents are English.
import type { Placed } from "./commands.ts";
import { literalsOf } from "./literals.ts";

const CORE = new URL("../../server/core/", import.meta.url);
const FOLDERS = ["dicom/write/", "exports/service/", "connections/service/"];

/** Code inside a template, which is no word of its sentence. */
const CODE = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;

/** Paths of modules, SQL, addresses and names of settings. */
const NO_WORDS = new RegExp(
  String.raw`^(?:[@.]+/|node:|npm:|jsr:)|https?:` +
    String.raw`|\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|FROM|JOIN|COALESCE|AND)\b`,
);

/** Before the meaning of a code of a standard, which words it. */
const STANDARD_CODE = /\bcode\(\s*"(?:DCM|SCT|LN|UCUM|UMLS|RFC5646)",\s*"[^"]*",\s*$/;

/** Strings with at least one word that a person could read, in the order of file names. */
export async function sentWords(folders: readonly string[] = FOLDERS): Promise<Placed[]> {
  const sent: Placed[] = [];
  for (const folder of folders) {
    const entries = await Array.fromAsync(Deno.readDir(new URL(folder, CORE)));
    for (const { name, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      if (isDirectory) sent.push(...await sentWords([`${folder}${name}/`]));
      if (!name.endsWith(".ts") || /_(?:test|fixture)\.ts$/.test(name)) continue;
      const source = await Deno.readTextFile(new URL(`${folder}${name}`, CORE));
      for (const { text, line, pattern, index } of literalsOf(source)) {
        const words = text.replace(CODE, "{…}");
        // a single lower-case word is a key, and so is all that a colon follows
        const isRead = /[A-Za-z]{3}.* |^[A-Z][a-z]{2}/.test(words) &&
          !source.startsWith(`${text}":`, index + 1);
        if (
          pattern === undefined && isRead && !NO_WORDS.test(words) &&
          !STANDARD_CODE.test(source.slice(Math.max(0, index - 120), index))
        ) sent.push({ at: `${folder}${name}:${line}`, words });
      }
    }
  }
  return sent;
}
