// covers: D1-8.23
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { startAnalyses, startReanalysis, uploadFiles } from "@/client/api/studies/patients.ts";
import {
  changePassword,
  getCreditLog,
  getCreditMonths,
  getLicense,
  getVuucToken,
} from "@/client/api/site/license.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { call } from "@/client/api/http.ts";
import { getUser } from "@/client/api/accounts/user.ts";
import { creditLog } from "@/model/schema/site/license.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  applyLicenseFile,
  grantCredits,
  type LicenseChange,
  setLicense,
  signLicense,
  trustProvider,
} from "@/server/core/site/service/license_grant.ts";
import { returnCredit, spendCredit } from "@/server/core/site/service/license.ts";
import { coreTest, EMAIL, openBeside, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { beforeMidnight, dayFromNow, noonOf } from "@/tests/sites/site_day.ts";

/** Changes the running site's database through a separate connection, as the operator does. */
async function operate(dataDir: string, act: (db: Database) => Promise<unknown>): Promise<void> {
  const db = await openBeside(dataDir);
  try {
    await act(db);
  } finally {
    await db.destroy();
  }
}
const limit = (dataDir: string, credits: number, change: LicenseChange = {}) =>
  operate(dataDir, async (db) => {
    await setLicense(db, { isCounted: true, certType: "CE", ...change });
    if (credits > 0) await grantCredits(db, credits);
  });

// covers: D1-4.22
coreTest("a site without a limit counts nothing and refuses nothing", async ({ api, events }) => {
  assert.deepEqual(await getLicense(api), {
    limit: [],
    total_remain_credit: null,
    expire_date: null,
    start_date: null,
    cert_type: "DEMO",
    state: "valid",
  });
  assert.equal((await uploadFiles(api, phantomSeries("short", "SP-1"))).success, 1);
  assert.equal((await getCreditLog(api)).total, 0);
  assert.equal(events.some(({ event }) => event.event === "credit_update"), false);
});

// covers: D1-4.15
coreTest(
  "one credit is used for each analysis; without one, uploads and analyses are refused",
  async ({ api, dataDir, events }) => {
    await limit(dataDir, 1);
    const two = [...phantomSeries("short", "SP-1"), ...phantomSeries("short", "SP-2")];
    const answer = await uploadFiles(api, two);
    assert.deepEqual([answer.total, answer.success], [2, 1]);
    assert.deepEqual([...new Set(answer.failed.map(({ code }) => code))], ["credit.none"]);
    const license = await getLicense(api);
    assert.deepEqual([license.total_remain_credit, license.state], [0, "no_credit"]);
    const told = events.map(({ event, audience }) =>
      `${event.event}${audience.uid ? ` to ${audience.uid}` : ""}`
    );
    assert.ok(told.includes("credit_update") && told.includes("credit_error to 1"), told.join());

    // refused before the files are read
    await assert.rejects(uploadFiles(api, phantomSeries("short", "SP-3")), {
      code: "credit.none",
      status: 402,
    });
    const db = await openBeside(dataDir);
    await db.updateTable("analyses").set({ status: "failed" }).execute();
    await db.destroy();
    const [pid] = answer.pid_list;
    await assert.rejects(startAnalyses(api, [pid!]), { code: "credit.none" });
    await assert.rejects(startReanalysis(api, pid!), { code: "credit.none" });
    await operate(dataDir, (db) => grantCredits(db, 2));
    assert.deepEqual((await startReanalysis(api, pid!)).accepted, [pid]);
    assert.equal((await getLicense(api)).total_remain_credit, 1);

    const { logs, total } = await getCreditLog(api, { per_page: 2 });
    assert.equal(total, 4);
    assert.deepEqual(logs.map(({ amount, balance, pid }) => [amount, balance, pid]), [
      [-1, 1, pid],
      [
        2,
        2,
        undefined,
      ],
    ]);
    const old = await getCreditLog(api, { per_page: 2, page: 2, sort_by: "asc" });
    assert.deepEqual(old.logs.map(({ amount }) => amount), [2, -1]);
  },
);

// covers: S-1
coreTest(
  "a credit comes back once when the run it paid for has failed, and the log says so",
  async ({ api, dataDir }) => {
    await limit(dataDir, 3);
    await operate(dataDir, (db) =>
      db.transaction().execute(async (tx) => {
        const may = noonOf("2026-05-15"), june = noonOf("2026-06-15");
        await spendCredit(tx, { analysisId: 7, pid: 5, userId: 1 }, may);
        await spendCredit(tx, { analysisId: 9, pid: 6, userId: 1 }, june);
        await returnCredit(tx, [7, 8], june);
        await returnCredit(tx, [7, 8], june);
        await returnCredit(tx, [1234], june);
      }));
    assert.equal((await getLicense(api)).total_remain_credit, 2);
    const { logs } = await getCreditLog(api, { is_rollback: true });
    assert.deepEqual(
      logs.map(({ amount, balance, pid, is_rollback }) => [amount, balance, pid, is_rollback]),
      [
        [1, 2, 5, true],
      ],
    );
    assert.equal((await getCreditLog(api, { is_rollback: false })).total, 3);
    assert.equal(
      (await getCreditLog(api, { start_date_by: "2026-06-01", end_date_by: "2026-06-30" })).total,
      2,
    );
    assert.deepEqual((await getCreditMonths(api)).months, [
      { month: "2026-06", used: 1, rolled_back: 1 },
      { month: "2026-05", used: 1, rolled_back: 0 },
    ]);
    assert.deepEqual((await getCreditMonths(api, { end_date_by: "2026-05-31" })).months, [
      { month: "2026-05", used: 1, rolled_back: 0 },
    ]);
    for (
      const query of [
        "page=0",
        "per_page=100000",
        "sort_by=up",
        "is_rollback=maybe",
        "start_date_by=May",
      ]
    ) {
      await assert.rejects(call(api, `/vuuc/api/user/credit/log?${query}`), {
        code: "input.invalid",
      }, query);
    }
  },
);

// covers: D1-7.5
coreTest(
  "the log of credits follows each of its parameters, and the log by month its two",
  async ({ api, dataDir }) => {
    await limit(dataDir, 9);
    await operate(dataDir, (db) =>
      db.transaction().execute(async (tx) => {
        for (const [n, day] of ["2026-05-01", "2026-05-31", "2026-06-01"].entries()) {
          await spendCredit(tx, { analysisId: n + 1, pid: n + 1, userId: 1 }, noonOf(day));
        }
        await returnCredit(tx, [2], noonOf("2026-06-02"));
      }));
    /** Study numbers of the entries; 0 for credits that the operator added today. */
    const ask = async (query: Record<string, string>) => {
      const answer = await call(api, "/vuuc/api/user/credit/log", { query });
      const { logs, ...rest } = creditLog.parse(await answer.json());
      return { pids: logs.map(({ pid = 0 }) => pid).join(), ...rest };
    };
    const all = { total: 5, page: 1, per_page: 20 };
    assert.deepEqual(await ask({}), { pids: "2,3,2,1,0", ...all });
    assert.deepEqual(await ask({ sort_by: "desc" }), { pids: "2,3,2,1,0", ...all });
    assert.deepEqual(await ask({ sort_by: "asc" }), { pids: "0,1,2,3,2", ...all });
    // both days are included, in either date format
    for (const day of ["2026-05-31", "2026/05/31", "2026-05-31T00:00:00Z"]) {
      assert.equal((await ask({ start_date_by: day, end_date_by: "2026-06-02" })).pids, "2,3,2");
      assert.equal((await ask({ end_date_by: day })).pids, "2,1");
    }
    assert.equal((await ask({ start_date_by: "2026-06-02", end_date_by: "2026-06-02" })).pids, "2");
    for (const yes of ["true", "1"]) assert.equal((await ask({ is_rollback: yes })).pids, "2");
    for (const no of ["false", "0"]) assert.equal((await ask({ is_rollback: no })).pids, "3,2,1,0");
    assert.deepEqual(await ask({ per_page: "2" }), { pids: "2,3", total: 5, page: 1, per_page: 2 });
    assert.deepEqual(await ask({ per_page: "2", page: "3" }), {
      pids: "0",
      total: 5,
      page: 3,
      per_page: 2,
    });
    assert.deepEqual(await ask({ page: "9" }), { pids: "", total: 5, page: 9, per_page: 20 });
    const everything = {
      start_date_by: "2026-05-01",
      end_date_by: "2026-06-30",
      is_rollback: "false",
    };
    assert.deepEqual(await ask({ ...everything, sort_by: "asc", page: "2", per_page: "1" }), {
      pids: "2",
      total: 3,
      page: 2,
      per_page: 1,
    });

    const months = async (query: Record<string, string>) =>
      (await getCreditMonths(api, query)).months;
    const may = { month: "2026-05", used: 2, rolled_back: 0 },
      june = { month: "2026-06", used: 1, rolled_back: 1 };
    assert.deepEqual(await months({}), [june, may]);
    assert.deepEqual(await months({ start_date_by: "2026-06-01" }), [june]);
    assert.deepEqual(await months({ end_date_by: "2026/05/31" }), [may]);
    assert.deepEqual(await months({ start_date_by: "2026-05-31", end_date_by: "2026-06-01" }), [
      { month: "2026-06", used: 1, rolled_back: 0 },
      { ...may, used: 1 },
    ]);
  },
);

coreTest(
  "outside the days of the licence nothing is uploaded or analysed, and what is there can be read",
  async ({ api, dataDir }) => {
    const files = phantomSeries("short", "SP-1");
    await beforeMidnight();
    await limit(dataDir, 5, { expireDate: dayFromNow(0) });
    const { pid_list } = await uploadFiles(api, files);
    await operate(dataDir, (db) => setLicense(db, { expireDate: dayFromNow(-1) }));
    const over = { code: "license.expired", status: 402 };
    await assert.rejects(uploadFiles(api, phantomSeries("short", "SP-2")), over);
    await assert.rejects(startAnalyses(api, pid_list), over);
    assert.equal((await getLicense(api)).state, "expired");
    await call(api, `/api/v1/patients/${pid_list[0]}`);
    const date = dayFromNow(1);
    await operate(dataDir, (db) => setLicense(db, { startDate: date, expireDate: null }));
    await assert.rejects(
      startAnalyses(api, pid_list),
      (error: { code: string; details: unknown }) => {
        assert.equal(error.code, "license.not_started");
        assert.equal((error.details as { date: string }).date, date);
        return true;
      },
    );
  },
);

// covers: S-2
coreTest(
  "a signed licence file is taken once, and where a provider is trusted nothing else is",
  async ({ api, dataDir }) => {
    const pair = () =>
      generateKeyPairSync("ed25519", {
        publicKeyEncoding: { type: "spki", format: "pem" },
        privateKeyEncoding: { type: "pkcs8", format: "pem" },
      });
    const provider = pair(), other = pair();
    const grant = {
      serial: "2026-1",
      holder: "A hospital",
      cert_type: "KR" as const,
      limit: ["use_limit"],
      start_date: null,
      expire_date: "2999-12-31",
      credits: 10,
    };
    const file = signLicense(grant, provider.privateKey);
    await operate(dataDir, async (db) => {
      await assert.rejects(applyLicenseFile(db, file), { code: "input.invalid" });
      await trustProvider(db, provider.publicKey);
      assert.equal(await applyLicenseFile(db, file), 10);
      await assert.rejects(applyLicenseFile(db, file), { code: "input.invalid" });
      await assert.rejects(
        applyLicenseFile(db, signLicense({ ...grant, serial: "2" }, other.privateKey)),
      );
      const changed = JSON.parse(file);
      changed.payload = Buffer.from(JSON.stringify({ ...grant, serial: "3", credits: 999 }))
        .toString(
          "base64url",
        );
      await assert.rejects(applyLicenseFile(db, JSON.stringify(changed)), {
        code: "input.invalid",
      });
      await assert.rejects(grantCredits(db, 5), { code: "access.forbidden" });
      await assert.rejects(setLicense(db, { expireDate: null }), { code: "access.forbidden" });
      await assert.rejects(trustProvider(db, other.publicKey), { code: "access.forbidden" });
    });
    const { total_remain_credit, expire_date, cert_type } = await getLicense(api);
    assert.deepEqual([total_remain_credit, expire_date, cert_type], [10, "2999-12-31", "KR"]);
  },
);

Deno.test("setLicense() takes days of the calendar only", () =>
  withCore(({ dataDir }) =>
    operate(dataDir, async (db) => {
      for (
        const change of [{ expireDate: "2026-02-31" }, { startDate: "soon" }, {
          startDate: "2026-05-02",
          expireDate: "2026-05-01",
        }]
      ) await assert.rejects(setLicense(db, change), { code: "input.invalid" });
      await assert.rejects(grantCredits(db, -1), { code: "input.invalid" });
    })
  ));

// covers: D1-5.10, D1-7.4
coreTest(
  "the user service gives a token and changes the password, which ends the other sessions",
  async ({ api, open }) => {
    const { access_token } = await getVuucToken(api);
    assert.equal((await getUser({ ...open, token: access_token })).user_id, 1);
    const next = "other-horse-8",
      change = (current_password: string, new_password: string) =>
        changePassword(api, { current_password, new_password });
    await assert.rejects(change("wrong-1-word", next), { code: "password.incorrect" });
    await assert.rejects(change(PASSWORD, "short-1"), { code: "password.policy" });
    await assert.rejects(change(PASSWORD, "Password1!"), { code: "password.common" });
    await assert.rejects(change(PASSWORD, PASSWORD), { code: "password.unchanged" });
    await change(PASSWORD, next);
    await getUser(api);
    await assert.rejects(login(open, { email: EMAIL, password: PASSWORD }), {
      code: "auth.invalid",
    });
    for (let n = 0; n < 5; n++) await change("wrong-1-word", next).catch(() => {});
    await assert.rejects(change(next, PASSWORD), { code: "auth.too_many_attempts" });
  },
);
