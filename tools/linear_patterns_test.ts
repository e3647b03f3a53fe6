// Checks that the product's regular expressions take linear time on any text.
// `/ +$/` alone takes seconds for 64 kB of spaces before a letter. All patterns are run.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { slowShape } from "@/tests/linear/linear_time.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = [
  "client",
  "components",
  "islands",
  "model",
  "report",
  "routes",
  "server",
  "viewer",
];
/** Files with slow patterns that process only texts of this program, each with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  "model/site/document.ts": "reads the documents of this program, which are part of it",
  "report/pdf/pdf_binder.ts": "reads PDF files that this program has just written",
};
/**
 * Files that build patterns at run time, which the extraction cannot find: the test runs their
 * functions (table of readers), or the patterns process only texts of this program.
 */
const COMPOSED: Readonly<Record<string, string>> = {
  "components/page/ManualText.tsx": "the manual of this program",
  "model/dicom/classify.ts": "in the table of readers",
  "model/findings/agreement.ts": "sentences of this program",
  "model/launch/foreign_names.ts": "in the table of readers",
  "model/patient/shared_id.ts": "in the table of readers",
  "model/registry/identity_search.ts": "in the table of readers",
  "model/registry/measured_numbers.ts": "in the table of readers",
  "model/registry/text_forms.ts": "in the table of readers",
  "model/visible_text.ts": "in the table of readers",
  "model/worklist/search_text.ts": "in the table of readers",
  "report/pdf/text/font_runs.ts": "of fixed length",
  "server/core/analyses/service/files/file_version.ts": "of fixed length",
  "server/core/dicom/choice/contrast_agent.ts": "in the table of readers",
  "server/core/dicom/choice/units.ts": "in the table of readers",
  "server/wire/multipart.ts": "in the table of readers",
};

interface Found {
  path: string;
  pattern: RegExp;
}

/** Patterns of a file's source, and whether it composes others. */
function patternsIn(path: string, source: string): { found: Found[]; isComposing: boolean } {
  const found: Found[] = [];
  let isComposing = false;
  const plugin: Deno.lint.Plugin = {
    name: "patterns",
    rules: {
      collect: {
        create: () => ({
          Literal(node) {
            if (!("regex" in node) || node.regex === undefined) return;
            const { pattern, flags } = node.regex;
            found.push({ path, pattern: new RegExp(pattern, flags.replace("g", "") + "g") });
          },
          NewExpression({ callee }) {
            if (callee.type === "Identifier" && callee.name === "RegExp") isComposing = true;
          },
        }),
      },
    },
  };
  Deno.lint.runPlugin(plugin, path, source);
  return { found, isComposing };
}

function* sourceFiles(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(ROOT + folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* sourceFiles(path);
    else if (/\.tsx?$/.test(name) && !/_(test|fixture|testing)\.tsx?$|\.d\.ts$/.test(name)) {
      yield path;
    }
  }
}

const FILES = FOLDERS.flatMap((folder) => [...sourceFiles(folder)]).map((path) => ({
  path,
  ...patternsIn(path, Deno.readTextFileSync(ROOT + path)),
}));
const slowShapeOf = ({ pattern }: Found) => slowShape((text) => text.replace(pattern, ""), "short");

Deno.test("no pattern of the product is slower than linear", async () => {
  const patterns = FILES.flatMap(({ found }) => found);
  assert.ok(patterns.length > 500);
  const slow: string[] = [];
  for (const found of patterns.filter(({ path }) => !Object.hasOwn(ALLOWED, path))) {
    const shape = await slowShapeOf(found);
    if (shape !== null) slow.push(`${found.path} ${found.pattern} ${shape}`);
  }
  assert.deepEqual(slow, []);
});

Deno.test("each file that composes patterns is known", () => {
  const composing = FILES.filter(({ isComposing }) => isComposing).map(({ path }) => path);
  assert.deepEqual(composing.sort(), Object.keys(COMPOSED));
});
