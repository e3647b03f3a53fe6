import {
  type AccountChange,
  type AccountList,
  accountList,
  type FirstPassword,
  firstPassword,
  type NewAccount,
} from "@/model/schema/accounts/users.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** All accounts of the site. All calls of this file are for administrators only. */
export const listAccounts = (api: Api, signal?: AbortSignal): Promise<AccountList> =>
  callJson(api, accountList, "/api/v1/users", { signal });

/** @throws {AppError} `input.invalid` for an email address that is malformed or already in use. */
export const addAccount = (api: Api, account: NewAccount): Promise<FirstPassword> =>
  callJson(api, firstPassword, "/api/v1/users", { method: "POST", json: account });

/** @throws {AppError} `user.last_administrator`, `entity.not_found`. */
export async function changeAccount(api: Api, id: number, change: AccountChange): Promise<void> {
  await call(api, `/api/v1/users/${id}`, { method: "PUT", json: change });
}

/** Sets a new password for an account and ends the sessions of that account. */
export const resetAccountPassword = (api: Api, id: number): Promise<FirstPassword> =>
  callJson(api, firstPassword, `/api/v1/users/${id}/password`, { method: "POST" });

/** Removes the one-time codes of an account, for a user who has lost the authenticator. */
export async function resetAccountFactor(api: Api, id: number): Promise<void> {
  await call(api, `/api/v1/users/${id}/second-factor`, { method: "DELETE" });
}
