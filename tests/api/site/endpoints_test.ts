// Checks the table of calls against the server's code: the handlers use the schemas in the table.
// covers: S-132
import assert from "node:assert/strict";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { API } from "@/server/core/mod.ts";
import type { Routes } from "@/server/core/http/app.ts";

interface Used {
  answers: string[];
  bodies: string[];
  queries: string[];
}

const namesIn = (source: string, call: RegExp) => [
  ...new Set([...source.matchAll(call)].map(([, name]) => name!)),
];

/** Placeholder for any service or the number 1; the routes are registered but not called. */
const anything: unknown = new Proxy(() => {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => 1 : anything,
  apply: () => anything,
});

/** Schemas used in the source of each handler, by method and route. */
function schemasUsed(): Map<string, Used> {
  const used = new Map<string, Used>();
  const method = (name: string) => (path: string, ...handlers: unknown[]) => {
    const source = String(handlers.at(-1));
    used.set(`${name} ${path}`, {
      answers: namesIn(source, /\bjson\(\s*(\w+)/g),
      bodies: namesIn(source, /\breadJson\([^,]+,\s*(\w+)/g),
      queries: namesIn(source, /\breadQuery\([^,]+,\s*(\w+)/g),
    });
  };
  const api = {
    get: method("GET"),
    post: method("POST"),
    put: method("PUT"),
    delete: method("DELETE"),
    use: () => {},
    on: () => {},
  } as unknown as Parameters<Routes>[0];
  for (const add of API) add(api, anything as Parameters<Routes>[1]);
  return used;
}

const keysOf = (schemas: object | undefined): string[] => Object.keys(schemas ?? {}).sort();

Deno.test("the table of calls has the calls that the server answers, and no others", () => {
  assert.deepEqual([...schemasUsed().keys()].sort(), Object.keys(ENDPOINTS).sort());
});

/** Handlers that create the response in another function. */
const ANSWERED_ELSEWHERE = ["GET /api/v1/settings", "PUT /api/v1/settings"];

Deno.test("the table of calls names the schemas that the handlers read and answer by", () => {
  let compared = 0;
  for (const [call, { answers, bodies, queries }] of schemasUsed()) {
    const { answer, body, query } = ENDPOINTS[call]!;
    if (!ANSWERED_ELSEWHERE.includes(call)) assert.deepEqual(answers.sort(), keysOf(answer), call);
    assert.deepEqual(bodies.sort(), keysOf(body), call);
    assert.deepEqual(queries.sort(), keysOf(query), call);
    compared += answers.length + bodies.length + queries.length;
  }
  assert.ok(compared > 150);
});
