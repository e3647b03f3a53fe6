import assert from "node:assert/strict";
import { CANNOT_START } from "@/server/commands/exit_codes.ts";
import { Restarts } from "@/server/commands/start/restarts.ts";

Deno.test("Restarts wait longer with each end soon after a start, and as at first after a minute of health", () => {
  const restarts = new Restarts();
  assert.equal(restarts.waitMs(1, 60_000), 500);
  const waits = Array.from({ length: 8 }, () => restarts.waitMs(1, 2000));
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  assert.equal(restarts.waitMs(1, 60_000), 500);
  assert.equal(restarts.waitMs(137, 3_600_000), 500);
  assert.equal(restarts.waitMs(0, 3_600_000), null);
  assert.equal(restarts.waitMs(CANNOT_START, 100), 1000, "a database that is away comes back");
});

Deno.test("Restarts give up a server that cannot start, at once where a setting is to blame", () => {
  const broken = new Restarts();
  const waits = Array.from({ length: 5 }, () => broken.waitMs(1, 300));
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, null]);
  for (const code of [0, 2, 130, CANNOT_START]) {
    assert.equal(new Restarts().waitMs(code, 300), null);
  }
  assert.equal(
    new Restarts().waitMs(CANNOT_START, 30_000),
    null,
    "it took long to find out on a busy machine",
  );
});
