// Recipes of docs/develop/extend.md: their patches are applied to a copy of the tree, type-checked
// and tested, so that a code change that breaks a recipe fails here. All recipes share one copy, so
// that types are checked once. The language recipe comes last, because untranslated texts do not
// compile after it. Takes a minute and a half on two cores.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { newestOf, readMigrations } from "@/server/core/database/migrations.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
/** Generated or large folders, which the copy links to instead of copying. */
const LINKED = ["node_modules", "tests/node_modules", "static/build"];

interface Recipe {
  /** files to type-check, which together import all files that the recipe changes */
  checked: string[];
  /** tests that fail if a part of the recipe is missing */
  tests: string[];
}

const RECIPES: Record<string, Recipe> = {
  setting: {
    checked: [
      "server/core/settings/service/settings.ts",
      "components/settings/GroupPanel.tsx",
      "tests/viewer/viewer_site.ts",
    ],
    tests: ["tests/api/site/settings_test.ts", "model/settings/settings_form_test.ts"],
  },
  // the kernel's table is in Rust, which is not built here: without `deno task wasm` the tab stays
  // black
  overlay: {
    checked: ["islands/SliceViewer.tsx"],
    tests: ["model/viewer/viewer_tabs_test.ts"],
  },
  api_call: {
    checked: ["server/core/site/routes/about.ts", "client/api/site/about.ts"],
    tests: ["tests/api/accounts/access_test.ts", "tests/api/site/endpoints_test.ts"],
  },
  report_page: {
    checked: ["report/sheets/sheets.ts", "report/html/ReportSideMenu.tsx"],
    tests: ["server/core/reports/service/report_sheets_test.ts"],
  },
  // the Rust code is tested if cargo is installed; its module is not built, so its row is only
  // checked
  kernel: { checked: ["bench/kernels/counts.ts"], tests: [] },
  migration: {
    checked: ["server/core/studies/storage/remarks_test.ts"],
    tests: ["server/core/studies/storage/remarks_test.ts", "server/core/database/database_test.ts"],
  },
};
/** Applied last: translates one catalogue; the compiler must name the texts of the others. */
const LANGUAGE = {
  name: "language",
  checked: ["model/text/day.ts", "components/page/LanguageChoice.tsx"],
  refused: "model/text/crash.ts",
  tests: ["server/edge/pages/language_test.ts", "model/text_test.ts"],
  /** files of the patch that the compiler names, or tests of these files */
  named: ["model/text.ts", "model/text/day.ts", "server/edge/pages/language_test.ts"],
};
const NAMES = [...Object.keys(RECIPES), LANGUAGE.name];

async function run(program: string, args: string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd,
    env: { NO_COLOR: "1" },
  })
    .output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.ok(success, `${program} ${args.join(" ")}: ${said.slice(-4000)}`);
  return said;
}

/** Applies a recipe as a developer would, with the next migration's number for `NEXT`. */
async function apply(folder: string, name: string): Promise<void> {
  const patch = await Deno.readTextFile(`${folder}/docs/develop/recipes/${name}.patch`);
  const next = String(newestOf(readMigrations()) + 1).padStart(4, "0");
  const file = join(folder, `${name}.patch`);
  await Deno.writeTextFile(file, patch.replaceAll("NEXT_", `${next}_`));
  await run("git", ["apply", file], folder);
}

const check = (files: string[], folder: string) =>
  run(Deno.execPath(), ["check", "--quiet", ...files], folder);

/** With cargo installed: tests the kernel against plain Rust, its binding and native times. */
async function testRust(folder: string): Promise<void> {
  const cargo = await new Deno.Command("cargo", { args: ["--version"] }).output().catch(() => null);
  if (!cargo?.success) return;
  const target = `--target-dir=${ROOT}/wasm/target/recipes`, wasm = join(folder, "wasm");
  const kept = ["--quiet", "--locked", target, "--package=kernels"];
  await run("cargo", ["test", ...kept, "--lib", "counts"], wasm);
  await run("cargo", ["check", ...kept, "--examples", "--package=bind_browser"], wasm);
}

/** Copies the files that git lists, including untracked ones. */
async function copyTree(folder: string): Promise<void> {
  const listed = await run(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    ROOT,
  );
  for (const path of listed.split("\0").filter(Boolean)) {
    await Deno.mkdir(join(folder, dirname(path)), { recursive: true });
    // a removed file that is not committed yet does not exist
    await Deno.copyFile(join(ROOT, path), join(folder, path)).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
  for (const path of LINKED) {
    if (await Deno.stat(join(ROOT, path)).catch(() => null)) {
      await Deno.symlink(join(ROOT, path), join(folder, path));
    }
  }
}

Deno.test("every recipe has a patch and every patch a recipe", async () => {
  const guide = await Deno.readTextFile(`${ROOT}/docs/develop/extend.md`);
  const patches = [...Deno.readDirSync(`${ROOT}/docs/develop/recipes`)].map(({ name }) =>
    name.replace(".patch", "")
  );
  assert.deepEqual(patches.sort(), NAMES.toSorted());
  for (const name of patches) assert.ok(guide.includes(`(recipes/${name}.patch)`), name);
});

Deno.test("the recipes apply, their types hold and their tests pass", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-recipe-" }), all = Object.values(RECIPES);
  const test = (files: string[]) =>
    run(Deno.execPath(), ["test", "-A", "--no-check", "--quiet", ...files], folder);
  try {
    await copyTree(folder);
    // without a repository, `git apply` would look for one in parent folders
    await run("git", ["init", "--quiet"], folder);
    for (const name of Object.keys(RECIPES)) await apply(folder, name);
    await check(all.flatMap(({ checked }) => checked), folder);
    await test(all.flatMap(({ tests }) => tests));
    await testRust(folder);
    await apply(folder, LANGUAGE.name);
    await check(LANGUAGE.checked, folder);
    await assert.rejects(check([LANGUAGE.refused], folder), /'de' is missing/);
    await test(LANGUAGE.tests);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the language recipe's command lists each place that the compiler does not name", async () => {
  const guide = await Deno.readTextFile(`${ROOT}/docs/develop/extend.md`);
  const command = /git grep -nE '[^`]+/.exec(guide)?.[0];
  assert.ok(command, "docs/develop/extend.md has no command");
  const listed = await run("bash", ["-c", command], ROOT);
  const patch = await Deno.readTextFile(`${ROOT}/docs/develop/recipes/${LANGUAGE.name}.patch`);
  const changed = [...patch.matchAll(/^--- a\/(.+)$/gm)].map(([, file]) => file!);
  const silent = changed.filter((file) => !LANGUAGE.named.includes(file));
  assert.ok(silent.length >= 7, silent.join());
  for (const file of silent) assert.ok(listed.includes(`${file}:`), file);
});
