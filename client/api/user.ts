import { type User, user } from "@/model/schema/user.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** The signed-in user. */
export const getUser = (api: Api, signal?: AbortSignal): Promise<User> =>
  callJson(api, user, "/api/v1/user", { signal });

/** Asks whether somebody is signed in, and not who. @throws {AppError} `token.*` when nobody is. */
export async function checkUser(api: Api): Promise<void> {
  await call(api, "/api/v1/user");
}
