import assert from "node:assert/strict";
import * as z from "zod/mini";
import { cachedValue, createApi, json } from "@/core/api/app.ts";
import type { ServiceContext } from "@/core/services/context.ts";

const schema = z.object({ name: z.string(), note: z.optional(z.string()) });

Deno.test("cachedValue() gives what json() sends, to whoever has the very same schema", async () => {
  const answer = json(schema, { name: "한글", secret: 1 } as z.input<typeof schema>);
  const made = cachedValue(answer, schema);
  assert.deepEqual(made, { name: "한글" });
  assert.equal(cachedValue(answer, z.object({ name: z.string() })), undefined);
  assert.equal(cachedValue(Response.json({ name: "made elsewhere" }), schema), undefined);
  assert.equal(cachedValue(answer.clone(), schema), undefined);
  assert.deepEqual(await answer.json(), made);
});

Deno.test("json() sends its status, its type and no-store", () => {
  for (const status of [200, 202]) {
    const { headers, status: sent } = json(schema, { name: "a" }, status);
    assert.equal(sent, status);
    assert.deepEqual(Object.fromEntries(headers), {
      "cache-control": "no-store",
      "content-type": "application/json",
    });
  }
});

Deno.test("an answer of the API keeps its headers and its text, and what it was made of", async () => {
  const value = { name: "한글 </script>", note: "\u2028" };
  const api = createApi({ log: () => {} } as unknown as ServiceContext, [(one) => {
    one.get("/api/v1/status", () => json(schema, value));
    one.post("/api/v1/auth/login", () => json(schema, value, 202));
  }]);
  for (const [method, path, status] of [["GET", "status", 200], ["POST", "auth/login", 202]] as const) {
    const headers = { "x-request-id": "request-1" };
    const answer = await api.fetch(new Request(`http://core/api/v1/${path}`, { method, headers }));
    assert.equal(answer.status, status);
    assert.deepEqual([...answer.headers], [
      ["cache-control", "no-store"],
      ["content-type", "application/json"],
      ["x-request-id", "request-1"],
    ]);
    assert.deepEqual(cachedValue(answer, schema), value);
    assert.equal(await answer.text(), JSON.stringify(value));
  }
});
