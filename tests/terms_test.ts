// One word for each concept: in all catalogues, both manuals, the terms of use, chart labels, audit
// events, alarms and messages of commands.
import assert from "node:assert/strict";
import { type Language, LANGUAGES } from "@/model/text.ts";
import {
  PERCENT_WITHOUT_SPACE,
  REFUSED_WORDING,
  TERMS,
  UNIT_WITHOUT_SPACE,
} from "@/model/text/terms.ts";
import { QUOTED } from "@/tests/documented_wordings.ts";
import { catalogueTexts } from "@/tools/texts/catalogue.ts";
import { commandSentences } from "@/tools/texts/commands.ts";
import { literalsOf } from "@/tools/texts/literals.ts";
import { sentWords } from "@/tools/texts/sent_words.ts";
import {
  ONE_ENGLISH_SEVERAL_KOREAN,
  ONE_KOREAN_SEVERAL_ENGLISH,
  REFUSED_BUT_ALLOWED,
} from "@/tests/wordings/allowed_wordings.ts";

const ROOT = new URL("../", import.meta.url);
const catalogues = await catalogueTexts();

/** Lines of shipped documents in each language, as displayed. */
const lines: { at: string; language: Language; line: string }[] = LANGUAGES.flatMap((language) =>
  [`docs/manual/${language}.md`, `docs/terms/${language}.txt`].flatMap((file) =>
    Deno.readTextFileSync(new URL(file, ROOT)).split("\n").map((line, n) => ({
      at: `${file}:${n + 1}`,
      language,
      line: line.replace(/\{#[\w-]+\}|\]\([\w-]+\)/g, ""),
    }))
  )
);
const documented = new Set(QUOTED.map(([, words]) => words));

/** TypeScript files below a folder that are shipped. */
async function* sourcesBelow(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sourcesBelow(new URL(`${name}/`, folder));
    else if (/(?<!_test|_fixture)\.tsx?$/.test(name)) yield new URL(name, folder);
  }
}

/** Words in the code of charts, without markup. */
async function chartWords(): Promise<{ at: string; words: string }[]> {
  const words: { at: string; words: string }[] = [];
  for await (const file of sourcesBelow(new URL("report/charts/", ROOT))) {
    for (const { text, line, pattern } of literalsOf(await Deno.readTextFile(file))) {
      if (pattern !== undefined || /[<>]|="|^[@.]+\//.test(text)) continue;
      words.push({ at: `${file.pathname}:${line}`, words: text.replace(/\$\{[^}]*\}/g, "{}") });
    }
  }
  return words;
}

const commands = await commandSentences();
const sent = await sentWords();
const everyLine: { at: string; language: Language; line: string }[] = [
  ...catalogues.flatMap(({ at, text }) =>
    LANGUAGES.map((language) => ({ at, language, line: text[language] }))
  ),
  ...lines,
];
const englishInCode = [...commands, ...sent, ...await chartWords()].map(({ at, words }) => ({
  at,
  language: "en" as const,
  // names of command line options do not change
  line: words.replace(/--[\w-]+/g, ""),
}));

Deno.test("all that is read is walked: catalogues, manuals, audit events, alarms and commands", async () => {
  assert.ok(catalogues.length > 2500, `${catalogues.length} pairs`);
  for await (const file of sourcesBelow(new URL("model/text/", ROOT))) {
    const name = file.pathname.split("/").at(-1);
    if (name === "terms.ts" || !/\bko: /.test(await Deno.readTextFile(file))) continue;
    assert.ok(catalogues.some(({ at }) => at.startsWith(`${name}.`)), name);
  }
  assert.ok(lines.length > 500, `${lines.length} lines`);
  assert.ok(commands.length > 200, `${commands.length} sentences of commands`);
  assert.ok(sent.length > 200, `${sent.length} strings of documents and messages`);
});

Deno.test("texts of both languages stand in catalogues alone", async () => {
  const elsewhere: string[] = [];
  for (const folder of ["client", "components", "islands", "model", "report", "routes", "server"]) {
    for await (const file of sourcesBelow(new URL(`${folder}/`, ROOT))) {
      const path = file.pathname.slice(ROOT.pathname.length);
      if (/^model\/(?:text\/|report\/opinions\.ts)/.test(path)) continue;
      for (const { use, text, pattern } of literalsOf(await Deno.readTextFile(file))) {
        if (use === "ko:" && pattern === undefined && /[가-힣]/.test(text)) {
          elsewhere.push(`${path}: ${text}`);
        }
      }
    }
  }
  // the name of a language is the same in both languages
  assert.deepEqual(elsewhere.filter((text) => !text.endsWith(": 한국어")), []);
});

/** Names of the values inserted into a text; choices of word forms by a value are left out. */
const valuesOf = (text: string) => [...new Set(text.match(/\{\w+(?=\})/g))].sort().join();

Deno.test("every text fills in the same values in both languages", () => {
  const uneven = catalogues.filter(({ text }) => valuesOf(text.en) !== valuesOf(text.ko));
  assert.deepEqual(uneven.map(({ at, text }) => `${at}: ${text.en} | ${text.ko}`), []);
});

Deno.test("no text of a catalogue is hidden from this walk by a constant that is not exported", async () => {
  const walked = new Set(catalogues.map(({ text }) => text.ko)), hidden: string[] = [];
  for await (const file of sourcesBelow(new URL("model/text/", ROOT))) {
    if (file.pathname.endsWith("/terms.ts")) continue;
    for (const { text, use, line } of literalsOf(await Deno.readTextFile(file))) {
      if (use === "ko:" && !walked.has(text)) hidden.push(`${file.pathname}:${line} ${text}`);
    }
  }
  assert.deepEqual(hidden, []);
});

Deno.test("no text uses a word that is refused for its thing", () => {
  const refused = { en: [REFUSED_WORDING.en], ko: [REFUSED_WORDING.ko] };
  for (const { not } of TERMS) {
    for (const language of LANGUAGES) if (not[language]) refused[language].push(not[language]);
  }
  const problems = [...everyLine, ...englishInCode].flatMap(({ at, language, line }) => {
    if (documented.has(line) || REFUSED_BUT_ALLOWED.some(([part]) => line.includes(part))) {
      return [];
    }
    return refused[language].flatMap((source) => {
      const [word] = new RegExp(source, "i").exec(line.replace(/\{\w+\}/g, "{}")) ?? [];
      return word === undefined
        ? []
        : [`${at} (${language}): “${word}” in “${line.slice(0, 160)}”`];
    });
  });
  assert.deepEqual(problems, []);
});

/** Words and spellings that administrator pages and API summaries must not contain. */
const REFUSED_IN_PAGES =
  /\b(?:analys(?:e|ed|ing)|licen[c]es?|colours?|centres?|grey|labelled|second opinion)\b|for good\b/i;

Deno.test("pages for administrators and summaries of calls have American spelling", async () => {
  const problems: string[] = [];
  for (const folder of ["docs/site/", "docs/trust/"]) {
    for await (const { name } of Deno.readDir(new URL(folder, ROOT))) {
      if (!name.endsWith(".md")) continue;
      const page = await Deno.readTextFile(new URL(`${folder}${name}`, ROOT));
      // code, URLs and names of states are exempt
      const prose = page.replace(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)/g, "");
      problems.push(
        ...prose.split("\n").filter((line) => REFUSED_IN_PAGES.test(line))
          .map((line) => `${folder}${name}: ${line}`),
      );
    }
  }
  for await (const file of sourcesBelow(new URL("model/api/", ROOT))) {
    for (const { text, use, line } of literalsOf(await Deno.readTextFile(file))) {
      if (use !== "summary:" || !REFUSED_IN_PAGES.test(text)) continue;
      problems.push(`${file.pathname}:${line} ${text}`);
    }
  }
  assert.deepEqual(problems, []);
});

