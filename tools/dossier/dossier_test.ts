import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import eclair from "@/docs/dossier/eclair.json" with { type: "json" };
import source from "@/docs/dossier/figures.json" with { type: "json" };
import product from "@/docs/dossier/product.json" with { type: "json" };
import { readManual } from "@/model/site/manual.ts";
import {
  EVIDENCE_TASKS as walkedEvidenceTasks,
  NORM_TASKS as walkedNormTasks,
  tasksOf,
} from "@/tests/e2e/manual/tasks.ts";
import { anchorsOf } from "@/tools/documents/links.ts";
import {
  type AnomalyList,
  anomalyProblems,
  baseOf,
  directOf,
  readAnomalies,
} from "@/tools/dossier/anomalies.ts";
import { type Block, linksOf, piecesOf, textsOf } from "@/tools/dossier/blocks.ts";
import { cellOf, keysOf, readFigures, withFigures, wordsOf } from "@/tools/dossier/figures.ts";
import {
  type Control,
  controlsOf,
  digestOf,
  digestOfTexts,
  hasPatch,
  type Hazard,
  patchOf,
  problemsOf,
  type Proof,
  readHazards,
  readProofs,
  ROOT,
  testNamesIn,
  unprovenControls,
} from "@/tools/dossier/hazards.ts";
import { htmlOf } from "@/tools/dossier/html.ts";
import { pdfOf } from "@/tools/dossier/pdf.ts";
import {
  EVIDENCE_TASKS,
  makeDossier,
  manualTasks,
  NORM_TASKS,
  renewalSection,
} from "@/tools/dossier/sections.ts";
import { makeSbom } from "@/tools/supply/sbom.ts";

const blocks = await makeDossier({ commit: "0000000", date: "2026-01-01", junit: [] });

Deno.test("docs/dossier has at least 60 hazards, each with a control in a file and a test of that exact name", () => {
  const hazards = readHazards();
  assert.ok(hazards.length >= 60);
  assert.ok(controlsOf(hazards).length >= 60);
  assert.deepEqual(problemsOf(hazards), []);
});

Deno.test("problemsOf() names ids used twice, files and tests that are not there, and what lacks a control", () => {
  const [first, second] = readHazards() as [Hazard, Hazard];
  const [control] = first.controls as [Control];
  const withControl = (changed: Partial<Control>): Hazard => ({
    ...second,
    controls: [{ ...control, id: "another", ...changed }],
  });
  const problem = (...list: Hazard[]) => problemsOf(list).join();
  assert.match(problem(first, first), new RegExp(`${first.id} is used twice`));
  assert.match(problem(first, { ...second, controls: [control] }), /is used twice/);
  assert.match(problem({ ...first, controls: [] }), /no control/);
  assert.match(problem({ ...first, rationale: "" }), /lacks/);
  assert.match(problem(withControl({ source: "model/nowhere.ts" })), /no file model\/nowhere.ts/);
  const { file, name } = control.test;
  assert.match(problem(withControl({ test: { file: "a_test.ts", name } })), /no file a_test.ts/);
  // the complete name of the test is required
  assert.match(problem(withControl({ test: { file, name: name.slice(0, -1) } })), /has no test/);
});

Deno.test("testNamesIn() reads names of tests as they are reported, and none that is put together", () => {
  const source =
    'Deno.test("a \\"b\\"", f); databaseTest(\n  "c",\n f); Deno.test({ name: "d" + why });' +
    "Deno.test(`e ${n}`, f);";
  assert.deepEqual([...testNamesIn(source)], ['a "b"', "c", "d"]);
});

Deno.test("testNamesIn() counts no test that is commented out or ignored, and no other name", () => {
  const source = [
    '// Deno.test("in a line", f);',
    '/* Deno.test("in a block", f); */ Deno.test("after a block", f);',
    'Deno.test({ name: "ignored", ignore: true, fn: f });',
    'Deno.test({ ignore: isWindows, name: "conditional", fn() { g({ name: "inner", ignore: true }); } });',
    'Deno.test.ignore("also ignored", f); Deno.test({ fn: f, ...rest }); const x = { name: "no test" };',
    'coreTest(\n  // why\n  "wrapped", f); await t.step("step", f); /x/.test("matched"); latest("last");',
    "const text = 'Deno.test(\"in a text\", f)';",
  ].join("\n");
  assert.deepEqual([...testNamesIn(source)], ["after a block", "conditional", "wrapped", "step"]);
});

