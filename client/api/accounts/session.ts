import { type Api, call } from "@/client/api/http.ts";

/** Asks whether somebody is signed in, and not who. @throws {AppError} `token.*` when nobody is. */
export async function checkSession(api: Api): Promise<void> {
  await call(api, "/api/v1/user");
}
