import { AppError } from "@/model/errors.ts";
import { normalForm } from "@/model/normal_form.ts";
import type { PasswordPut } from "@/model/schema/site/license.ts";
import { deleteOtherTokens, revokeSessionsOf } from "@/server/core/accounts/storage/sessions.ts";
import { deleteKnownPlaces } from "@/server/core/accounts/storage/sign_in_failures.ts";
import { findUser, updateUser } from "@/server/core/accounts/storage/users.ts";
import { discardFirstPassword } from "@/server/core/accounts/service/first_password.ts";
import { countConfirmation, forgive } from "@/server/core/accounts/service/sign_in_delay.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import {
  checkNewPassword,
  hashPassword,
  isPassword,
} from "@/server/core/accounts/service/password.ts";

/**
 * Changes the caller's password. Ends the user's other sessions, and other tokens of this session.
 *
 * @throws {AppError} `password.incorrect`, `password.unchanged`, `password.policy`,
 * `password.common`, `auth.not_found`; `auth.too_many_attempts` after as many wrong passwords as at
 * sign-in, so that an open session cannot be used to guess the password.
 */
export async function changePassword(
  { db, dataDir, log, publish }: ServiceContext,
  caller: Caller,
  { current_password, new_password }: PasswordPut,
  nowMs = Date.now(),
): Promise<void> {
  const user = await findUser(db, caller.uid);
  if (!user) {
    throw new AppError("auth.not_found", "Cannot change the password: the user is deleted");
  }
  const attempt = await countConfirmation(db, user.id, nowMs);
  if (!await isPassword(current_password, user.passwordHash)) {
    throw new AppError(
      "password.incorrect",
      "Cannot change the password: the current one is wrong",
    );
  }
  await forgive(db, attempt, null);
  checkNewPassword(new_password);
  if (normalForm(new_password, "NFKC") === normalForm(current_password, "NFKC")) {
    throw new AppError("password.unchanged", "Cannot change the password: it is the current one");
  }
  const passwordHash = await hashPassword(new_password);
  const ended = await db.transaction().execute(async (tx) => {
    await updateUser(tx, user.id, { passwordHash, mustChangePassword: false });
    await deleteKnownPlaces(tx, user.id);
    // older tokens of this session are deleted too, because a thief may have copied them
    await deleteOtherTokens(tx, caller.sid, caller.tokenHash ?? "");
    return await revokeSessionsOf(tx, user.id, nowMs, caller.sid);
  });
  for (const sid of ended) {
    publish({ event: "auth_multi_login", uid: user.id, sid }, { uid: user.id });
  }
  log("info", "Changed password", { uid: user.id });
  await discardFirstPassword(dataDir, current_password)
    .catch((error: unknown) =>
      log("warn", "Could not remove the file of the first password", { error: String(error) })
    );
}
