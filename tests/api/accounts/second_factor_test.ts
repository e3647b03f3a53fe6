// covers: S-111
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { Secret, TOTP } from "otpauth";
import { login } from "@/client/api/accounts/auth.ts";
import {
  beginFactor,
  confirmFactor,
  endFactor,
  getFactor,
} from "@/client/api/accounts/second_factor.ts";
import { getUser } from "@/client/api/accounts/user.ts";
import { changeAccount, listAccounts, resetAccountFactor } from "@/client/api/accounts/users.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { resetFactorOf } from "@/server/core/accounts/service/second_factor.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import {
  colleague,
  coreTest,
  EMAIL,
  openBeside,
  PASSWORD,
  withCore,
} from "@/tests/sites/core_site.ts";

/** The one-time code of an authenticator app, `periods` × 30 s from now. */
const codeOf = (secret: string, periods = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + periods * 30_000,
  });
const WRONG = { code: "auth.code_wrong" };

coreTest(
  "one-time codes are asked for at sign-in, each taken once, with others for an emergency",
  async ({ api, open, dataDir }) => {
    await assert.rejects(beginFactor(api, "wrong-1-password"), { code: "password.incorrect" });
    assert.deepEqual(await getFactor(api), {
      is_on: false,
      is_required: false,
      recovery_codes_left: 0,
    });
    const { secret, uri, qr } = await beginFactor(api, PASSWORD);
    assert.match(
      uri,
      /^otpauth:\/\/totp\/Sulcus:physician%40hospital\.test\?issuer=Sulcus&secret=[A-Z2-7]{32}&/,
    );
    assert.ok(qr.length > 20 && qr.every((row) => row.length === qr.length && /^[01]+$/.test(row)));
    // the database does not contain the secret in plain text
    const db = await openBeside(dataDir);
    assert.equal(
      JSON.stringify(await db.selectFrom("second_factors").selectAll().execute()).includes(secret),
      false,
    );
    await db.destroy();
    // the second factor is not required before it is confirmed by a first code
    assert.ok(await login(open, { email: EMAIL, password: PASSWORD }));
    const again = {
      ...open,
      token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token,
    };
    await assert.rejects(confirmFactor(again, codeOf(secret, 50)), WRONG);
    const confirmed = codeOf(secret, -1),
      { recovery_codes } = await confirmFactor(again, confirmed);
    assert.equal(new Set(recovery_codes).size, 10);
    assert.ok(recovery_codes.every((code) => /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/.test(code)));
    assert.deepEqual(await getFactor(again), {
      is_on: true,
      is_required: false,
      recovery_codes_left: 10,
    });

    const signIn = (code?: string) => login(open, { email: EMAIL, password: PASSWORD, code });
    await assert.rejects(signIn(), { code: "auth.code_needed" });
    await assert.rejects(login(open, { email: EMAIL, password: "wrong-1-password" }), {
      code: "auth.invalid",
    });
    // a code cannot be used twice, even if its 30 s have passed in the meantime
    await assert.rejects(signIn(confirmed), WRONG, "the code of the confirmation");
    const now = codeOf(secret);
    assert.ok(await signIn(` ${now.slice(0, 3)} ${now.slice(3)} `));
    await assert.rejects(signIn(now), WRONG, "a code that was used");
    await assert.rejects(signIn(codeOf(secret, 40)), WRONG);
    assert.ok(await signIn(recovery_codes[3]!.toLowerCase()));
    await assert.rejects(signIn(recovery_codes[3]), WRONG, "an emergency code that was used");
    await assert.rejects(signIn("AAAA-AAAA-AAAA-AAAA"), WRONG);
    // each recovery code has its own salt; codes of earlier versions have none
    const beside = await openBeside(dataDir);
    const stored = await beside.selectFrom("recovery_codes").select(["salt", "hash"]).execute();
    assert.equal(new Set(stored.map(({ salt }) => salt)).size, 10);
    assert.ok(stored.every(({ salt, hash }) => salt!.length === 32 && hash.length === 64));
    const old = "ABCD-EFGH-IJKL-MNOP",
      hash = createHash("sha256").update(old.replaceAll("-", "")).digest("hex");
    await beside.insertInto("recovery_codes").values({ user_id: 1, hash, used_ms: null }).execute();
    await beside.destroy();
    assert.ok(await signIn(old));
    await assert.rejects(signIn(old), WRONG);
    const { access_token } = await signIn(codeOf(secret, 1)),
      last = { ...open, token: access_token };
    assert.equal((await getFactor(last)).recovery_codes_left, 9);
    await assert.rejects(endFactor(last, "000000"), WRONG);
    await endFactor(last, recovery_codes[0]!);
    assert.ok(await signIn());
  },
);

