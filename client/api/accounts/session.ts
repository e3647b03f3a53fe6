import { type Api, call } from "@/client/api/http.ts";

/**
 * Checks that the session is open, without reading the session's user.
 * @throws {AppError} `token.*` for an ended session.
 */
export async function checkSession(api: Api): Promise<void> {
  await call(api, "/api/v1/user");
}
