import assert from "node:assert/strict";
import {
  failureMessages,
  failuresByFile,
  LONG,
  partsOf,
  slowestTests,
  tallyCargo,
  tallyJunit,
  testFiles,
  UNTESTED_CRATES,
} from "./test.ts";

Deno.test("tallyJunit() adds suites and keeps skipped tests apart", () => {
  const xml = `<testsuites><testsuite name="a" tests="3" disabled="1" errors="0" failures="1">
    </testsuite><testsuite name="b" tests="2" disabled="0" errors="0" failures="0"></testsuite></testsuites>`;
  assert.deepEqual(tallyJunit(xml), { passed: 3, failed: 1, skipped: 1 });
});

Deno.test("failuresByFile() counts what failed under each file's path from the root", () => {
  const xml =
    `<testsuites tests="4" failures="2"><testsuite name="./model/a_test.ts" tests="3" disabled="0" errors="0"
    failures="2"></testsuite><testsuite name="tests/b_test.ts" tests="1" disabled="0" errors="0" failures="0">
    </testsuite></testsuites>`;
  assert.deepEqual(failuresByFile(xml), { "model/a_test.ts": 2 });
});

Deno.test("failuresByFile() finds the file of a test that a helper registered by its stack, or names the helper", () => {
  const failure = (at: string) =>
    `<testcase><failure message="x">Error\n at ${at}</failure></testcase>`;
  const file = new URL("./tests/api/c_test.ts:52:5", new URL("..", import.meta.url)).href;
  const xml =
    `<testsuites><testsuite name="./tests/sites/databases.ts" tests="4" disabled="0" errors="0" failures="2">
    ${failure(file)}${failure("file:///tests/sites/core_site.ts:3:1")}</testsuite></testsuites>`;
  assert.deepEqual(failuresByFile(xml), {
    "tests/api/c_test.ts": 1,
    "tests/sites/databases.ts": 1,
  });
});

Deno.test("failureMessages() gives each failed test and step its name and the start of its message", () => {
  const xml = `<testsuite name="a"><testcase name="well" classname="a" time="1" line="1" col="2">
    </testcase><testcase name="a &gt; b" classname="a" time="1" line="1" col="2">
    <failure message="x">Error: 1 &amp; 2${"z".repeat(2000)}</failure></testcase></testsuite>`;
  const [message, ...others] = failureMessages(xml);
  assert.ok(message!.startsWith("a > b\nError: 1 & 2zz"));
  assert.ok(message!.length < 700);
  assert.deepEqual(others, []);
});

Deno.test("slowestTests() names the tests that took longest, as they are written", () => {
  const xml =
    `<testsuite name="a"><testcase name="each &amp; &lt;all&gt; isn&apos;t" classname="a" time="1.5" line="1" col="2">
    </testcase><testcase name="b" classname="a" time="0.2" line="3" col="1">
    </testcase></testsuite><testsuite name="c"><testcase name="d" classname="c" time="12.25" line="1" col="1">`;
  assert.deepEqual(slowestTests(xml, 2), [
    { name: "d", seconds: 12.25 },
    { name: "each & <all> isn't", seconds: 1.5 },
  ]);
});

Deno.test("tallyCargo() adds the results of all crates", () => {
  const out = "test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured\n" +
    "test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured";
  assert.deepEqual(tallyCargo(out), { passed: 6, failed: 3, skipped: 1 });
});

Deno.test("testFiles() finds every test once, and knows those that open a browser", () => {
  const { browser, other } = testFiles(".");
  assert.ok(
    browser.includes("tests/e2e/worklist/worklist_test.ts") &&
      !browser.includes("tools/test_test.ts"),
  );
  assert.ok(
    other.includes("server/core/reports/routes/report_test.ts") &&
      !other.some((file) => browser.includes(file)),
  );
});

Deno.test("partsOf() has every file once, the long ones first and alone", () => {
  const { browser, other } = testFiles("."),
    files = [...browser, ...other].sort(),
    parts = partsOf(files);
  assert.deepEqual(parts.slice(0, LONG.length), LONG.map((file) => [file]));
  assert.deepEqual(parts.flat().sort(), files);
  assert.deepEqual(partsOf(["a_test.ts"]), [["a_test.ts"]]);
});

Deno.test("UNTESTED_CRATES have no tests, and no crate has any in its documentation or examples", () => {
  const wasm = new URL("../wasm/", import.meta.url);
  const rustOf = (folder: URL): string[] =>
    [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
      isDirectory && name !== "target"
        ? rustOf(new URL(`${name}/`, folder))
        : name.endsWith(".rs")
        ? [Deno.readTextFileSync(new URL(name, folder))]
        : []
    );
  const holds = (text: string) => (source: string) => source.includes(text);
  for (const crate of UNTESTED_CRATES) {
    assert.ok(!rustOf(new URL(`${crate}/`, wasm)).some(holds("#[test]")), crate);
  }
  assert.ok(rustOf(wasm).some(holds("#[test]")));
  assert.ok(!rustOf(wasm).some(holds("/// ```")) && !rustOf(wasm).some(holds("//! ```")));
  assert.ok(!rustOf(new URL("kernels/examples/", wasm)).some(holds("#[test]")));
});
