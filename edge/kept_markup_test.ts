import assert from "node:assert/strict";
import { KeptMarkup } from "@/edge/kept_markup.ts";

Deno.test("KeptMarkup renders a key once while it is asked for, and never holds more than it may", () => {
  const kept = new KeptMarkup(1000);
  let rendered = 0;
  const of = (key: string) => kept.of(key, () => `<b>${key}${++rendered && ""}</b>`.padEnd(40));
  of("often");
  for (let n = 0; n < 500; n++) {
    assert.equal(of(`key ${n}`), `<b>key ${n}</b>`.padEnd(40));
    of("often");
    assert.ok(kept.chars <= 1000);
  }
  assert.equal(rendered, 501);
  of("key 0");
  assert.equal(rendered, 502, "what nobody asked for has gone");
});

Deno.test("KeptMarkup gives back what is too large to be kept, and keeps the rest", () => {
  const kept = new KeptMarkup(1000), large = "x".repeat(2000);
  kept.of("small", () => "s");
  assert.equal(kept.of("large", () => large), large);
  assert.equal(kept.of("small", () => "other"), "s");
});