Deno.test("a proof depends on code after a comment, and on texts that look like comments", () => {
  const digest = (test: string) => digestOfTexts("", "", test);
  const code = 'Deno.test("x", () => f());\n';
  assert.notEqual(digest(`/* why */ ${code}`), digest("/* why */\n"));
  assert.equal(digest(`/* why */ ${code}`), digest(code));
  assert.equal(digest(`/*\n * why\n */ ${code}`), digest(code));
  assert.notEqual(digest(`/* ${code} */`), digest(code));
  assert.equal(digest(`/* ${code} */`), digest(""));
  const text = (line: string) => `const sql = \`\n// ${line}\n/* ${line} */\n\`;\n`;
  assert.notEqual(digest(text("a")), digest(text("b")));
});

/** For each hunk of a patch, the lines that the file must contain: kept and removed lines. */
const expectedBy = (patch: string): string[] =>
  patch.split(/^@@.*@@.*\n/m).slice(1).map((hunk) =>
    hunk.split("\n").filter((line) => /^[ -]/.test(line)).map((line) => line.slice(1) + "\n").join(
      "",
    )
  );

Deno.test("every patch of tests/mutations removes a known control, applies to this tree, and changes its source alone", async () => {
  const controls = controlsOf(readHazards()).filter(hasPatch);
  const files = [...Deno.readDirSync(`${ROOT}/tests/mutations`)].map(({ name }) => name)
    .filter((name) => name.endsWith(".patch"));
  assert.deepEqual(files.sort(), controls.map(({ id }) => `${id}.patch`).sort());
  assert.deepEqual(expectedBy("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), ["a\nb\n"]);
  for (const control of controls) {
    const patch = await Deno.readTextFile(`${ROOT}/${patchOf(control)}`);
    const changed = [...patch.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path]) => path);
    assert.deepEqual(changed, [control.source], control.id);
    const source = await Deno.readTextFile(`${ROOT}/${control.source}`), hunks = expectedBy(patch);
    assert.ok(hunks.length > 0, control.id);
    for (const lines of hunks) {
      assert.ok(
        source.includes(lines),
        `${control.id}: renew ${patchOf(control)}, its source has changed`,
      );
    }
  }
});

Deno.test("a proof holds when comments change, and not when code, test or patch do", () => {
  const patch = "--- a/x.ts\n+++ b/x.ts\n@@ -1,3 +1,3 @@\n // before\n-a();\n+b();\n";
  const source = "/**\n * Old words.\n */\nfunction f() {\n  // old\n  a(); // kept\n}\n";
  const digest = digestOfTexts(patch, source, "test();\n");
  const words = source.replaceAll(/[Oo]ld( words)?/g, "new");
  assert.equal(digestOfTexts(patch.replace("before", "earlier"), words, "test();\n"), digest);
  const changes: [patch: string, source: string, test: string][] = [
    [patch.replace("b()", "c()"), source, "test();\n"],
    [patch, source.replace("a();", "a(1);"), "test();\n"],
    [patch, source, "other();\n"],
    [patch, source.replace("*/\n", "*/\n*g() {}\n"), "test();\n"],
  ];
  for (const changed of changes) assert.notEqual(digestOfTexts(...changed), digest);
});

Deno.test("every control has a patch and a proof: the test fails without the control", () => {
  const controls = controlsOf(readHazards()), ids = new Set(controls.map(({ id }) => id));
  const proofs = readProofs(), proven = new Set(proofs.map(({ control }) => control));
  const without = (has: (control: Control) => boolean) =>
    controls.filter((control) => !has(control)).map(({ id }) => id);
  assert.deepEqual(without(hasPatch), [], "controls without a patch");
  assert.deepEqual(without(({ id }) => proven.has(id)), [], "controls without a proof");
  assert.deepEqual(proofs.filter(({ control }) => !ids.has(control)), []);
  assert.deepEqual(proofs.filter(({ result }) => result !== "proven"), []);
  assert.equal(new Set(proofs.map(({ control }) => control)).size, proofs.length);
});

