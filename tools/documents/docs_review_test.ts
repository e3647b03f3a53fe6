// Checks that the 26 false statements listed in docs/develop/docs_review.md do not return:
// a phrase of the false statement is in no document, or a file contains the true statement.
import assert from "node:assert/strict";
import { relative } from "node:path";
import { filesUnder } from "@/tools/pages/source_files.ts";
import { asInstalled, releaseTexts } from "@/tools/release/texts.ts";

const ROOT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");
const read = (path: string) => Deno.readTextFile(`${ROOT}/${path}`);

/** A false statement, and the file with the true one. */
interface Finding {
  /** phrases of the false statement */
  gone?: RegExp;
  /** file and phrase of the true one */
  there?: readonly [path: string, phrase: RegExp];
}
const MONITORING = "docs/site/monitoring.md", KERNELS = "docs/kernels.md";
const FINDINGS: Readonly<Record<string, Finding>> = {
  F1: {
    gone: /openssl rand[^\n]*storage\.key/,
    there: ["docs/site/encryption.md", /^sulcus key \/etc\/sulcus\/keys\/storage\.key$/m],
  },
  F2: { gone: /\b989\b/, there: ["docs/site/grow.md", /a second +\| [^|]+\| `pages\//] },
  F3: { gone: /--maintenance/, there: ["docs/site/sign-in.md", /^sulcus user role EMAIL /m] },
  F4: {
    gone: /maintenance users?\b/i,
    there: ["docs/site/administration.md", /Administrators and auditors read the log/],
  },
  F5: { there: ["docs/site/install.md", /-p 127\.0\.0\.1:8000:8000 [^`]*localhost\/sulcus:/] },
  F6: { there: [MONITORING, /\]\(\.\.\/grafana\.json\)/] },
  F7: { there: ["docs/site/index.md", /`deno task admin` before the others/] },
  F8: { gone: /\boperating\.md|\bconfiguration\.md/ },
  F9: { there: ["tools/documents/reference/setting_table.ts", /SULCUS_CACHE_DIR: \{/] },
  F10: { gone: /about 0\.5\sGB/, there: ["docs/site/grow.md", /memory of the process during/] },
  F11: { there: ["docs/benchmarks.md", /Each file names its machine and load/] },
  F12: { there: ["tools/release/debian/control", /PostgreSQL 13 or newer/] },
  F13: { gone: /eleven places/, there: ["docs/develop/recipes/overlay.patch", /^\+/m] },
  F14: { gone: /2,253/, there: ["docs/develop/recipes/language.patch", /^\+/m] },
  F15: { gone: /\.35 to \.48/, there: [KERNELS, /convolutions in `deno task bench engine/] },
  F16: { gone: /1\.06 ×|2\.9 ×/, there: [KERNELS, /A ratio is WASM's time as a part of/] },
  F17: { there: [MONITORING, /^\| `connections` /m] },
  F18: { there: [MONITORING, /^\| `sulcus_outbox_results/m] },
  F19: { gone: /sulcus worker[^\n]* -A\b/ },
  F20: { there: ["docs/site/sign-in.md", /`…_CLIENT_ID` and `…_ROLES` are required/] },
  F21: { gone: /[Mm]ade from `?\S*roles\.ts`?\./ },
  F22: { gone: /sends no mail/ },
  F23: {
    gone: /no longer among them/,
    there: ["docs/site/grow.md", /opens its port after [\d.]+ s however many studies/],
  },
  F24: { gone: /\b76 packages/ },
  F25: { there: ["docs/benchmarks.md", /With `--json` results are\s+kept/] },
  F26: {
    there: ["docs/adr/server/0012-an-edge-in-front-of-a-core-elsewhere.md", /^Status: accepted/m],
  },
};

Deno.test("each of the 26 false statements of the review has a row, and is gone from every document", async () => {
  const review = await read("docs/develop/docs_review.md");
  const rows = [...review.matchAll(/^\| (F\d+) +\|/gm)].map(([, id]) => id);
  assert.deepEqual(rows, Object.keys(FINDINGS));
  assert.deepEqual(rows, Array.from({ length: 26 }, (_, at) => `F${at + 1}`));

  const paths = ["README.md", "CONTRIBUTING.md", "tools/release/debian/control"];
  for await (const file of filesUnder(`${ROOT}/docs`)) {
    const path = relative(ROOT, file);
    // coverage.md quotes names of tests
    const isQuoted = /^docs\/(adr\/|develop\/docs_review|reference\/coverage)/.test(path);
    if (path.endsWith(".md") && !isQuoted) paths.push(path);
  }
  assert.ok(paths.length > 40);
  const texts = await Promise.all(paths.map(async (path) => [path, await read(path)] as const));
  for (const [id, { gone, there }] of Object.entries(FINDINGS)) {
    assert.ok(gone || there, id);
    if (gone) {
      const back = texts.filter(([, text]) => gone.test(text)).map(([path]) => path);
      assert.deepEqual(back, [], `${id}: ${gone}`);
    }
    if (there) assert.match(await read(there[0]), there[1], id);
  }
});

Deno.test("pages of a release have installed commands, and those for administrators are in it", async () => {
  const shipped = releaseTexts(ROOT);
  for (const page of ["grow", "pacs", "install"]) {
    assert.ok(shipped.includes(`docs/site/${page}.md`));
  }
  for (const path of shipped) {
    if (!path.startsWith("docs/site/") || !path.endsWith(".md")) continue;
    const commands = asInstalled(await read(path));
    assert.doesNotMatch(commands, /deno\s+task\s+(admin\s\S|start|worker|doctor|analyze)/, path);
  }
});
