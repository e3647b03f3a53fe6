// covers: S-151, S-154
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { login } from "@/client/api/accounts/auth.ts";
import { addAccount, changeAccount, resetAccountPassword } from "@/client/api/accounts/users.ts";
import {
  agreeToStop,
  countersignAcceptance,
  getStops,
  proposeStop,
} from "@/client/api/report/acceptance.ts";
import { acceptNorm, importNormTable } from "@/client/api/report/norms.ts";
import { changePassword } from "@/client/api/site/license.ts";
import type { Api } from "@/client/api/http.ts";
import { ERRORS } from "@/model/errors.ts";
import { auditEventText } from "@/model/text/site/audit_events.ts";
import type { Database } from "@/server/core/database/database.ts";
import { insertAcceptance, signAcceptance } from "@/server/core/norms/storage/acceptances.ts";
import { insertStop } from "@/server/core/norms/storage/stops.ts";
import { findUser, findUserByEmail, updateUser } from "@/server/core/accounts/storage/users.ts";
import { nowIso } from "@/server/core/site/service/context.ts";
import { appendAudit, type AuditEntry } from "@/server/core/site/service/audit/audit.ts";
import {
  checkSecondSigner,
  COUNTERSIGNED,
} from "@/server/core/site/service/audit/second_signer.ts";
import { filledExample } from "@/tests/sites/norms/example_norms.ts";
import { coreTest, openBeside, siteOf } from "@/tests/sites/core_site.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { filesUnder } from "@/tools/pages/source_files.ts";

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
  const folder = fileURLToPath(new URL("../../../server/core/norms/service", import.meta.url));
  let services = "";
  for await (const file of filesUnder(folder)) services += await Deno.readTextFile(file);
  for (const action of Object.keys(COUNTERSIGNED)) {
    const calls = services.match(
      new RegExp(`checkSecondSigner\\(\\s*[\\w.]+,\\s*"${action}"`, "g"),
    );
    assert.equal(calls?.length, 1, action);
  }
});

/** Adds an active administrator. @returns its number. */
async function administrator(db: Database, name: string): Promise<number> {
  const email = `${name}@hospital.test`;
  await addQuickUser(db, { email, password: "correct-horse-9", name, role: "administrator" });
  return (await findUserByEmail(db, email))!.id;
}

/** Signers of a site, and the audit events about their accounts. */
function signersOf(db: Database) {
  let count = 0;
  const add = () => administrator(db, `user-${++count}`);
  const log = async (event: string, userId: number | null, details: AuditEntry["details"] = {}) => {
    await appendAudit(db, { event, userId, details });
    // audit entries of the same millisecond are indistinguishable from the signature
    await new Promise((resolve) => setTimeout(resolve, 2));
    return nowIso();
  };
  const check = (first: number, second: number, since = nowIso()) =>
    checkSecondSigner(db, "stop", { userId: first, since }, { uid: second });
  return {
    add,
    log,
    check,
    refuses: (first: number, second: number, since?: string) =>
      assert.rejects(check(first, second, since), NOT_INDEPENDENT),
    /** An operator's command about an account, or the audit event of it. */
    operate: async (verb: string, id: number) =>
      await log(`admin.user.${verb}`, null, { subject: (await findUser(db, id))!.email }),
  };
}