/** Catalogues of printed texts and documents. */
const ON_PAPER = [
  "checkup",
  "conclusion",
  "cover",
  "deidentified",
  "icv",
  "linear",
  "longitudinal",
  "mta",
  "opinions",
  "quality",
  "ranks",
  "reading",
  "report",
  "report_findings",
  "report_lesion_changes",
  "report_tables",
  "report_trajectory",
  "score",
  "wmh",
].map((name) => `${name}.ts.`);

/** Texts that are shown beside a report, but not printed. */
const ON_SCREEN = ["report.ts.reportViewerText."];

// covers: S-241
Deno.test("Korean has one level: 하세요 on the screen, 하십시오 on paper", () => {
  const isOnPaper = (at: string) => ON_PAPER.some((file) => at.startsWith(file));
  const problems = catalogues.filter(({ at, text: { ko } }) =>
    !documented.has(ko) && !isOnPaper(at) && /십시오|니까\?/.test(ko)
  );
  assert.deepEqual(problems.map(({ at, text }) => `${at}: ${text.ko}`), []);
  const spoken = catalogues.filter(({ at, text: { ko } }) =>
    isOnPaper(at) && !ON_SCREEN.some((start) => at.startsWith(start)) && /[가-힣]세요/.test(ko)
  );
  assert.deepEqual(spoken.map(({ at, text }) => `${at}: ${text.ko}`), []);
});

