import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import plugin from "./lint_layers.ts";
import { importProblem, layerOf, LAYERS } from "./layers.ts";

const at = (path: string) => fileURLToPath(new URL("../" + path, import.meta.url));
const lint = (path: string, code: string) =>
  Deno.lint.runPlugin(plugin, at(path), code).map((d) => d.message);

Deno.test("layerOf() takes the longest folder", () => {
  assert.equal(layerOf("client/api/studies/patients.ts"), "client/api");
  assert.equal(layerOf("client/live/socket.ts"), "client");
  assert.equal(layerOf("server/core/studies/routes/patients.ts"), "server/core/studies/routes");
  assert.equal(layerOf("static/x.ts"), null);
});

Deno.test("LAYERS has no cycle", () => {
  const visit = (layer: string, path: string[]): void => {
    assert.ok(!path.includes(layer), `cycle: ${[...path, layer].join(" → ")}`);
    // features may use each other's services and routes: one layer of the core
    const targets = LAYERS[layer]!.map((target) => target.replace("=", "*")).filter((next) =>
      next !== layer
    );
    for (const next of targets) visit(next, [...path, layer]);
  };
  for (const layer of Object.keys(LAYERS)) visit(layer, []);
});

Deno.test("lint rule refuses an import that goes back up, by alias, by path and dynamically", () => {
  for (
    const code of [
      `import { a } from "@/server/core/studies/routes/patients.ts"; a;`,
      `import { a } from "../routes/patients.ts"; a;`,
      `export * from "../routes/patients.ts";`,
      `await import("@/server/core/studies/routes/patients.ts");`,
    ]
  ) assert.equal(lint("server/core/studies/service/ingest.ts", code).length, 1, code);
});

Deno.test("lint rule lets the straight road and packages through", () => {
  assert.deepEqual(
    lint(
      "server/core/studies/service/ingest.ts",
      `import "@/server/core/blobs/blobs.ts"; import "kysely";`,
    ),
    [],
  );
  assert.deepEqual(
    lint(
      "server/core/mod.ts",
      `import "@/server/core/studies/routes/patients.ts"; import "@/server/core/blobs/blobs.ts";`,
    ),
    [],
  );
});

Deno.test("importProblem() keeps React out of the viewer and the core out of the routes", () => {
  assert.match(
    importProblem("viewer/scene.ts", "components/Modal.tsx")!,
    /viewer may not import components/,
  );
  assert.match(importProblem("routes/index.tsx", "server/core/mod.ts")!, /belongs to no layer/);
});

Deno.test("lint rule refuses a normalisation of text without the bound of normalForm()", () => {
  const message = ["use normalForm() of model/normal_form.ts, whose time is bounded"];
  for (const code of ["a.normalize();", 'b().normalize("NFKC");']) {
    assert.deepEqual(lint("server/core/studies/service/ingest.ts", code), message, code);
  }
  const code = 'a.normalize("NFKC");';
  assert.deepEqual(lint("model/normal_form.ts", code), []);
  assert.deepEqual(lint("model/name_test.ts", code), []);
  assert.deepEqual(lint("viewer/camera.ts", "vec3.normalize(out, a);"), []);
});

Deno.test("lint rule refuses comments that name no thing, in folders that have been cleaned", () => {
  const vague = "/** What is shown. */\nexport const a = 1; // nobody is told\n";
  assert.equal(lint("model/errors.ts", vague).length, 2);
  assert.deepEqual(lint("model/errors_test.ts", vague), []);
  assert.deepEqual(
    lint("model/errors.ts", "// Yields to the event loop.\nexport const what = 1;\n"),
    [],
  );
});
