import { type SignInDelays, signInDelays } from "@/model/schema/accounts/sign_ins.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** Current sign-in lockouts; for maintenance users only. @throws {AppError} `access.forbidden`. */
export const getSignInDelays = (api: Api, signal?: AbortSignal): Promise<SignInDelays> =>
  callJson(api, signInDelays, "/api/v1/sign-ins/delays", { signal });

/**
 * Lifts a sign-in lockout before it ends.
 * @throws {AppError} `access.forbidden`, `entity.not_found`.
 */
export async function liftSignInDelay(api: Api, id: string): Promise<void> {
  await call(api, `/api/v1/sign-ins/delays/${id}`, { method: "DELETE" });
}
