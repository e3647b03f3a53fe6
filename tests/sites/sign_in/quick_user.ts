import { pbkdf2Sync } from "node:crypto";
import type { Role } from "@/model/accounts/roles.ts";
import { openSite } from "@/server/core/mod.ts";
import { nowIso } from "@/server/core/site/service/context.ts";
import type { Database } from "@/server/core/database/database.ts";
import { insertUser } from "@/server/core/accounts/storage/users.ts";

/** Hashes a password with a single iteration, so that signing in is fast. */
function quickHash(password: string): string {
  const salt = Buffer.alloc(16, 7);
  const text = (bytes: Buffer) => bytes.toString("base64url");
  return `pbkdf2-sha256$1$${text(salt)}$${text(pbkdf2Sync(password, salt, 1, 32, "sha256"))}`;
}

/** Adds an active user like `addUser` or the first start, without the slow password hash. */
export async function addQuickUser(
  db: Database,
  { email, password, name, isMaintenance = false, role }: {
    email: string;
    password: string;
    name: string | null;
    isMaintenance?: boolean;
    role?: Role;
  },
): Promise<void> {
  await insertUser(db, {
    email,
    name,
    passwordHash: quickHash(password),
    state: "active",
    role: role ?? (isMaintenance ? "administrator" : "physician"),
    createdAt: nowIso(),
  });
}

/** Adds the administrator before a site's first start, which then creates none. */
export async function addAdministratorBefore(
  site: { dataDir: string; databaseUrl?: string | null },
  credentials: { email: string; password: string },
): Promise<void> {
  const db = await openSite(site);
  try {
    await addQuickUser(db, { ...credentials, name: "Administrator", role: "administrator" });
  } finally {
    await db.destroy();
  }
}
