import assert from "node:assert/strict";
import * as z from "zod/mini";
import { OutputCache } from "@/core/api/http/cached_outputs.ts";

const schema = z.object({ name: z.string(), list: z.array(z.number()) });

Deno.test("of() gives the same output for the same value, another for another, and what the schema lets through", () => {
  const kept = new OutputCache(schema, 1000), secret = { name: "a", list: [1], secret: 1 };
  const first = kept.of(secret);
  assert.deepEqual(first, { name: "a", list: [1] });
  assert.equal(kept.of({ ...secret, list: [1] }), first);
  assert.deepEqual(kept.of({ name: "a", list: [2] }), { name: "a", list: [2] });
  assert.deepEqual(kept.of({ name: "b", list: [1] }), { name: "b", list: [1] });
  assert.equal(kept.of(secret), first);
});

Deno.test("of() refuses what does not keep to the schema, each time", () => {
  const kept = new OutputCache(schema, 1000),
    wrong = { name: 1, list: [] } as unknown as z.input<typeof schema>;
  for (let i = 0; i < 2; i++) assert.throws(() => kept.of(wrong));
});

Deno.test("of() forgets what was not asked for longest", () => {
  const kept = new OutputCache(schema, 400), value = (n: number) => ({ name: `number ${n + 100}`, list: [] });
  const used = kept.of(value(0)), unused = kept.of(value(1));
  for (let n = 2; n < 50; n++) {
    kept.of(value(n));
    assert.equal(kept.of(value(0)), used);
  }
  assert.notEqual(kept.of(value(1)), unused);
  assert.deepEqual(kept.of(value(1)), unused);
});
