// covers: S-102
import assert from "node:assert/strict";
import { sql } from "kysely";
import { getAudit } from "@/client/api/site/audit.ts";
import { call } from "@/client/api/http.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { colleague, coreTest, withCore } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

const P = "/api/v1/patients";
/** Ways to read patient data, each of another study (`N`), and the audit event that records it. */
const READINGS: [event: string, path: string, body?: unknown][] = [
  ["worklist.view", `${P}?page_idx=1&page_size=5`],
  ["study.view", `${P}/N`],
  ["history.view", `${P}/N/history`],
  ["image.view", `${P}/N/volume`],
  ["image.view", `${P}/image/viewer/N?file=t1w_file`],
  ["image.view", `${P}/image/viewer/N?file=t1w_mask_file`],
  ["image.view", "/api/v1/secure/verts.npy?pid=N"],
  ["image.view", "/api/v1/secure/values.npy?pid=N"],
  ["report.view", `${P}/N/report`],
  ["report.view", `${P}/N/report/image/orthogonal.png`],
  ["report.view", "/api/v1/settings/assessment/N"],
  ["report.print", `${P}/N/report/pdf`],
  ["report.print", `${P}/reports/pdf?pid_list=N`],
  ["report.print", `${P}/reports/pdf`, { pid_list: ["N"] }],
  ["dicom.export", `${P}/N/dicom/results`],
  ["dicom.export", `${P}/N/dicom/report`],
  ["dicom.export", `${P}/N/dicom/measurements`],
  ["dicom.export", `${P}/N/dicom/regions`],
  ["dicom.deidentify", `${P}/N/dicom/deidentified`],
  ["export.start", `${P}/excel`, { pid_list: ["N"], format: "csv" }],
  ["audit.view", "/api/v1/audit"],
  ["audit.export", "/api/v1/audit/export"],
  ["norm.view", "/api/v1/norms"],
  ["status.view", "/api/v1/status/details"],
];

Deno.test(`${READINGS.length} kinds of reading leave an entry each`, () =>
  withCore(async ({ api, dataDir }) => {
    await addReported(dataDir, READINGS.length);
    const without: string[] = [];
    for (const [i, [event, path, body]] of READINGS.entries()) {
      const pid = i + 1, { total } = await getAudit(api, { event });
      const sent = JSON.stringify(body)?.replace('"N"', String(pid));
      const options = sent === undefined ? {} : { method: "POST" as const, json: JSON.parse(sent) };
      // some studies lack the object; the error is also information about a patient, and is
      // recorded
      await call(api, path.replace("N", String(pid)), options).then(
        (a) => a.body?.cancel(),
        () => {},
      );
      const found = await getAudit(api, { event });
      // not compared with exactly one more, because reading the log adds entries too
      if (found.total <= total) without.push(path);
      const names = /N/.test(path) && !/pid_list/.test(path);
      if (names) assert.equal(found.entries[0]?.pid, pid, path);
    }
    assert.deepEqual(without, []);
  }));

Deno.test("a look whose entry could not be written is written at the next call", () =>
  withCore(async ({ api, dataDir }) => {
    await addReported(dataDir, 1);
    const look = () =>
      call(api, `${P}/1/history`).then((answer) => answer.body?.cancel(), () => {});
    const db = openDatabase(`${dataDir}/core.sqlite`);
    try {
      await sql`ALTER TABLE audit RENAME TO audit_away`.execute(db);
      await look();
      await sql`ALTER TABLE audit_away RENAME TO audit`.execute(db);
      assert.equal((await getAudit(api, { event: "history.view" })).total, 0);
      await look();
      assert.equal((await getAudit(api, { event: "history.view" })).total, 1);
    } finally {
      await db.destroy();
    }
  }));

coreTest(
  "reading is grouped: a look at a study is one entry naming its series, a list one a minute and user",
  async (test) => {
    const { api, open, dataDir } = test;
    await addReported(dataDir, 2);
    const other = await colleague(open, dataDir);
    const get = (path: string, from = api) =>
      call(from, path).then((answer) => answer.body?.cancel(), () => {});
    for (
      const path of [
        `${P}/1`,
        `${P}/1/volume`,
        `${P}/image/viewer/1?file=t1w_file`,
        `${P}/1/history`,
      ]
    ) await get(path);
    for (const file of ["verts", "faces", "normals", "values"]) {
      await get(`/api/v1/secure/${file}.npy?pid=1`);
    }
    for (let page = 1; page <= 5; page++) await get(`${P}?page_idx=${page}&search_string=Name`);
    await get(`${P}/2?fields=row`);
    await get(`${P}?page_idx=1`, other);
    const { entries } = await getAudit(api);
    assert.deepEqual(
      entries.toReversed().filter(({ event }) => /view$/.test(event)).map((
        e,
      ) => [e.event, e.user_id, e.pid]),
      [["study.view", 1, 1], ["worklist.view", 1, null], ["worklist.view", 2, null]],
    );
    assert.match(
      String(entries.find(({ event }) => event === "study.view")!.details.series),
      /^t1:\d+$/,
    );
    // read by a program, which did not open the study before
    for (let n = 0; n < 3; n++) await get(`${P}/image/viewer/2?file=t1w_file`);
    assert.equal((await getAudit(api, { event: "image.view" })).total, 1);
    assert.equal(/Name/.test(JSON.stringify((await getAudit(api)).entries)), false);
  },
);

coreTest(
  "refusals and renewals leave an entry, floods of them one a minute",
  async ({ api, core, open, dataDir }) => {
    const other = await colleague(open, dataDir);
    for (let n = 0; n < 20; n++) {
      await assert.rejects(call(open, `${P}/1`), { code: "token.missing" });
      await assert.rejects(call({ ...open, token: "x".repeat(43) }, `${P}/1`), {
        code: "token.revoked",
      });
      await assert.rejects(call(other, "/api/v1/norms/summary"), { code: "access.forbidden" });
    }
    const refused = (await getAudit(api, { event: "access.refused" })).entries;
    assert.deepEqual(refused.map(({ user_id, outcome }) => [user_id, outcome]).toReversed(), [
      [null, "token.missing"],
      [null, "token.revoked"],
      [2, "access.forbidden"],
    ]);
    assert.equal(refused.at(-1)!.details.call, `GET ${P}/1`);
    const refresh = (token: string) =>
      core.fetch(
        new Request("http://core/api/v1/auth/refresh", {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "x-forwarded-for": "10.0.0.7" },
        }),
      );
    const answer = await core.fetch(
      new Request("http://core/api/v1/auth/login", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: "other@hospital.test", password: "correct-horse-8" }),
      }),
    );
    const { refresh_token } = await answer.json();
    assert.equal((await refresh(refresh_token)).status, 200);
    for (let n = 0; n < 5; n++) assert.equal((await refresh("x".repeat(43))).status, 401);
    const renewals = (await getAudit(api, { event: "auth.refresh" })).entries.toReversed();
    assert.deepEqual(renewals.map((e) => [e.user_id, e.address, e.outcome]), [
      [2, "10.0.0.7", "ok"],
      [null, "10.0.0.7", "token.revoked"],
    ]);
  },
);