Deno.test("a Korean sentence ends with a full stop where the English one does", () => {
  const uneven = catalogues.filter(({ text: { en, ko } }) =>
    !documented.has(en) && en.endsWith(".") !== ko.endsWith(".") && /[다요]\.?$/u.test(ko)
  ).filter(({ text: { en } }) => !/^[a-z]|[?!…:}]$/.test(en));
  assert.deepEqual(uneven.map(({ at, text }) => `${at}: ${text.ko}`), []);
});

Deno.test("a percent sign follows a no-break space", () => {
  const problems = everyLine.filter(({ at, line }) =>
    PERCENT_WITHOUT_SPACE.test(line) && !documented.has(line) &&
    // column heads are identifiers for programs
    !at.startsWith("export_columns.ts.exportHeadText.")
  );
  assert.deepEqual(problems.map(({ at, line }) => `${at}: ${line}`), []);
});

Deno.test("a unit follows a no-break space", () => {
  const problems = everyLine.filter(({ at, line }) =>
    UNIT_WITHOUT_SPACE.test(line) && !at.startsWith("export_columns.ts.exportFieldText.")
  );
  assert.deepEqual(problems.map(({ at, line }) => `${at}: ${line}`), []);
});

/** Matches a value before a percent sign or unit in code: `${x} mL`, `{x}%</span>`. */
const FIGURE_IN_CODE = /\} ?%(?:[`<)· ]|$)|\} ?(?:mL|mm[²³]?|[kMG]B|ms)\b/;

/** Matches lines without printed values: comments, and lengths in styles. */
const NO_FIGURE = /^\s*(?:\/\/|\*)|style|width|height|left|transform|calc/;

Deno.test("code that sets a figure before a percent sign or unit puts a no-break space between", async () => {
  const problems: string[] = [];
  for (const folder of ["client", "components", "islands", "model", "report", "viewer"]) {
    for await (const file of sourcesBelow(new URL(`${folder}/`, ROOT))) {
      const lines = (await Deno.readTextFile(file)).split("\n");
      problems.push(
        ...lines.filter((line) => FIGURE_IN_CODE.test(line) && !NO_FIGURE.test(line))
          .map((line) => `${file.pathname}: ${line.trim()}`),
      );
    }
  }
  assert.deepEqual(problems, []);
});

Deno.test("labels of charts are percentiles, not percents", async () => {
  for await (const { name } of Deno.readDir(new URL("report/charts/", ROOT))) {
    if (!name.endsWith(".ts") || name.endsWith("_test.ts")) continue;
    const source = await Deno.readTextFile(new URL(`report/charts/${name}`, ROOT));
    assert.doesNotMatch(source, /"[^"]*\b(?:5|25|50|75|95)%"|\$\{p\}%/, name);
  }
});

/** Texts with equal words in one language (ignoring case) and different words in the other. */
function unequal(from: Language, to: Language): Map<string, Map<string, string>> {
  const by = new Map<string, Map<string, string>>();
  for (const { at, text } of catalogues) {
    const key = text[from].toLowerCase(), others = by.get(key) ?? new Map<string, string>();
    others.set(text[to].toLowerCase(), at);
    by.set(key, others);
  }
  return new Map([...by].filter(([, others]) => others.size > 1));
}

/** Inconsistent translations without a listed reason, and listed reasons that are not needed. */
function unexplained(
  from: Language,
  to: Language,
  reasons: Readonly<Record<string, readonly string[]>>,
) {
  const found = unequal(from, to), allowed = new Set(Object.values(reasons).flat());
  return {
    open: [...found].filter(([key]) => !allowed.has(key)).map(([key, others]) =>
      `${key} → ${[...others].map(([words, at]) => `${words} (${at})`).join(" | ")}`
    ),
    spare: [...allowed].filter((key) => !found.has(key)),
  };
}

Deno.test("one English text has one Korean text, but for those with a reason", () => {
  assert.deepEqual(unexplained("en", "ko", ONE_ENGLISH_SEVERAL_KOREAN), { open: [], spare: [] });
});

Deno.test("one Korean text has one English text, but for those with a reason", () => {
  assert.deepEqual(unexplained("ko", "en", ONE_KOREAN_SEVERAL_ENGLISH), { open: [], spare: [] });
});
