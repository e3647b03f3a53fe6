// Recipes of docs/develop/extend.md: their patches are applied to a copy of the tree, checked, tested, and thrown away, so that a
// change of the code that a recipe is about fails here until the recipe follows. One copy for all: types are checked once.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
/** Generated or large folders that no recipe changes: the copy has links to them. */
const LINKED = ["node_modules", "tests/node_modules", "static/build"];

interface Recipe {
  /** files whose types are checked: between them they import every place that the recipe names */
  checked: string[];
  /** tests that fail without a part of the recipe */
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
  // the kernel's table is Rust, which this does not build: without `deno task wasm` the tab stays black
  overlay: {
    checked: ["islands/SliceViewer.tsx"],
    tests: ["model/viewer/viewer_tabs_test.ts"],
  },
  api_call: {
    checked: ["server/core/site/routes/about.ts", "client/api/site/about.ts"],
    tests: ["tests/api/accounts/access_test.ts", "tests/api/site/endpoints_test.ts"],
  },
};

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

/** Files of the tree as git lists them, new ones too. */
async function copyTree(folder: string): Promise<void> {
  const listed = await run(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    ROOT,
  );
  for (const path of listed.split("\0").filter(Boolean)) {
    await Deno.mkdir(join(folder, dirname(path)), { recursive: true });
    // a file that was removed and not committed is not there
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
  assert.deepEqual(patches.sort(), Object.keys(RECIPES).sort());
  for (const name of patches) assert.ok(guide.includes(`(recipes/${name}.patch)`), name);
});

Deno.test("the recipes apply, their types hold and their tests pass", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-recipe-" }), all = Object.values(RECIPES);
  try {
    await copyTree(folder);
    // outside of a repository `git apply` would look for one in the folders above
    await run("git", ["init", "--quiet"], folder);
    for (const name of Object.keys(RECIPES)) {
      await run("git", ["apply", `docs/develop/recipes/${name}.patch`], folder);
    }
    await run(
      Deno.execPath(),
      ["check", "--quiet", ...all.flatMap(({ checked }) => checked)],
      folder,
    );
    const tests = all.flatMap(({ tests }) => tests);
    await run(Deno.execPath(), ["test", "-A", "--no-check", "--quiet", ...tests], folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
