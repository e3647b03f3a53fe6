import assert from "node:assert/strict";
import * as z from "zod/mini";
import { createApi, json, madeOf } from "@/core/api/app.ts";
import type { ServiceContext } from "@/core/services/context.ts";

const schema = z.object({ name: z.string(), note: z.optional(z.string()) });

Deno.test("madeOf() gives what json() sends, to whoever has the very same schema", async () => {
  const answer = json(schema, { name: "한글", secret: 1 } as z.input<typeof schema>);
  const made = madeOf(answer, schema);
  assert.deepEqual(made, { name: "한글" });
  assert.equal(madeOf(answer, z.object({ name: z.string() })), undefined);
  assert.equal(madeOf(Response.json({ name: "made elsewhere" }), schema), undefined);
  assert.equal(madeOf(answer.clone(), schema), undefined);
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

Deno.test("an answer has the same headers and text whether it is written at once or when it is read", async () => {
  const value = { name: "한글 </script>", note: "\u2028" };
  const api = createApi({ log: () => {} } as unknown as ServiceContext, [(one) => {
    one.get("/api/v1/status", () => json(schema, value));
    one.post("/api/v1/auth/login", () => json(schema, value, 202));
  }]);
  for (const [method, path] of [["GET", "status"], ["POST", "auth/login"]]) {
    const ask = async (takesValues?: boolean) => {
      const headers = { "x-request-id": "request-1" };
      return await api.fetch(new Request(`http://core/api/v1/${path}`, { method, headers }), { takesValues });
    };
    const written = await ask(), here = await ask(true);
    assert.equal(here.status, written.status);
    assert.deepEqual([...here.headers], [
      ["cache-control", "no-store"],
      ["content-type", "application/json"],
      ["x-request-id", "request-1"],
    ]);
    assert.deepEqual([...written.headers], [...here.headers]);
    assert.equal(madeOf(written, schema), undefined);
    assert.deepEqual(madeOf(here, schema), value);
    const text = JSON.stringify(value), bytes = new TextEncoder().encode(text);
    assert.equal(await written.text(), text);
    assert.equal(here.bodyUsed, false);
    assert.equal(await here.clone().text(), text);
    assert.deepEqual(await new Response(here.body).bytes(), bytes);
    assert.deepEqual(await (await ask(true)).json(), value);
    assert.deepEqual(await (await ask(true)).bytes(), bytes);
    assert.deepEqual(new Uint8Array(await (await ask(true)).arrayBuffer()), bytes);
    assert.equal(await (await (await ask(true)).blob()).text(), text);
  }
});