databaseTest(
  "checkSecondSigner() refuses two accounts of which one person has had the passwords",
  async (site) => {
    const db = await site.open(), { add, log, check, refuses, operate } = signersOf(db);
    const [maker, made, other, helper] = [await add(), await add(), await add(), await add()];
    for (const action of Object.keys(COUNTERSIGNED) as (keyof typeof COUNTERSIGNED)[]) {
      const first = { userId: maker, since: nowIso() };
      await assert.rejects(checkSecondSigner(db, action, first, { uid: maker }), {
        code: COUNTERSIGNED[action].samePerson,
      });
      await checkSecondSigner(db, action, first, { uid: made });
    }
    // a refused call, and a call without effect on access
    await appendAudit(db, {
      event: "user.reset_password",
      userId: maker,
      outcome: "access.forbidden",
      details: { user: made },
    });
    await log("user.change", maker, { user: made });
    await check(maker, made);
    for (const event of ["user.add", "user.reset_password"]) {
      await log(event, maker, { user: made });
      // in both directions, however long before
      await refuses(maker, made);
      await refuses(made, maker);
      await check(made, other);
      await check(maker, other);
      // the first password is replaced by the maker as easily as by the owner
      await log("password.change", made);
      await refuses(made, maker);
      // two accounts with one maker, and an account that a made account has made
      await log(event, maker, { user: other });
      await refuses(made, other);
      await log(event, made, { user: helper });
      await refuses(helper, maker);
      await refuses(maker, helper);
      const signedAt = nowIso(), renewedAt = await operate("reset-password", made);
      await check(maker, made);
      // signed before the operator's command: by either of them
      await refuses(made, maker, signedAt);
      await check(made, maker, renewedAt);
      await operate("reset-password", other);
      await operate("reset-password", helper);
      await check(helper, maker);
    }
    // a third administrator's reset ends the maker's knowledge, and begins its own
    await log("user.add", maker, { user: made });
    await log("user.reset_password", other, { user: made });
    await check(maker, made);
    await refuses(other, made);
    await checkSecondSigner(db, "acceptance", { userId: null, since: nowIso() }, { uid: made });
  },
);

databaseTest(
  "checkSecondSigner() refuses a changed account until its owner chooses another password",
  async (site) => {
    const db = await site.open(), { add, log, check, refuses, operate } = signersOf(db);
    const [changer, changed, other] = [await add(), await add(), await add()];
    const CHANGES = [
      ["user.change", { role: "administrator" }],
      ["user.change", { state: "active" }],
      ["user.reset_code", {}],
    ] as const;
    for (const [event, details] of CHANGES) {
      await log(event, changer, { user: changed, ...details });
      await refuses(changer, changed);
      await refuses(changed, changer);
      await check(changed, other);
      const signedAt = nowIso(), chosenAt = await log("password.change", changed);
      await check(changer, changed);
      await refuses(changed, changer, signedAt);
      await check(changed, changer, chosenAt);
      await log(event, changer, { user: changed, ...details });
      await refuses(changed, changer);
      await operate("reset-password", changed);
      await check(changed, changer);
      // both promoted by a third administrator, who has neither password
      await log(event, other, { user: changed, ...details });
      await log(event, other, { user: changer, ...details });
      await check(changed, changer);
      await log("password.change", changed);
      await log("password.change", changer);
    }
    // the hospital's sign-in vouches for the person, but not after a link back
    await log("user.reset_password", changer, { user: changed });
    await updateUser(db, changed, { source: "oidc" });
    await refuses(changed, changer);
    const linkedAt = await operate("link", changed);
    await check(changed, changer, linkedAt);
    await log("user.change", changer, { user: changed, role: "administrator" });
    await check(changed, changer);
    await updateUser(db, changed, { source: "local" });
    await refuses(changed, changer);
  },
);

databaseTest("checkSecondSigner() refuses a first signer who may sign no longer", async (site) => {
  const db = await site.open(), { add, check } = signersOf(db);
  const [first, second] = [await add(), await add()];
  const refused = () => assert.rejects(check(first, second), { code: "signature.signer_inactive" });
  await check(first, second);
  for (const change of [{ state: "suspended" }, { role: "physician" }] as const) {
    await updateUser(db, first, change);
    await refused();
    await updateUser(db, first, { state: "active", role: "administrator" });
    await check(first, second);
  }
  await updateUser(db, first, { removedAt: nowIso() });
  await refused();
});

async function user(open: Api, db: Database, name: string, role: "administrator" | "physician") {
  const credentials = { email: `${name}@hospital.test`, password: "correct-horse-9" };
  await addQuickUser(db, { ...credentials, name, role });
  return async () => ({ ...open, token: (await login(open, credentials)).access_token });
}

