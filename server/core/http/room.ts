import type { MiddlewareHandler } from "hono";
import type { DiskReserve } from "@/server/core/site/service/disk_reserve.ts";
import type { ApiEnv } from "@/server/core/http/app.ts";

/** Calls that must work on a full disk, so that users can sign in and delete studies. */
const isNeeded = (method: string, path: string): boolean =>
  method === "DELETE" || path.startsWith("/api/v1/auth/") ||
  (method === "PUT" && path === "/vuuc/api/user");

/** Releases reserved disk space before a call that must work on a full disk. */
export const roomFor =
  (reserve: DiskReserve): MiddlewareHandler<ApiEnv> => async ({ req }, next) => {
    if (isNeeded(req.method, req.path)) reserve.makeRoom();
    await next();
  };
