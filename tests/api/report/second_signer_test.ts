// covers: S-151, S-154
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { changeAccount } from "@/client/api/accounts/users.ts";
import {
  agreeToStop,
  countersignAcceptance,
  getStops,
  proposeStop,
} from "@/client/api/report/acceptance.ts";
import { acceptNorm, importNormTable } from "@/client/api/report/norms.ts";
import type { Api } from "@/client/api/http.ts";
import { ERRORS } from "@/model/errors.ts";
import { auditEventText } from "@/model/text/site/audit_events.ts";
import type { Database } from "@/server/core/database/database.ts";
import { insertAcceptance, signAcceptance } from "@/server/core/norms/storage/acceptances.ts";
import { insertStop } from "@/server/core/norms/storage/stops.ts";
import { appendAudit } from "@/server/core/site/service/audit/audit.ts";
import {
  checkSecondSigner,
  COUNTERSIGNED,
} from "@/server/core/site/service/audit/second_signer.ts";
import { filledExample } from "@/tests/sites/norms/example_norms.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

const NOT_INDEPENDENT = { code: "signature.not_independent" };
const SCANNER = { scanner: "Siemens Prisma", protocol: "3d" };

Deno.test("every action that needs two people is in the one table of them, and asks its rule", async () => {
  const actions = Object.values(COUNTERSIGNED);
  assert.deepEqual(
    Object.keys(ERRORS).filter((code) => code.endsWith(".same_person")).sort(),
    actions.map(({ samePerson }) => samePerson).sort(),
  );
  // an event named like a second signature is in the table too
  assert.deepEqual(
    Object.keys(auditEventText).filter((event) =>
      /\.(accept|agree|approve|countersign)$/.test(event)
    )
      .sort(),
    actions.map(({ event }) => event).sort(),
  );
  const folder = new URL("../../../server/core/norms/service/", import.meta.url);
  let services = "";
  for (const { name } of Deno.readDirSync(folder)) {
    services += await Deno.readTextFile(new URL(name, folder));
  }
  for (const action of Object.keys(COUNTERSIGNED)) {
    const calls = services.match(
      new RegExp(`checkSecondSigner\\(\\s*[\\w.]+,\\s*"${action}"`, "g"),
    );
    assert.equal(calls?.length, 1, action);
  }
});

databaseTest(
  "checkSecondSigner() refuses an account that the first signer has opened",
  async (site) => {
    const db = await site.open();
    const since = new Date(Date.now() - 60_000).toISOString();
    const check = (action: keyof typeof COUNTERSIGNED, uid: number, from = since) =>
      checkSecondSigner(db, action, { userId: 1, since: from }, { uid });
    for (const action of Object.keys(COUNTERSIGNED) as (keyof typeof COUNTERSIGNED)[]) {
      await assert.rejects(check(action, 1), { code: COUNTERSIGNED[action].samePerson });
      await check(action, 2);
    }
    let user = 10;
    for (const event of ["user.add", "user.change", "user.reset_password", "user.reset_code"]) {
      user++;
      await appendAudit(db, { event, userId: 1, details: { user, role: "administrator" } });
      await assert.rejects(check("stop", user), NOT_INDEPENDENT, event);
      // the eve of the proposal is no better; changes long before it do not count, but who made it
      const daysLater = (days: number) => new Date(Date.now() + 86_400_000 * days).toISOString();
      await assert.rejects(check("stop", user, daysLater(29)), NOT_INDEPENDENT, event);
      const later = check("stop", user, daysLater(31));
      if (event === "user.add") await assert.rejects(later, NOT_INDEPENDENT);
      else await later;
      // not another user whose number begins alike
      await check("stop", user * 10);
      await check("stop", 1 + user);
    }
    // a change by a third person, a refused one, and one's own password
    await appendAudit(db, { event: "user.reset_password", userId: 5, details: { user: 20 } });
    const outcome = "access.forbidden", details = { user: 20 };
    await appendAudit(db, { event: "user.reset_password", userId: 1, outcome, details });
    await appendAudit(db, { event: "password.change", userId: 20 });
    await check("stop", 20);
    await checkSecondSigner(db, "acceptance", { userId: null, since }, { uid: 11 });
  },
);

async function user(open: Api, db: Database, name: string, role: "administrator" | "physician") {
  const credentials = { email: `${name}@hospital.test`, password: "correct-horse-9" };
  await addQuickUser(db, { ...credentials, name, role });
  return async () => ({ ...open, token: (await login(open, credentials)).access_token });
}

coreTest("an administrator cannot countersign with an account that was made one meanwhile", async (
  { api, open, dataDir },
) => {
  const db = await openBeside(dataDir), at = new Date().toISOString();
  try {
    const promoted = await user(open, db, "promoted", "physician");
    const independent = await user(open, db, "independent", "administrator");
    const test = await insertAcceptance(db, {
      ...SCANNER,
      engineVersion: "1",
      seed: 1,
      pids: [1],
      pictures: [1],
      result: {} as never,
    }, { userId: 1, at });
    await signAcceptance(db, test, { decision: "volumes", remark: "" }, { userId: 1, at });
    const stop = await insertStop(db, { ...SCANNER, since: null, moved: [], stoppedAt: at });
    await proposeStop(api, stop, { decision: "confirm", reason: "checked" });
    const [{ decision, proposed_at, changed_at }] = (await getStops(api)).stops as [
      Awaited<ReturnType<typeof getStops>>["stops"][number],
    ];
    const seen = { decision: decision!, proposed_at: proposed_at!, changed_at };
    const norm = await importNormTable(api, filledExample());
    await changeAccount(api, 2, { role: "administrator" });
    const actions = [
      (by: Api) => countersignAcceptance(by, test),
      (by: Api) => agreeToStop(by, stop, seen),
      (by: Api) => acceptNorm(by, norm),
    ];
    const [second, third] = [await promoted(), await independent()];
    for (const action of actions) {
      await assert.rejects(action(second), NOT_INDEPENDENT);
      await action(third);
    }
    const refused = await db.selectFrom("audit").select("event").where("user_id", "=", 2)
      .where("outcome", "=", NOT_INDEPENDENT.code).orderBy("seq").execute();
    assert.deepEqual(
      refused.map(({ event }) => event),
      ["acceptance.countersign", "stop.agree", "norm.accept"],
    );
  } finally {
    await db.destroy();
  }
});
