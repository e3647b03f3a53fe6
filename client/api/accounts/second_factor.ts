import {
  type FactorState,
  factorState,
  type NewFactor,
  newFactor,
  type RecoveryCodes,
  recoveryCodes,
} from "@/model/schema/accounts/second_factor.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

const PATH = "/api/v1/second-factor";

export const getFactor = (api: Api, signal?: AbortSignal): Promise<FactorState> =>
  callJson(api, factorState, PATH, { signal });

/**
 * Makes a new secret for an authenticator app.
 * @throws {AppError} `password.incorrect`, `auth.too_many_attempts`.
 */
export const beginFactor = (api: Api, password: string): Promise<NewFactor> =>
  callJson(api, newFactor, PATH, { method: "POST", json: { password } });

/**
 * Confirms the set-up with a first code of the authenticator app.
 * @throws {AppError} `auth.code_wrong`, `auth.too_many_attempts`.
 */
export const confirmFactor = (api: Api, code: string): Promise<RecoveryCodes> =>
  callJson(api, recoveryCodes, `${PATH}/confirmation`, { method: "POST", json: { code } });

/**
 * Removes the second factor.
 * @throws {AppError} `auth.code_wrong`, `auth.must_enrol`, `auth.too_many_attempts`.
 */
export async function endFactor(api: Api, code: string): Promise<void> {
  await call(api, PATH, { method: "DELETE", json: { code } });
}
