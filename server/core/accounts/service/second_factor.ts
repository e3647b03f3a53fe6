// Second factor after the password: one-time codes of an authenticator app (TOTP, RFC 6238),
// or codes that an administrator issues to users without an authenticator.
import { createHash, randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { encode } from "uqr";
import { AppError } from "@/model/errors.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import type { Role } from "@/model/accounts/roles.ts";
import type { FactorState, NewFactor } from "@/model/schema/accounts/second_factor.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { UserSource } from "@/server/core/database/tables.ts";
import { revokeSessionsOf } from "@/server/core/accounts/storage/sessions.ts";
import { findUser, findUserByEmail } from "@/server/core/accounts/storage/users.ts";
import {
  confirmFactor,
  countRecoveryCodes,
  deleteFactor,
  findFactor,
  listRecoveryCodes,
  putFactor,
  putRecoveryCodes,
  type StoredRecoveryCode,
  takeStep,
  useRecoveryCode,
} from "@/server/core/accounts/storage/second_factors.ts";
import { isPassword } from "@/server/core/accounts/service/password.ts";
import { countConfirmation, forgive } from "@/server/core/accounts/service/sign_in_delay.ts";
import type { IdentitySettings } from "@/server/core/accounts/service/identity_settings.ts";
import { seal, unseal } from "@/server/core/accounts/service/sealed_secret.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";

const ISSUER = "Sulcus", SECRET_BYTES = 20, PERIOD_S = 30;
/** Codes of the previous and the next period are accepted, because clocks of phones differ. */
const WINDOW = 1;
const RECOVERY_CODES = 10, RECOVERY_BYTES = 10, SALT_BYTES = 16;

const totpOf = (secret: string, label = "") =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: PERIOD_S });
const plain = (code: string) => code.toUpperCase().replaceAll(/[\s-]/g, "");
/** Hash of a recovery code; those stored by earlier versions have no salt. */
const hashOf = (code: string, salt: string | null) =>
  createHash("sha256").update(salt ?? "").update(plain(code)).digest("hex");
const salted = (code: string): StoredRecoveryCode => {
  const salt = randomBytes(SALT_BYTES).toString("hex");
  return { salt, hash: hashOf(code, salt) };
};

/** Whether a user must set up one-time codes; never for users of an OpenID provider. */
export function mustEnrol(
  identity: IdentitySettings | undefined,
  role: Role,
  source: UserSource,
): boolean {
  const rule = identity?.secondFactor ?? "optional";
  return source !== "oidc" &&
    (rule === "everybody" || (rule === "administrators" && role === "administrator"));
}

/** Marks a recovery code as used. @returns whether the code is valid. */
async function takeRecoveryCode(
  db: Database,
  userId: number,
  code: string,
  nowMs: number,
): Promise<boolean> {
  const unusedCode = (await listRecoveryCodes(db, userId)).find(({ hash, salt }) =>
    hashOf(code, salt) === hash
  );
  return unusedCode !== undefined && await useRecoveryCode(db, userId, unusedCode.hash, nowMs);
}

/** Marks a one-time code as used. @returns whether the code is valid. */
async function takeCode(
  db: Database,
  userId: number,
  code: string,
  nowMs: number,
): Promise<boolean> {
  const factor = await findFactor(db, userId);
  if (factor === null) return false;
  const token = plain(code);
  if (!/^\d{6}$/.test(token)) return await takeRecoveryCode(db, userId, code, nowMs);
  const delta = totpOf(await unseal(db, factor.secret)).validate({
    token,
    timestamp: nowMs,
    window: WINDOW,
  });
  const stepAt = (ms: number) => Math.floor(ms / 1000 / PERIOD_S);
  return delta !== null &&
    await takeStep(db, userId, stepAt(nowMs) + delta, stepAt(latestCredible(nowMs)));
}

const wrong = () =>
  new AppError("auth.code_wrong", "Cannot take the one-time code: wrong, or used before");

/**
 * Requires a one-time code after the correct password, from users who have set up codes.
 * @throws {AppError} `auth.code_needed`, `auth.code_wrong`.
 */
export async function checkSecondFactor(
  db: Database,
  userId: number,
  code: string | undefined,
  nowMs: number,
): Promise<void> {
  const factor = await findFactor(db, userId);
  if (factor === null || factor.confirmedAt === null) return;
  if (!code) throw new AppError("auth.code_needed", "Cannot sign in: a one-time code is needed");
  if (!await takeCode(db, userId, code, nowMs)) throw wrong();
}