coreTest("codes are guessed no faster than passwords", async ({ api, open }) => {
  const { secret } = await beginFactor(api, PASSWORD);
  await confirmFactor(api, codeOf(secret));
  const codes: string[] = [];
  for (let n = 0; n < 8; n++) {
    const outcome = await login(open, { email: EMAIL, password: PASSWORD, code: `00000${n}` })
      .then(() => "in", ({ code }) => code);
    codes.push(outcome);
  }
  assert.equal(codes[0], "auth.code_wrong");
  assert.equal(codes.at(-1), "auth.too_many_attempts");
});

coreTest(
  "an administrator takes the codes of a colleague away, and the command those of the only one",
  async ({ api, open, dataDir }) => {
    const other = await colleague(open, dataDir), { user_id } = await getUser(other);
    const { secret } = await beginFactor(other, "correct-horse-8");
    await confirmFactor(other, codeOf(secret));
    const signIn = () => login(open, { email: "other@hospital.test", password: "correct-horse-8" });
    await assert.rejects(signIn(), { code: "auth.code_needed" });
    await assert.rejects(resetAccountFactor(other, user_id), { code: "access.forbidden" });
    const hasFactor = async () =>
      (await listAccounts(api)).users.find((user) => user.user_id === user_id)!.has_second_factor;
    assert.equal(await hasFactor(), true);
    await resetAccountFactor(api, user_id);
    assert.equal(await hasFactor(), false);
    assert.ok(await signIn());
    await confirmFactor(api, codeOf((await beginFactor(api, PASSWORD)).secret));
    const db = await openBeside(dataDir);
    await resetFactorOf(db, EMAIL);
    await db.destroy();
    const { access_token } = await login(open, { email: EMAIL, password: PASSWORD });
    const admin = { ...open, token: access_token };
    // the only administrator can neither be given another role nor be suspended
    await assert.rejects(changeAccount(admin, 1, { role: "reader" }), {
      code: "user.last_administrator",
    });
    await assert.rejects(changeAccount(admin, 1, { state: "suspended" }), {
      code: "user.last_administrator",
    });
    await changeAccount(admin, user_id, { role: "administrator" });
    await changeAccount(admin, 1, { role: "reader" });
  },
);

Deno.test("what stops between the codes for an emergency and the factor takes neither away", () =>
  withCore(async ({ api, dataDir }) => {
    await confirmFactor(api, codeOf((await beginFactor(api, PASSWORD)).secret));
    const db = await openBeside(dataDir);
    try {
      await sql`CREATE TRIGGER stop BEFORE DELETE ON second_factors BEGIN SELECT RAISE(ABORT, 'stop'); END`
        .execute(db);
      await assert.rejects(resetFactorOf(db, EMAIL), /stop/);
      const { n } = await db.selectFrom("recovery_codes").select((eb) => eb.fn.countAll().as("n"))
        .executeTakeFirstOrThrow();
      assert.equal(Number(n), 10);
    } finally {
      await db.destroy();
    }
  }));

Deno.test("where administrators must show codes, one without is answered nothing but their setting up", () =>
  withCore(async ({ api, open, dataDir }) => {
    const user = await getUser(api);
    assert.equal(user.must_enrol, true);
    await assert.rejects(listPatients(api, {}), { code: "auth.must_enrol" });
    const db = await openBeside(dataDir);
    await addQuickUser(db, { email: "p@x.org", password: PASSWORD, name: "P" });
    await db.destroy();
    const { access_token } = await login(open, { email: "p@x.org", password: PASSWORD });
    assert.equal((await listPatients({ ...open, token: access_token }, {})).total, 0);
    const { secret } = await beginFactor(api, PASSWORD);
    await confirmFactor(api, codeOf(secret));
    assert.equal((await listPatients(api, {})).total, 0);
    await assert.rejects(endFactor(api, codeOf(secret, 1)), { code: "auth.must_enrol" });
  }, { identity: { oidc: null, ldap: null, secondFactor: "administrators" } }));