/** A proposed stop, a signed acceptance and imported norms of a user, and their second signatures. */
async function signedBy(first: Api, userId: number, db: Database) {
  const at = nowIso();
  const test = await insertAcceptance(db, {
    ...SCANNER,
    engineVersion: "1",
    seed: 1,
    pids: [1],
    pictures: [1],
    result: {} as never,
  }, { userId, at });
  await signAcceptance(db, test, { decision: "volumes", remark: "" }, { userId, at });
  const stop = await insertStop(db, { ...SCANNER, since: null, moved: [], stoppedAt: at });
  await proposeStop(first, stop, { decision: "confirm", reason: "checked" });
  const { decision, proposed_at, changed_at } = (await getStops(first)).stops
    .find(({ id }) => id === stop)!;
  const seen = { decision: decision!, proposed_at: proposed_at!, changed_at };
  const norm = await importNormTable(first, filledExample());
  return [
    (by: Api) => countersignAcceptance(by, test),
    (by: Api) => agreeToStop(by, stop, seen),
    (by: Api) => acceptNorm(by, norm),
  ];
}

/** Signs in with a first password, and replaces it. */
async function takeOver(open: Api, email: string, first: string): Promise<Api> {
  const password = "another-horse-9";
  const session = { ...open, token: (await login(open, { email, password: first })).access_token };
  await changePassword(session, { current_password: first, new_password: password });
  return { ...open, token: (await login(open, { email, password })).access_token };
}

coreTest("an administrator cannot countersign with an account that was made one meanwhile", async (
  { api, open, dataDir },
) => {
  const db = await openBeside(dataDir);
  try {
    const promoted = await user(open, db, "promoted", "physician");
    const independent = await user(open, db, "independent", "administrator");
    const actions = await signedBy(api, 1, db);
    await changeAccount(api, 2, { role: "administrator" });
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

coreTest("one administrator cannot give both signatures with an account made before", async (
  { api, open, dataDir },
) => {
  const db = await openBeside(dataDir);
  try {
    const account = {
      email: "puppet@hospital.test",
      name: "Puppet",
      role: "administrator",
    } as const;
    const { user_id: id, password } = await addAccount(api, account);
    const puppet = await takeOver(open, account.email, password);
    const signatures = [[api, 1, puppet], [puppet, id, api]] as const;
    for (const [first, firstId, second] of signatures) {
      for (const action of await signedBy(first, firstId, db)) {
        await assert.rejects(action(second), NOT_INDEPENDENT);
      }
    }
    // the password of another administrator, set before the proposal
    const colleague = await user(open, db, "colleague", "administrator");
    await colleague();
    const reset = await resetAccountPassword(api, id + 1);
    const stolen = await takeOver(open, "colleague@hospital.test", reset.password);
    for (const action of await signedBy(api, 1, db)) {
      await assert.rejects(action(stolen), NOT_INDEPENDENT);
    }
  } finally {
    await db.destroy();
  }
});

coreTest(
  "a new administrator countersigns once the server's operator has reset the password",
  async (
    { api, open, dataDir },
  ) => {
    const db = await openBeside(dataDir), email = "second@hospital.test";
    try {
      await addAccount(api, { email, name: "Second", role: "administrator" });
      const command = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "main.ts", "admin", "user", "reset-password", email],
        cwd: new URL("../../../", import.meta.url),
        env: {
          SULCUS_DATA_DIR: dataDir,
          ...siteOf(dataDir) && { SULCUS_DATABASE_URL: siteOf(dataDir)! },
        },
      });
      const { stdout, stderr } = await command.output(), text = new TextDecoder();
      const password = /shown only once\): (\S+)/.exec(text.decode(stdout))?.[1];
      assert.ok(password, text.decode(stderr));
      const second = await takeOver(open, email, password);
      for (const action of await signedBy(api, 1, db)) await action(second);
      // not with a first signer who was suspended meanwhile
      const id = (await findUserByEmail(db, email))!.id, actions = await signedBy(second, id, db);
      await changeAccount(api, id, { state: "suspended" });
      for (const action of actions) {
        await assert.rejects(action(api), { code: "signature.signer_inactive" });
      }
    } finally {
      await db.destroy();
    }
  },
);
