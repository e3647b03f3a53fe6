import assert from "node:assert/strict";
import { isSentence } from "./catalogue.ts";
import { literalsOf } from "./literals.ts";
import {
  comparedWithList,
  partsOf,
  type Quote,
  quotesIn,
  repositoryQuotes,
  unknownSentences,
} from "./quoted_texts.ts";
import QUOTES_LEFT from "./quotes_left.json" with { type: "json" };

const PARTS = partsOf([
  {
    at: "a.ts.shelf",
    text: { en: "The {n|shelf|shelves} cannot hold any more books.", ko: "책장이 가득 찼습니다." },
  },
  { at: "a.ts.lamp", text: { en: "Lamp off", ko: "등을 끄려면 벽의 단추를 두 번 누르세요" } },
]);
const words = (source: string) => quotesIn("x_test.ts", source, PARTS).map(({ words }) => words);

Deno.test("literalsOf() reads strings, joined strings, templates and patterns, and no comments", () => {
  const source = [
    `// "not this one"`,
    `toast("a \\"b\\" /* c */");`,
    "f(`d ${1} e`, /f\\.\\d+ \\/ [/] g/u, h / i / j);",
    `const k = { name: "l " +`,
    `  "m" }; /* "n" */`,
  ].join("\n");
  assert.deepEqual(literalsOf(source), [
    { text: 'a "b" /* c */', index: 24, line: 2, use: "toast" },
    { text: "d ${1} e", index: 46, line: 3, use: "f" },
    { text: "f.d+ / [/] g", pattern: "f\\.\\d+ \\/ [/] g", index: 58, line: 3, use: "" },
    { text: "l m", index: 108, line: 4, use: "name:" },
  ]);
});

Deno.test("isSentence() counts four English words or twelve Hangul syllables", () => {
  assert.deepEqual(
    [
      "one two three 4",
      "one two three four",
      "한국어 열두 글자는 아니",
      "열두 글자가 되는 한국어 문장임",
    ].map(
      isSentence,
    ),
    [false, true, false, true],
  );
});

Deno.test("quotesIn() finds whole texts and fixed parts, by no-break spaces and in patterns too", () => {
  const part = "cannot hold any more books.";
  assert.deepEqual(words(`assert.ok(text.includes("The shelf cannot hold any more books."))`), [
    part,
  ]);
  assert.deepEqual(words("match(x, /^The shelves cannot\\u00a0hold any more books\\.$/)"), [part]);
  assert.deepEqual(words(`f("The shelf cannot " +\n  "hold any more books.")`), [part]);
  assert.deepEqual(words(`f("등을 끄려면 벽의 단추를 두 번 누르세요")`), [
    "등을 끄려면 벽의 단추를 두 번 누르세요",
  ]);
});

Deno.test("quotesIn() leaves out short texts, comments and names of tests", () => {
  for (
    const source of [
      `f("Lamp off")`,
      `// The shelf cannot hold any more books.`,
      `Deno.test("The shelf cannot hold any more books.", () => {})`,
      `Deno.test({ name: "The shelf cannot hold any more books." })`,
    ]
  ) assert.deepEqual(words(source), [], source);
});

Deno.test("comparedWithList() names quotes that are new and entries that are settled", () => {
  const quote: Quote = { file: "x_test.ts", line: 3, words: "a b c d", at: "a.ts.x" };
  assert.deepEqual(comparedWithList([quote], { "x_test.ts": ["a b c d"] }), {
    added: [],
    settled: [],
  });
  const { added, settled } = comparedWithList([quote], { "y_test.ts": ["a b c d"] });
  assert.match(added.join(), /x_test\.ts:3 .*a\.ts\.x/);
  assert.match(settled.join(), /y_test\.ts/);
});

Deno.test("unknownSentences() finds sentences on a page that the product no longer contains", () => {
  const product = [`const t = { en: "The shelf is full of books", ko: "-" };`];
  const lookedFor = (sentence: string) =>
    unknownSentences([["x_test.ts", `page.getByText("${sentence}")`]], product);
  assert.deepEqual(lookedFor("The shelf is full of books"), []);
  assert.deepEqual(lookedFor("The shelf is full"), []);
  assert.deepEqual(lookedFor("The shelf has no room"), ["x_test.ts:1 The shelf has no room"]);
});

Deno.test("tests take the product's sentences from the catalogues, but for a list that shrinks", async () => {
  const quotes = await repositoryQuotes();
  assert.deepEqual(comparedWithList(quotes, QUOTES_LEFT), { added: [], settled: [] });
  assert.ok(quotes.length <= 31, "quotes_left.json has grown");
});
