import assert from "node:assert/strict";
import * as z from "zod/mini";
import { cachedValue, createApi, json, readJson } from "@/server/core/http/app.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

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
  for (
    const [method, path, status] of [["GET", "status", 200], ["POST", "auth/login", 202]] as const
  ) {
    const headers = { "x-request-id": "request-1" };
    const answer = await api.fetch(new Request(`http://core/api/v1/${path}`, { method, headers }));
    assert.equal(answer.status, status);
    assert.deepEqual([...answer.headers], [
      ["cache-control", "no-store"],
      ["content-disposition", 'attachment; filename="api.json"'],
      ["content-type", "application/json"],
      ["x-request-id", "request-1"],
    ]);
    assert.deepEqual(cachedValue(answer, schema), value);
    assert.equal(await answer.text(), JSON.stringify(value));
  }
});

Deno.test("readJson() takes what is called JSON, and refuses anything else before it is read", async () => {
  const send = (type: string | null, body: BodyInit = '{"name":"a"}') =>
    readJson(
      new Request("http://core/", {
        method: "POST",
        body,
        headers: type === null ? {} : { "content-type": type },
      }),
      schema,
    );
  for (
    const type of ["application/json", "Application/JSON; charset=utf-8", "application/fhir+json"]
  ) {
    assert.deepEqual(await send(type), { name: "a" }, type);
  }
  const others = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "multipart/form-data",
  ];
  for (const type of [...others, "text/json, application/json", null]) {
    await assert.rejects(send(type), { code: "input.media_type" }, String(type));
  }
  const bytes = new TextEncoder().encode('{"name":"a"}');
  await assert.rejects(send(null, bytes), { code: "input.media_type" }, "none at all");
  await assert.rejects(send("application/json", "{"), { code: "input.invalid" });
});
