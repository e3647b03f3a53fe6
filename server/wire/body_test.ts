// covers: S-100
import assert from "node:assert/strict";
import { BodyBudget, readBody } from "@/server/wire/body.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

/** A body of some parts; `given` counts those that were taken. */
function bodyOf(parts: Iterable<Uint8Array>, isOpen = false) {
  const each = parts[Symbol.iterator](), seen = { given: 0, isCanceled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = each.next();
      if (!next.done) {
        seen.given++;
        controller.enqueue(next.value);
      } else if (!isOpen) controller.close();
      else return new Promise(() => {});
    },
    cancel: () => void (seen.isCanceled = true),
  }, { highWaterMark: 0 });
  return { body, seen };
}

const bytes = (length: number, value = 0) => new Uint8Array(length).fill(value);
function* times(count: number, part: Uint8Array) {
  for (let i = 0; i < count; i++) yield part;
}

Deno.test("readBody() gives what was sent, in whatever parts, and holds nothing afterwards", async () => {
  const budget = new BodyBudget(1 << 20), limits = { maxBytes: 100_000, budget };
  for (
    const parts of [[], [bytes(1, 7)], [bytes(0), bytes(99_999, 1), bytes(1, 2)], [
      ...times(300, bytes(99, 3)),
    ]]
  ) {
    const expected = Uint8Array.from(parts.flatMap((part) => [...part]));
    assert.deepEqual(await readBody(bodyOf(parts).body, limits), expected);
  }
  assert.deepEqual(await readBody(null, limits), new Uint8Array());
  assert.equal(budget.heldBytes, 0);
});

Deno.test("readBody() stops at a body that is too large, or comes in needlessly many parts", async () => {
  const budget = new BodyBudget(1 << 20), limits = { maxBytes: 1 << 20, budget };
  const large = bodyOf(times(1000, bytes(1 << 12)));
  await assert.rejects(readBody(large.body, limits), { code: "input.invalid" });
  assert.ok(large.seen.given <= 257 && large.seen.isCanceled);
  await assert.rejects(
    readBody(bodyOf(times(2, bytes(1 << 20))).body, { ...limits, tooLarge: "logo.too_large" }),
    {
      code: "logo.too_large",
    },
  );
  const crumbs = bodyOf(times(60_000, bytes(1)));
  await assert.rejects(readBody(crumbs.body, limits), { code: "input.invalid" });
  assert.ok(crumbs.seen.given < 17_000 && crumbs.seen.isCanceled);
  assert.equal(budget.heldBytes, 0);
});

Deno.test("readBody() gives up a body that does not come to its end", async () => {
  const budget = new BodyBudget(1 << 20), { body, seen } = bodyOf([bytes(5)], true);
  await assert.rejects(readBody(body, { maxBytes: 1 << 20, budget, withinMs: 20 }), {
    code: "request.too_slow",
  });
  assert.ok(seen.isCanceled);
  assert.equal(budget.heldBytes, 0);
});

Deno.test("readBody() says that a connection broke", async () => {
  const budget = new BodyBudget(1 << 20);
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("reset")),
  });
  await assert.rejects(readBody(body, { maxBytes: 1 << 20, budget }), {
    code: "input.invalid",
    details: { reason: "aborted" },
  });
});

Deno.test("readBody() lets the oldest body give way, and refuses one that no other could make room for", async () => {
  const budget = new BodyBudget(150_000), limits = { maxBytes: 1 << 20, budget };
  const oldest = bodyOf([bytes(100_000)], true), open = readBody(oldest.body, limits);
  const refused = assert.rejects(open, { code: "server.busy" });
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(budget.heldBytes, 100_000);
  assert.equal((await readBody(bodyOf([bytes(100_000)]).body, limits)).length, 100_000);
  await refused;
  assert.ok(oldest.seen.isCanceled);
  await assert.rejects(readBody(bodyOf([bytes(200_000)]).body, limits), { code: "server.busy" });
  assert.equal(budget.heldBytes, 0);
});

// seeded: whatever slow bodies others leave, small bodies of owners that hold little are read
Deno.test("readBody() reads quick bodies of any owner while others hold as many slow bodies as they can", async () => {
  const random = new Random(20261127),
    budget = new BodyBudget(1 << 20, 256 << 10),
    maxBytes = 16 << 10;
  const slow: Promise<unknown>[] = [], outcomes = new Set<string>();
  for (let n = 0; n < 2000; n++) {
    const owner = `10.0.0.${Math.floor(8 * random.uniform())}`;
    const open = bodyOf([bytes(Math.floor(maxBytes * random.uniform()))], true);
    const limits = { maxBytes, budget, owner, withinMs: 2000 };
    slow.push(readBody(open.body, limits).catch(({ code }) => outcomes.add(code)));
    if (n % 20 > 0) continue;
    const size = Math.floor(4096 * random.uniform()), quick = bodyOf([bytes(size)]);
    // from an address that attacks, too
    const from = n % 40 === 0 ? "192.0.2.1" : owner;
    assert.equal((await readBody(quick.body, { maxBytes, budget, owner: from })).length, size);
    assert.ok(budget.heldBytes <= 1 << 20);
  }
  await Promise.all(slow);
  assert.deepEqual([...outcomes].sort(), ["request.too_slow", "server.busy"]);
  assert.equal(budget.heldBytes, 0);
});