Deno.test("unprovenControls() finds absent, survived and stale proofs, which the first lines name", () => {
  const [hazard] = readHazards() as [Hazard], [control] = hazard.controls as [Control];
  const only = { ...hazard, controls: [control] }, [proof] = readProofs() as [Proof];
  const stateOf = (...proofs: Proof[]) => unprovenControls([only], proofs)[0]?.state;
  assert.equal(stateOf(), "none");
  const stale: Proof = { ...proof, control: control.id, result: "proven", digest: "0" };
  assert.equal(stateOf(stale), "earlier");
  assert.equal(stateOf({ ...stale, result: "survived" }), "survived");
  assert.equal(stateOf({ ...stale, digest: digestOf(control) }), undefined);
  const unknown = { ...only, controls: [{ ...control, id: "no-patch" }] };
  assert.deepEqual(unprovenControls([unknown], []), [{ id: "no-patch", state: "none" }]);
  assert.deepEqual(renewalSection([]), []);
  const words = JSON.stringify(renewalSection([{ id: control.id, state: "earlier" }]));
  assert.ok(words.includes(control.id) && words.includes("to be renewed"));
});

/** Digits, and number words from "three" on: "two people" is a rule, not a figure. */
const NUMBER =
  /\d|\b(?:three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred)\b/i;

Deno.test("figures of the dossier are those of the tree, and its limits state no other", async () => {
  const values = await readFigures();
  const texts = [
    ...Object.values(product).flat(),
    ...eclair.answers.flatMap(({ answer }) => answer),
    ...readHazards().map(({ rationale }) => rationale),
  ];
  const counted = new Set(["hazards", "controls", "proven", "tasks"]);
  const used = new Set(texts.flatMap(keysOf).filter((key) => !counted.has(key)));
  assert.deepEqual([...used].sort(), Object.keys(source.figures).sort());
  for (const limit of product.limits) {
    assert.doesNotMatch(limit.replaceAll(/\{\{[\w.]+\}\}|\bT[12]w\b/g, ""), /\d/, limit);
  }
  for (const { id, rationale } of readHazards()) {
    const typed = rationale.replaceAll(/\{\{[\w.]+\}\}|\bT[12]w\b/g, "");
    assert.doesNotMatch(typed, NUMBER, `${id}: ${rationale}`);
    withFigures(rationale, values);
  }
  assert.throws(() => withFigures("{{nothing}}", values), RangeError);
});

Deno.test("cellOf() and wordsOf() find a figure that is there once, and refuse any other", () => {
  const text = "|  | a | b |\n| - | - | - |\n| x | 1 | **2** |\n\nIt is 3 mm, not 4 mm.\n";
  assert.equal(cellOf(text, "x", "b"), "2");
  assert.throws(() => cellOf(text, "y", "b"), RangeError);
  assert.throws(() => cellOf(`${text}\n${text}`, "x", "b"), RangeError);
  assert.equal(wordsOf(text, "is (\\d) mm"), "3");
  assert.throws(() => wordsOf(text, "(\\d) mm"), RangeError);
  assert.throws(() => wordsOf(text, "is (\\d) cm"), RangeError);
});

Deno.test("every link of the dossier leads somewhere", async () => {
  const dead: string[] = [], links = new Set(linksOf(blocks));
  for (const link of links) {
    // pages of issues: their addresses are checked as such, and need a network
    if (link.startsWith("https:")) continue;
    const [path, anchor] = link.split("#") as [string, string?];
    const isThere = existsSync(`${ROOT}/${path}`) &&
      (!anchor || anchorsOf(await Deno.readTextFile(`${ROOT}/${path}`)).has(anchor));
    if (!isThere) dead.push(link);
  }
  assert.ok(links.size > 200);
  assert.deepEqual(dead, []);
});

Deno.test("tasks of the dossier are those that the tests of the manual execute", async () => {
  const manual = readManual(await Deno.readTextFile(`${ROOT}/docs/manual/en.md`));
  assert.deepEqual(
    manualTasks().map(({ id, steps }) => [id, steps]),
    tasksOf(manual).map(({ id, steps }) => [id, steps.length]),
  );
  assert.deepEqual(NORM_TASKS, walkedNormTasks);
  assert.deepEqual(EVIDENCE_TASKS, Object.keys(walkedEvidenceTasks));
});

