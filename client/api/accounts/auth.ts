import {
  type LoginRequest,
  type LoginResponse,
  loginResponse,
  type RefreshResponse,
  refreshResponse,
  type SignInMethods,
  signInMethods,
  signOutAddress,
  type WsTicket,
  wsTicket,
} from "@/model/schema/accounts/auth.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** Signs a user in. @throws {AppError} `auth.*`; see model/errors.ts. */
export const login = (api: Api, request: LoginRequest): Promise<LoginResponse> =>
  callJson(api, loginResponse, "/api/v1/auth/login", { method: "POST", json: request });

/** Exchanges a refresh token, which is then used up, for a new pair of tokens. */
export const refresh = (api: Api, refreshToken: string): Promise<RefreshResponse> =>
  callJson({ ...api, token: refreshToken }, refreshResponse, "/api/v1/auth/refresh", {
    method: "POST",
  });

/** Ends the user's session; also succeeds if the session has ended. */
export async function logout(api: Api): Promise<void> {
  await call(api, "/api/v1/auth/logout", { method: "HEAD" });
}

/** Single-use ticket for the socket, valid for a minute. */
export const issueTicket = (api: Api): Promise<WsTicket> =>
  callJson(api, wsTicket, "/api/v1/auth/ws-ticket", { method: "POST" });

/** Ways to sign in at the site with an account of the hospital (OpenID provider, LDAP). */
export const getSignInMethods = (api: Api): Promise<SignInMethods> =>
  callJson(api, signInMethods, "/api/v1/auth/methods");

/**
 * URL at which the hospital's identity provider ends its session; request it before {@link logout}
 */
export const getSignOutAddress = async (api: Api): Promise<string | null> =>
  (await callJson(api, signOutAddress, "/api/v1/auth/sign-out")).url;
