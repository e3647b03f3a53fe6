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
  assert.equal(layerOf("core/api/studies/patients.ts"), "core/api");
  assert.equal(layerOf("static/x.ts"), null);
});

Deno.test("LAYERS has no cycle", () => {
  const visit = (layer: string, path: string[]): void => {
    assert.ok(!path.includes(layer), `cycle: ${[...path, layer].join(" → ")}`);
    for (const next of LAYERS[layer]!) visit(next, [...path, layer]);
  };
  for (const layer of Object.keys(LAYERS)) visit(layer, []);
});

Deno.test("lint rule refuses an import that goes back up, by alias, by path and dynamically", () => {
  for (
    const code of [
      `import { a } from "@/core/api/studies/patients.ts"; a;`,
      `import { a } from "../../api/patients.ts"; a;`,
      `export * from "../../api/patients.ts";`,
      `await import("@/core/api/studies/patients.ts");`,
    ]
  ) assert.equal(lint("core/services/studies/ingest.ts", code).length, 1, code);
});

Deno.test("lint rule lets the straight road and packages through", () => {
  assert.deepEqual(
    lint("core/services/studies/ingest.ts", `import "@/core/storage/blobs/blobs.ts"; import "kysely";`),
    [],
  );
  assert.deepEqual(
    lint("core/mod.ts", `import "@/core/api/studies/patients.ts"; import "@/core/storage/blobs/blobs.ts";`),
    [],
  );
});

Deno.test("importProblem() keeps React out of the viewer and the core out of the routes", () => {
  assert.match(importProblem("viewer/scene.ts", "components/Modal.tsx")!, /viewer may not import components/);
  assert.match(importProblem("routes/index.tsx", "core/mod.ts")!, /belongs to no layer/);
});
