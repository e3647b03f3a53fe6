import assert from "node:assert/strict";
import type { Database } from "@/server/core/database/database.ts";
import { watchPatients } from "@/server/core/analyses/service/watch_patients.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { Random } from "@/model/random.ts";

/** Watches studies; the patient of a study is the study number modulo `patients`. */
function watched(patients: number, queue: (patientId: string) => Promise<boolean>) {
  const warnings: string[] = [];
  const services = {
    db: {} as Database,
    log: (_level: string, message: string) => void warnings.push(message),
    wakeJobs: () => {},
  } as unknown as ServiceContext;
  const watch = watchPatients(services, {
    name: "test",
    queueSlice: () => Promise.resolve(0),
    of: (_db, pid) => Promise.resolve([String(pid % patients)]),
    concerned: (event) => event.event === "study_update" ? [event.pid] : [],
    queue: (_db, patientId) => queue(patientId),
  });
  const change = (pid: number) => watch.hear({ event: "study_update", pid, uid: 0 });
  return { watch, change, warnings };
}

Deno.test("watchPatients() looks once at a patient whose studies all changed", async () => {
  let looks = 0;
  const { watch, change } = watched(1, () => Promise.resolve(++looks > 0));
  for (let pid = 0; pid < 400; pid++) change(pid);
  while (looks === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await watch.close();
  assert.equal(looks, 1);
});

Deno.test("watchPatients() looks at each patient after the last change, and lets others in between", async () => {
  const random = new Random(4501), patients = 7;
  const below = (bound: number) => Math.floor(random.uniform() * bound);
  for (let round = 0; round < 20; round++) {
    const isOutdated = new Set<string>();
    let looks = 0;
    const { watch, change, warnings } = watched(patients, (patientId) => {
      looks++;
      isOutdated.delete(patientId);
      return patientId === "3" ? Promise.reject(new Error("no")) : Promise.resolve(true);
    });
    let timers = 0;
    const timer = setInterval(() => timers++, 0);
    try {
      const changes = 1 + below(60);
      for (let n = 0; n < changes; n++) {
        const pid = below(100);
        isOutdated.add(String(pid % patients));
        change(pid);
        if (below(4) === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      }
      while (isOutdated.size > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      await watch.close();
      assert.ok(looks <= changes);
      assert.ok(timers > 0);
      assert.ok(warnings.every((each) => each === "Cannot queue comparison"));
    } finally {
      clearInterval(timer);
    }
  }
});
