// covers: S-132
import assert from "node:assert/strict";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { openApiDocument, openApiPath } from "@/model/api/openapi.ts";

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
  responses: Record<string, unknown>;
  security?: unknown[];
}
const document = openApiDocument("1.2.3") as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
};

Deno.test("openApiPath() takes the patterns out of a route", () => {
  const { path, patterns } = openApiPath("/a/:id{[0-9]{1,15}}/b/:file{(?:x|y)\\.npy}/:name");
  assert.equal(path, "/a/{id}/b/{file}/{name}");
  assert.deepEqual([...patterns], [["id", "[0-9]{1,15}"], ["file", "(?:x|y)\\.npy"], [
    "name",
    null,
  ]]);
});

Deno.test("openApiDocument() has every call once, each with a name of its own", () => {
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => ({ path, method, operationId }))
  );
  assert.equal(calls.length, Object.keys(ENDPOINTS).length);
  assert.equal(new Set(calls.map(({ operationId }) => operationId)).size, calls.length);
  for (const [path, operations] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters = [] } of Object.values(operations)) {
      const described = parameters.filter((each) => each.in === "path").map(({ name }) => name);
      assert.deepEqual(described, names, path);
    }
  }
});

Deno.test("openApiDocument() refers to no schema that is not there", () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) =>
    path!
  );
  assert.ok(refs.length > 100);
  for (const ref of new Set(refs)) {
    let value: unknown = document;
    for (const key of ref.split("/")) value = (value as Record<string, unknown>)?.[key];
    assert.equal(typeof value, "object", ref);
  }
});

Deno.test("openApiDocument() says which calls need no sign-in", () => {
  assert.deepEqual(document.paths["/api/v1/auth/login"]!.post!.security, []);
  assert.equal(document.paths["/api/v1/patients"]!.get!.security, undefined);
});
