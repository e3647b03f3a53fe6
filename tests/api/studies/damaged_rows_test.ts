// One damaged text in the database breaks no list, search or start: all other data are served.
import assert from "node:assert/strict";
import { sql } from "kysely";
import { listPatients } from "@/client/api/studies/patients.ts";
import { CatchUp } from "@/server/core/jobs/catch_up.ts";
import { MissingFindings } from "@/server/core/analyses/service/missing_findings.ts";
import { watchFlairs } from "@/server/core/analyses/service/flair_change.ts";
import { watchVisits } from "@/server/core/analyses/service/longitudinal.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

const AT = "2026-01-06T00:00:00Z", STUDIES = 4;
/** Columns with JSON that lists, searches and catch-up jobs read. */
const TEXTS = [
  ["patients", "finding"],
  ["patients", "received_identity"],
  ["analyses", "results"],
  ["analyses", "parameters"],
  ["analyses", "error_details"],
  ["longitudinal", "visits"],
  ["longitudinal", "results"],
] as const;

coreTest(
  "a damaged text of any one row fails neither lists nor searches nor a catch-up",
  async ({ api, core, dataDir }) => {
    await addStudies(
      dataDir,
      STUDIES,
      (n) => ({ patientId: `P-${Math.ceil(n / 2)}`, studyDate: `202${n}-01-05` }),
    );
    for (let pid = 1; pid <= STUDIES; pid++) await setCompleted(dataDir, pid, AT);
    const db = await openBeside(dataDir);
    await db.updateTable("analyses").set({
      status: "failed",
      error_code: "internal",
      error_details: "{}",
    })
      .where("pid", "=", STUDIES).execute();
    for (const patient_id of ["P-1", "P-2"]) {
      await db.insertInto("longitudinal").values({
        patient_id,
        first_pid: patient_id === "P-1" ? 1 : 3,
        visits: "[]",
        status: "completed",
        engine_version: null,
        results: "{}",
        error_code: null,
        finished_at: AT,
      }).execute();
    }
    for (const [table, column] of TEXTS) {
      const name = `${table}.${column}`;
      await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = '{"damaged'`.execute(db);
      const { patients, total } = await listPatients(api, {});
      assert.deepEqual([patients.length, total], [STUDIES, STUDIES], name);
      const headers = { authorization: `Bearer ${api.token}` };
      const search = await core.fetch(
        new Request("http://core/api/v1/dicomweb/studies", { headers }),
      );
      assert.ok([200, 204].includes(search.status), `${name}: ${search.status}`);
      const services = { db, log: () => {}, wakeJobs: () => {} } as unknown as ServiceContext,
        failed: string[] = [];
      const tasks = [
        watchVisits(services).catchUp,
        watchFlairs(services).catchUp,
        new MissingFindings(services).catchUp,
      ];
      const later = new CatchUp(
        tasks,
        (_, message, fields) => void failed.push(`${message}: ${fields?.error}`),
      );
      later.begin();
      await until(() => later.waiting === 0);
      await later.close();
      assert.deepEqual(failed, [], name);
    }
    await db.destroy();
  },
);
