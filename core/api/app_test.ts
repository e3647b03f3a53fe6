import assert from "node:assert/strict";
import * as z from "zod/mini";
import { json, madeOf } from "@/core/api/app.ts";

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