/** Whether the caller has set up one-time codes, and the number of unused recovery codes. */
export async function getFactor(
  { db, identity }: ServiceContext,
  { uid }: Caller,
): Promise<FactorState> {
  const [factor, user] = [await findFactor(db, uid), await findUser(db, uid)];
  const isOn = factor !== null && factor.confirmedAt !== null;
  return {
    is_on: isOn,
    is_required: user !== null && mustEnrol(identity, user.role, user.source),
    recovery_codes_left: isOn ? await countRecoveryCodes(db, uid) : 0,
  };
}

/**
 * Creates a secret for the caller's authenticator app; it is valid after the first correct code.
 * @throws {AppError} `access.forbidden` for users of an OpenID provider, `auth.code_wrong` if codes
 * are set up already, `password.incorrect`, `auth.too_many_attempts`.
 */
export async function beginFactor(
  { db }: ServiceContext,
  { uid }: Caller,
  password: string,
  nowMs = Date.now(),
): Promise<NewFactor> {
  const user = await findUser(db, uid);
  if (user === null) {
    throw new AppError("auth.not_found", "Cannot set up codes: the user is deleted");
  }
  if (user.source === "oidc") {
    throw new AppError("access.forbidden", "Cannot set up codes: the provider has its own");
  }
  if ((await findFactor(db, uid))?.confirmedAt) {
    throw new AppError(
      "auth.code_wrong",
      "Cannot set up codes: they are set up, and must be taken away first",
    );
  }
  if (user.source === "local") {
    const attempt = await countConfirmation(db, uid, nowMs);
    if (!await isPassword(password, user.passwordHash)) {
      throw new AppError("password.incorrect", "Cannot set up codes: the password is wrong");
    }
    await forgive(db, attempt, null);
  }
  const secret = new Secret({ size: SECRET_BYTES }).base32,
    uri = totpOf(secret, user.email).toString();
  await putFactor(db, uid, await seal(db, secret));
  const { data } = encode(uri, { ecc: "M", border: 2 });
  return { secret, uri, qr: data.map((row) => row.map((isDark) => isDark ? "1" : "0").join("")) };
}

/**
 * Confirms a new secret by its first code; from then on signing in requires a code.
 * @returns recovery codes, which can be shown only now, because only their hashes are stored.
 * @throws {AppError} `auth.code_wrong`, `auth.too_many_attempts`.
 */
export async function confirmFactorOf(
  { db, log }: ServiceContext,
  { uid, sid }: Caller,
  code: string,
  nowMs = Date.now(),
): Promise<string[]> {
  const factor = await findFactor(db, uid);
  if (factor === null || factor.confirmedAt !== null) throw wrong();
  const attempt = await countConfirmation(db, uid, nowMs);
  if (!await takeCode(db, uid, code, nowMs)) throw wrong();
  await forgive(db, attempt, null);
  const codes = Array.from(
    { length: RECOVERY_CODES },
    () =>
      new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32.match(
        /.{4}/g,
      )!.join(
        "-",
      ),
  );
  await db.transaction().execute(async (tx) => {
    await confirmFactor(tx, uid, nowIso());
    await putRecoveryCodes(tx, uid, codes.map(salted));
    // ends the user's other sessions, which were started without a code
    await revokeSessionsOf(tx, uid, nowMs, sid);
  });
  log("info", "Set up one-time codes", { uid });
  return codes;
}

/**
 * Removes the caller's second factor; the request contains a code.
 * @throws {AppError} `auth.code_wrong`, `auth.too_many_attempts`;
 * `auth.must_enrol` if the site requires codes.
 */
export async function endFactor(
  { db, identity, log }: ServiceContext,
  { uid }: Caller,
  code: string,
  nowMs = Date.now(),
): Promise<void> {
  const user = await findUser(db, uid);
  if (user === null || mustEnrol(identity, user.role, user.source)) {
    throw new AppError("auth.must_enrol", "Cannot take the codes away: the site asks for them");
  }
  const attempt = await countConfirmation(db, uid, nowMs);
  if (!await takeCode(db, uid, code, nowMs)) throw wrong();
  await forgive(db, attempt, null);
  await deleteFactor(db, uid);
  log("info", "Took one-time codes away", { uid });
}

/**
 * Removes the second factor of a user who has lost the authenticator.
 * @throws {AppError} `entity.not_found`.
 */
export async function resetFactor(db: Database, userId: number): Promise<void> {
  if (await deleteFactor(db, userId)) return;
  throw new AppError("entity.not_found", "Cannot reset one-time codes: the user has none");
}

/** {@link resetFactor} from the command line. @throws {AppError} `entity.not_found`. */
export async function resetFactorOf(db: Database, email: string): Promise<void> {
  await resetFactor(db, (await findUserByEmail(db, email.trim()))?.id ?? 0);
}
