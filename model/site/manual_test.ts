import assert from "node:assert/strict";
import { HELP_PAGES, SECTION_OF_PAGE } from "@/model/text/help.ts";
import {
  controlsOf,
  pictureFile,
  piecesOf,
  readManual,
  searchManual,
} from "@/model/site/manual.ts";
import { type Catalogue, LANGUAGES } from "@/model/text.ts";

const manuals = LANGUAGES.map((language) =>
  readManual(Deno.readTextFileSync(new URL(`../../docs/manual/${language}.md`, import.meta.url)))
);

Deno.test("the manual has the same sections in each language, as long, and one for every page that has help", () => {
  const [first, ...others] = manuals.map(({ sections }) =>
    sections.map(({ id, lines }) => [id, ...lines.map(({ kind }) => kind)].join())
  );
  for (const other of others) assert.deepEqual(other, first);
  const ids = manuals[0]!.sections.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const page of HELP_PAGES) assert.ok(ids.includes(page), page);
  assert.deepEqual(manuals.map(({ title }) => title), ["Sulcus User Manual", "Sulcus 사용 설명서"]);
});

const ROOT = new URL("../../", import.meta.url);
const linesOf = (at: number) => manuals[at]!.sections.flatMap(({ lines }) => lines);

/** Texts of a catalogue, or of questions with their title and buttons. */
function textsIn(value: unknown): Catalogue[string][] {
  if (typeof value !== "object" || value === null) return [];
  if ("en" in value && "ko" in value) return [value as Catalogue[string]];
  return Object.values(value).flatMap(textsIn);
}

/** Every text of the product that says something in both languages. */
async function allTexts(folder = new URL("model/text/", ROOT)): Promise<Catalogue[string][]> {
  const texts: Catalogue[string][] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) texts.push(...await allTexts(new URL(`${name}/`, folder)));
    else if (!name.endsWith("_test.ts")) {
      for (const value of Object.values(await import(new URL(name, folder).href))) {
        texts.push(...textsIn(value));
      }
    }
  }
  return texts;
}

Deno.test("every control that a step names is called so in the product, and is the same one in each language", async () => {
  const texts = await allTexts(), [english, korean] = [linesOf(0), linesOf(1)];
  let count = 0;
  for (const [n, { kind, text }] of english.entries()) {
    if (kind !== "step") continue;
    const names = controlsOf(text), others = controlsOf(korean[n]!.text);
    assert.equal(others.length, names.length, text);
    for (const [k, en] of names.entries()) {
      count++;
      assert.ok(
        texts.some((one) => one.en === en && one.ko === others[k]),
        `${en}, ${others[k]}: ${text}`,
      );
    }
  }
  assert.ok(count > 50, `${count} controls`);
});

Deno.test("the manual's pictures are there in each language, are used, and are small", async () => {
  const named = LANGUAGES.flatMap((language, at) =>
    linesOf(at).filter(({ kind }) => kind === "picture").map(({ name }) =>
      pictureFile(name!, language)
    )
  );
  const stored = (await Array.fromAsync(Deno.readDir(new URL("static/manual/", ROOT)))).map((
    { name },
  ) => name);
  assert.deepEqual(stored.map((name) => `static/manual/${name}`).sort(), named.toSorted());
  let bytes = 0;
  for (const file of named) bytes += (await Deno.stat(new URL(file, ROOT))).size;
  assert.ok(bytes < 3_000_000, `${bytes} bytes`);
});

Deno.test("every page has a section of the manual", async () => {
  const ids = manuals[0]!.sections.map(({ id }) => id), pages: string[] = [];
  const walk = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(new URL(`routes/${folder}`, ROOT))) {
      if (isDirectory) await walk(`${folder}${name}/`);
      else if (name.endsWith(".tsx")) {
        const text = await Deno.readTextFile(new URL(`routes/${folder}${name}`, ROOT));
        if (!text.includes("isDevOnly = true")) {
          pages.push(folder.split("/")[0] || name.replace(/\.tsx$/, ""));
        }
      }
    }
  };
  await walk("");
  // what is shown instead of a page says itself what to do
  const own = new Set(pages.filter((page) => page !== "403" && !page.startsWith("_")));
  assert.deepEqual(Object.keys(SECTION_OF_PAGE).sort(), [...own].sort());
  for (const section of Object.values(SECTION_OF_PAGE)) assert.ok(ids.includes(section), section);
});

Deno.test("piecesOf() tells names of controls from the text around them", () => {
  assert.deepEqual(piecesOf("Choose **Save**, then wait"), [
    { text: "Choose ", isControl: false },
    { text: "Save", isControl: true },
    { text: ", then wait", isControl: false },
  ]);
  assert.deepEqual(piecesOf("Wait"), [{ text: "Wait", isControl: false }]);
});

Deno.test("readManual() refuses a section that nothing can point to", () => {
  assert.throws(() => readManual("# T\n\n## 1. Upload\n\ntext"), SyntaxError);
});

Deno.test("searchManual() finds the sections that have every word, and of them the lines with one", () => {
  const [english, korean] = manuals as [typeof manuals[0], typeof manuals[0]];
  const found = searchManual(english, "dice  Thickness");
  assert.deepEqual(found.map(({ id }) => id), ["reading"]);
  assert.ok(
    found[0]!.lines.length > 0 && found[0]!.lines.every(({ text }) => /dice|thickness/i.test(text)),
  );
  assert.ok(searchManual(korean, "백분위").length > 1);
  assert.deepEqual(searchManual(english, "zebra"), []);
  assert.equal(searchManual(english, " ").length, english.sections.length);
});
