// covers: S-216
import assert from "node:assert/strict";
import { sql } from "kysely";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import { MissingFindings } from "@/server/core/analyses/service/missing_findings.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";
import { nameSite, openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { until } from "@/tests/sites/until.ts";

/** Number of microtasks after the last slice of work at which another list requests a finding. */
const LATEST = 6;

Deno.test("a finding that is asked for in the instant in which the queue ends is computed too", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-findings-" });
  nameSite(dataDir, null);
  await openBeside(dataDir).then((db) => db.destroy());
  await addReported(dataDir, LATEST + 2, 12);
  const db = await openBeside(dataDir);
  try {
    await db.updateTable("patients").set({ finding_rules: null }).execute();
    // storing the slice with study 1 fails, so that the queue ends at a known time
    await sql`CREATE TRIGGER refused BEFORE UPDATE OF finding ON patients WHEN NEW.pid = 1
      BEGIN SELECT RAISE(ABORT, 'refused'); END`.execute(db);
    for (let after = 0; after <= LATEST; after++) {
      const pid = after + 2, announced: number[] = [];
      let ended = false;
      const later: MissingFindings = new MissingFindings({
        db,
        publish: (event: ServerEvent) => {
          if (event.event === "study_finding") announced.push(...event.pid_list);
        },
        log: () => {
          ended = true;
          const ask = (left: number): void =>
            left === 0 ? void later.request([pid]) : queueMicrotask(() => ask(left - 1));
          ask(after);
        },
      });
      later.request([1]);
      await until(() => ended);
      await until(() => announced.includes(pid));
      await later.close();
      const [{ isFindingCurrent } = {}] = await readPatients(db, [pid]);
      assert.ok(isFindingCurrent);
    }
  } finally {
    await db.destroy();
    await Deno.remove(dataDir, { recursive: true });
  }
});
