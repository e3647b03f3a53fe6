import { type User, user } from "@/model/schema/accounts/user.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/** Requests the data of the signed-in user. */
export const getUser = (api: Api, signal?: AbortSignal): Promise<User> =>
  callJson(api, user, "/api/v1/user", { signal });
