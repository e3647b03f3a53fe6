import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import { CatchUp } from "@/server/core/jobs/catch_up.ts";
import { until } from "@/tests/sites/until.ts";

Deno.test("CatchUp runs each task although one fails, and lets timers run between slices", async () => {
  const done: string[] = [], warnings: string[] = [];
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const catchUp = new CatchUp([
    { name: "read a", run: () => Promise.reject(new Error("damaged")) },
    {
      name: "read b",
      run: async (pace) => {
        for (let slice = 0; slice < 5; slice++) await pace.rest();
        done.push("b");
      },
    },
  ], (_, message) => void warnings.push(message));
  catchUp.begin();
  await until(() => Promise.resolve(catchUp.waiting === 0));
  await catchUp.close();
  clearInterval(timer);
  assert.deepEqual([done, warnings], [["b"], ["Cannot read a"]]);
  assert.ok(turns >= 5, `${turns} turns`);
});

Deno.test("CatchUp.close() ends a task that goes on for ever, and says nothing of it", async () => {
  const warnings: string[] = [], started = Promise.withResolvers<void>();
  const catchUp = new CatchUp([{
    name: "read",
    run: async (pace) => {
      started.resolve();
      for (;;) await pace.rest();
    },
  }], (_, message) => void warnings.push(message));
  catchUp.begin();
  await started.promise;
  await catchUp.close();
  assert.deepEqual(warnings, []);
});

Deno.test("CatchUp repeats a task while disk, database or reader are away", async () => {
  const done: string[] = [];
  let away = 3;
  const catchUp = new CatchUp(
    ["a", "b"].map((name) => ({
      name,
      run: () => {
        if (away-- > 0) {
          return Promise.reject(new AppError("storage.unavailable", "Cannot reach the database"));
        }
        return Promise.resolve(void done.push(name));
      },
    })),
    () => {},
    1,
  );
  catchUp.begin();
  await until(() => catchUp.waiting === 0);
  await catchUp.close();
  assert.deepEqual(done, ["a", "b"]);
});

Deno.test("CatchUp.close() does not wait for a database that is away", async () => {
  const failed = Promise.withResolvers<void>();
  const catchUp = new CatchUp(
    [{
      name: "read",
      run: () => Promise.reject(new AppError("storage.unavailable", "Cannot reach the database")),
    }],
    () => failed.resolve(),
    3_600_000,
  );
  catchUp.begin();
  await failed.promise;
  await catchUp.close();
  assert.equal(catchUp.waiting, 1);
});