Deno.test("every component is evaluated for its version or falls under a rule, and each anomaly has its control", () => {
  const { components } = makeSbom(), list = readAnomalies();
  assert.deepEqual(anomalyProblems(list, components), []);
  assert.ok(Object.keys(list.components).length >= directOf(components).size);
  const text = textsOf(blocks).join("\n");
  assert.ok(!text.includes("none recorded"));
  assert.ok(!text.includes("NO RULE"));
  for (const { anomalies } of Object.values(list.components)) {
    for (const { id, link } of anomalies) assert.ok(text.includes(`[${id}](${link})`), id);
  }
});

Deno.test("anomalyProblems() names other versions, components without an evaluation, and controls and links that are not there", () => {
  const { components } = makeSbom(),
    list = readAnomalies(),
    hono = list.components["pkg:npm/hono"]!;
  const problem = (change: (list: AnomalyList) => void) => {
    const changed = structuredClone(list);
    change(changed);
    return anomalyProblems(changed, components).join();
  };
  const withHono = (changed: Partial<typeof hono>) =>
    problem(({ components }) => components["pkg:npm/hono"] = { ...hono, ...changed });
  const withAnomaly = (changed: Partial<typeof hono.anomalies[number]>) =>
    withHono({ anomalies: [{ ...hono.anomalies[0]!, ...changed }] });
  assert.match(withHono({ versions: ["4.0.0"] }), /hono: read its issue list again for 4/);
  assert.match(withHono({ read: "yesterday" }), /is no date/);
  assert.match(withHono({ sources: [] }), /no source/);
  assert.match(withHono({ sources: ["a forum"] }), /is no source/);
  assert.match(withAnomaly({ link: "docs/nowhere.md" }), /leads nowhere/);
  assert.match(withAnomaly({ concerns: "controlled" }), /has no control/);
  assert.match(withAnomaly({ control: "model/nowhere.ts" }), /no file model\/nowhere.ts/);
  assert.match(problem(({ components }) => delete components["pkg:npm/hono"]), /hono is not eval/);
  // a direct dependency of the project must be evaluated itself, not by a rule for several
  assert.match(
    problem(({ rules, components }) => {
      delete components["pkg:npm/hono"];
      rules[0]!.components.push("pkg:npm/hono");
    }),
    /hono needs no rule/,
  );
  assert.match(problem(({ rules }) => rules[0]!.components.push("pkg:npm/x")), /x is no component/);
  const direct = directOf(components);
  assert.ok(direct.has("pkg:cargo/wasm-bindgen") && direct.has("pkg:npm/%40hyzyla/pdfium"));
  const ours = components.filter(({ purl }) => !purl).map(baseOf);
  assert.deepEqual(ours.filter((ref) => direct.has(ref)), []);
});

Deno.test("ECLAIR's questions are ten", () => {
  assert.equal(eclair.answers.length, 10);
});

Deno.test("htmlOf() and pdfOf() have every section; words of the data cannot become elements", async () => {
  const html = htmlOf("File", blocks, "../");
  const headings = blocks.filter((block) => block.kind === "heading");
  for (const { id, text } of headings) assert.ok(html.includes(`id="${id}"`), text);
  assert.equal(new Set(headings.map(({ id }) => id)).size, headings.length);
  for (const { id } of readHazards()) assert.ok(html.includes(`<td>${id}</td>`), id);
  const odd: Block[] = [{ kind: "paragraph", text: "<b> & [x](docs/a.md) `y`" }];
  assert.ok(
    htmlOf("t", odd, "../").includes(
      '<p>&lt;b&gt; &amp; <a href="../docs/a.md">x</a> <code>y</code></p>',
    ),
  );
  assert.deepEqual(piecesOf("a [b](c)").map(({ text, link }) => [text, link]), [["a ", null], [
    "b",
    "c",
  ]]);
  const pdf = await pdfOf("File", blocks.slice(0, 12));
  assert.equal(new TextDecoder().decode(pdf.subarray(0, 5)), "%PDF-");
});
