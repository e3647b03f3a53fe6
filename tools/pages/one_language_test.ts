import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { assertWhole, BOTH, inOneLanguage } from "@/tools/pages/one_language.ts";

const SOURCE = `export const text = {
  yes: { en: "Yes, \\"so\\"", ko: "예" },
  long: {
    en: "One " +
      "two",
    ko:
      "하나 둘",
  },
} as const satisfies Catalogue;`;

const textsOf = (source: string): unknown =>
  new Function(
    source.replace("export const text =", "return").replace(" as const satisfies Catalogue", ""),
  )();

Deno.test("inOneLanguage() keeps every text of the language, and no other", () => {
  assert.deepEqual(textsOf(inOneLanguage(SOURCE, "en")), {
    yes: { en: 'Yes, "so"' },
    long: { en: "One two" },
  });
  assert.deepEqual(textsOf(inOneLanguage(SOURCE, "ko")), { yes: { ko: "예" }, long: { ko: "하나 둘" } });
});

Deno.test("inOneLanguage() refuses a text that it cannot leave out", () => {
  assert.throws(() => inOneLanguage("const a = { en: words, ko: `낱말` };", "en"), TypeError);
});

Deno.test("assertWhole() refuses a catalogue of both languages that takes texts from one of a single language", () => {
  assertWhole('import { pageNames } from "@/model/text/report/report_page_names.ts";');
  assertWhole('import type { Words } from "@/model/text/settings/settings.ts";');
  assert.throws(() => assertWhole('import { names } from "@/model/text/settings/settings.ts";'), /settings/);
});

Deno.test("every catalogue that the pages of a report read is kept in both languages", () => {
  const root = new URL("../../report/", import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes("_test."));
  const read = new Set(
    files.flatMap((name) =>
      [...readFileSync(new URL(name, root), "utf8").matchAll(/from "@\/model\/text\/(?:\w+\/)?(\w+)\.ts"/g)]
        .map(([, catalogue]) => catalogue!)
    ),
  );
  assert.deepEqual([...read].filter((catalogue) => !BOTH.test(catalogue)), []);
});
