import { AppError } from "@/model/errors.ts";
import type { Database } from "@/server/core/database/database.ts";
import { mayDo } from "@/model/accounts/roles.ts";
import { findUser } from "@/server/core/accounts/storage/users.ts";
import type { Caller } from "@/server/core/site/service/context.ts";

/** Checks that the caller is an administrator. @throws {AppError} `access.forbidden`. */
export async function checkMaintenance(db: Database, caller: Caller): Promise<void> {
  const user = await findUser(db, caller.uid);
  if (mayDo(user?.role, "administer")) return;
  throw new AppError("access.forbidden", "Cannot answer: the caller has no maintenance permission");
}
