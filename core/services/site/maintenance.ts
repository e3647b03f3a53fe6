import { AppError } from "@/model/errors.ts";
import { MAINTENANCE } from "@/model/schema/user.ts";
import type { Database } from "@/core/storage/database/database.ts";
import { findUser } from "@/core/storage/users.ts";
import type { Caller } from "@/core/services/context.ts";

/** Lets maintenance users through. @throws {AppError} `access.forbidden`. */
export async function checkMaintenance(db: Database, caller: Caller): Promise<void> {
  const user = await findUser(db, caller.uid);
  if (user?.permissions.includes(MAINTENANCE)) return;
  throw new AppError("access.forbidden", "Cannot answer: the caller has no maintenance permission");
}
