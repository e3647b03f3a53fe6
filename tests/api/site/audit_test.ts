import assert from "node:assert/strict";
import { sql } from "kysely";
import { login, logout } from "@/client/api/accounts/auth.ts";
import { auditExportPath, getAudit, verifyAudit } from "@/client/api/site/audit.ts";
import { getSiteStatus } from "@/client/api/site/status.ts";
import { call } from "@/client/api/http.ts";
import { auditEventText, auditHeadText, auditText } from "@/model/text/site/audit_events.ts";
import {
  deletePatient,
  getPatient,
  getPatientRow,
  updatePatient,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import { openData } from "@/server/core/mod.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { appendAudit, verifyAudit as verifyChain } from "@/server/core/site/service/audit/audit.ts";
import { colleague, coreTest, EMAIL, openBeside, withCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

// covers: S-85
Deno.test("the audit log says who did what, where and how it ended, without patient data", () =>
  withCore(async ({ api, open, dataDir }) => {
    await assert.rejects(login(open, { email: EMAIL, password: "wrong-1-word" }));
    await assert.rejects(login(open, { email: "nobody@x.org", password: "wrong-1-word" }));
    const { pid_list: [pid] } = await uploadFiles(api, phantomSeries("short", "SP-77"));
    const { patient_id } = await getPatient(api, pid!);
    // refreshing a row of the list is recorded as viewing the list
    assert.equal((await getPatientRow(api, pid!)).patient_id, patient_id);
    await assert.rejects(deletePatient(api, pid!), { code: "study.being_analyzed" });
    await assert.rejects(
      updatePatient(api, pid!, {
        patient_id: "SP-77",
        patient_name: "Kim Haneul",
        patient_sex: "female",
        patient_birthdate: "1958-01-01",
        study_date: "2026-01-05",
      }),
      { code: "study.being_analyzed" },
    );
    await assert.rejects(call(api, `/api/v1/patients/${pid}/report`), {
      code: "study.not_analyzed",
    });
    await assert.rejects(call(open, `/api/v1/patients/${pid}`), { code: "token.missing" });
    const { entries, total } = await getAudit(api);
    assert.equal(total, 10);
    assert.deepEqual(entries.toReversed().map((e) => [e.event, e.user_id, e.pid, e.outcome]), [
      ["auth.login", 1, null, "ok"],
      ["auth.login", 1, null, "auth.invalid"],
      ["auth.login", null, null, "auth.invalid"],
      ["study.upload", 1, pid, "ok"],
      ["study.view", 1, pid, "ok"],
      ["worklist.view", 1, null, "ok"],
      ["study.delete", 1, pid, "study.being_analyzed"],
      ["study.update", 1, pid, "study.being_analyzed"],
      ["report.view", 1, pid, "study.not_analyzed"],
      ["access.refused", null, null, "token.missing"],
    ]);
    assert.equal(entries[1]!.user, EMAIL);
    assert.match(entries[0]!.request_id ?? "", /^[\w-]{8,64}$/);
    assert.equal(/Haneul|SP-77/.test(JSON.stringify(entries)), false);
    const found = await getAudit(api, { pid: pid!, event: "study.view" });
    assert.deepEqual([found.total, found.entries[0]?.event], [1, "study.view"]);
    assert.equal((await getAudit(api, { to: "2020-01-01" })).total, 0);

    const other = await colleague(open, dataDir);
    await assert.rejects(getAudit(other), { code: "access.forbidden" });
    await logout(other);
    const [last, refused] = (await getAudit(api, { user: 2 })).entries;
    assert.deepEqual([last!.event, refused!.event, refused!.outcome], [
      "auth.logout",
      "audit.view",
      "access.forbidden",
    ]);
    const db = openData(dataDir);
    assert.equal((await verifyChain(db)).broken, null);
    await db.destroy();
  }));

// covers: S-85
Deno.test("verifyAudit() finds an entry that was changed, taken out, added or cut off, and a log written anew", async () => {
  const make = async () => {
    const db = openDatabase(":memory:");
    // simultaneous entries: each is chained to the one before
    await Promise.all(
      Array.from(
        { length: 20 },
        (_, n) => appendAudit(db, { event: "study.view", userId: n }, [n]),
      ),
    );
    await appendAudit(
      db,
      { event: "study.delete", userId: 1 },
      Array.from({ length: 300 }, (_, n) => n + 1),
    );
    return db;
  };
  const db = await make(), whole = await verifyChain(db);
  assert.deepEqual([whole.count, whole.broken], [21, null]);
  for (
    const change of [sql`UPDATE audit SET outcome = 'x'`, sql`DELETE FROM audit WHERE seq = 21`]
  ) {
    await assert.rejects(change.execute(db), /append-only/);
  }
  await appendAudit(db, { event: "auth.logout", userId: 1 });
  assert.equal((await verifyChain(db, whole.hash)).isExpectedFound, true);
  await db.destroy();

  const attacks: [unknown, number][] = [
    [sql`UPDATE audit SET user_id = 99 WHERE seq = 7`, 7],
    [sql`UPDATE audit SET details = '{}' WHERE seq = 21`, 21],
    [sql`DELETE FROM audit WHERE seq = 3`, 3],
    [sql`DELETE FROM audit WHERE seq > 15`, 16],
    [
      sql`INSERT INTO audit SELECT 22, at, 5, address, event, pid, outcome, details, request_id, hash, mac FROM audit WHERE seq = 1`,
      22,
    ],
  ];
  for (const [attack, broken] of attacks) {
    const forged = await make();
    await sql`DROP TRIGGER audit_no_update`.execute(forged);
    await sql`DROP TRIGGER audit_no_delete`.execute(forged);
    await (attack as ReturnType<typeof sql>).execute(forged);
    assert.equal((await verifyChain(forged)).broken, broken);
    await forged.destroy();
  }
  const anew = await make();
  assert.deepEqual([
    (await verifyChain(anew, whole.hash)).broken,
    (await verifyChain(anew, whole.hash)).isExpectedFound,
  ], [
    null,
    false,
  ]);
  await anew.destroy();
});

// covers: D1-6.2
coreTest(
  "maintenance users search, export and verify the audit log; nobody else does",
  async ({ api, open, dataDir }) => {
    const other = await colleague(open, dataDir);
    const db = await openBeside(dataDir);
    // clients cannot choose address or name freely, but the export must not rely on that
    await appendAudit(db, {
      event: "auth.login",
      userId: null,
      address: '=HYPERLINK("http://x")',
      outcome: "auth.invalid",
    });
    await db.destroy();
    const found = async (search: string) =>
      (await getAudit(api, { search })).entries.map(({ event }) => event);
    assert.deepEqual(await found("HYPERLINK"), ["auth.login"]);
    assert.deepEqual(await found("other@"), ["auth.login"]);
    // searches by the event's text in either language
    const signIns = await found("auth.login");
    assert.ok(signIns.length > 1);
    assert.deepEqual(await found("Sign-in"), signIns);
    assert.deepEqual(await found("로그인"), signIns);
    assert.deepEqual(await found("100%_"), []);
    assert.ok((await found("auth.")).length >= 3);

    const csv = await (await call(api, auditExportPath({ search: "auth." }, "en"))).text();
    const [head, ...lines] = csv.replace("\ufeff", "").trimEnd().split("\r\n");
    assert.equal(head, Object.values(auditHeadText).map(({ en }) => en).join(","));
    assert.equal(lines.length, (await getAudit(api, { search: "auth." })).total);
    assert.match(csv, /,"'=HYPERLINK\(""http:\/\/x""\)",/);
    const signIn = auditEventText["auth.login"], { succeeded } = auditText;
    const first = (language: "en" | "ko") =>
      new RegExp(
        `^1,.*,${EMAIL},.*,${signIn[language]},,${succeeded[language]},.*,auth.login,ok,`,
      );
    assert.match(lines.at(-1)!, first("en"));
    const korean = await (await call(api, auditExportPath({ search: "auth." }, "ko"))).text();
    const [koreanHead, ...koreanLines] = korean.replace("\ufeff", "").trimEnd().split("\r\n");
    assert.equal(koreanHead, Object.values(auditHeadText).map(({ ko }) => ko).join(","));
    assert.match(koreanLines.at(-1)!, first("ko"));

    const verdict = await verifyAudit(api);
    assert.equal(verdict.broken, null);
    assert.match(verdict.hash, /^[0-9a-f]{64}$/);
    const seen = (await getAudit(api, { search: "audit." })).entries.map(({ event }) => event);
    assert.ok(seen.includes("audit.export") && seen.includes("audit.verify"));

    await assert.rejects(verifyAudit(other), { code: "access.forbidden" });
    await assert.rejects(call(other, auditExportPath({}, "en")), { code: "access.forbidden" });
    await assert.rejects(getSiteStatus(other), { code: "access.forbidden" });
  },
);

// covers: D1-7.7
coreTest("GET /status/details says what runs and what waits", async ({ api, dataDir }) => {
  const { pid_list: [pid] } = await uploadFiles(api, phantomSeries("short", "SP-78"));
  const status = await getSiteStatus(api);
  assert.deepEqual([status.product, status.engine_version], ["Sulcus", null]);
  assert.deepEqual(
    status.jobs.list.map(({ kind, status, pids }) => [kind, status, pids]),
    [["analysis", "queued", [pid]]],
  );
  assert.deepEqual([status.jobs.counts.queued, status.workers.busy], [1, 0]);
  assert.ok(
    status.disk.total_bytes > status.disk.free_bytes && status.disk.warn < status.disk.error,
  );
  const db = await openBeside(dataDir);
  await db.updateTable("jobs").set({ status: "failed", error_code: "engine.crashed" }).execute();
  await db.destroy();
  const { jobs } = await getSiteStatus(api);
  assert.deepEqual([jobs.list[0]!.error, jobs.counts.failed, jobs.counts.queued], [
    "engine.crashed",
    1,
    0,
  ]);
});
