import * as z from "zod/mini";

export const loginRequest = z.object({
  email: z.string(),
  password: z.string(),
  /** one-time code from an authenticator or an administrator; sent after `auth.code_needed` */
  code: z.optional(z.string().check(z.maxLength(40))),
});
export type LoginRequest = z.infer<typeof loginRequest>;

/** Lifetimes in seconds: access token 15 min, refresh token 12 h, idle session 30 min. */
export const loginResponse = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  token_type: z.literal("bearer"),
  /** lifetime of the access token, seconds */
  expires_in: z.number(),
});
export type LoginResponse = z.infer<typeof loginResponse>;

/** Response of `GET /api/v1/auth/methods`: ways to sign in with an account of the hospital. */
export const signInMethods = z.object({
  /** name of the hospital's OpenID provider; `null` without one */
  provider: z.nullable(z.string()),
  /** whether passwords of the hospital's directory (LDAP) are accepted */
  directory: z.boolean(),
});
export type SignInMethods = z.infer<typeof signInMethods>;

/** Body of `POST /api/v1/auth/oidc`; `next`: address to open after sign-in. */
export const oidcStart = z.object({ next: z.string().check(z.maxLength(2000)) });
/**
 * Answer of `POST /api/v1/auth/oidc`: `url` of the provider's page, and the sealed state `flow`.
 * The browser keeps the state in a cookie.
 */
export const oidcStarted = z.object({ url: z.string(), flow: z.string() });
/**
 * Body of `POST /api/v1/auth/oidc/completion`: the sealed `flow` from the cookie,
 * and the query that the provider sent.
 */
export const oidcCompletion = z.object({
  flow: z.string().check(z.maxLength(4096)),
  query: z.string().check(z.maxLength(8000)),
});
export const oidcCompleted = z.extend(loginResponse, { next: z.string() });
/**
 * Answer of `GET /api/v1/auth/sign-out`: the provider's sign-out address; `null` if none.
 */
export const signOutAddress = z.object({ url: z.nullable(z.string()) });

export const refreshResponse = z.object({
  access_token: z.string(),
  expires_in: z.optional(z.number()),
  refresh_token: z.optional(z.string()),
});
export type RefreshResponse = z.infer<typeof refreshResponse>;

export const wsTicket = z.object({ ticket: z.string(), expires_in: z.number() });
export type WsTicket = z.infer<typeof wsTicket>;

/**
 * Header by which an edge sends the secret in a browser's cookie.
 * The secret marks a device that has signed in before.
 */
export const DEVICE_HEADER = "x-sulcus-device";

/** Prefix of a single-use ticket, sent in the URL of a WebSocket in place of the access token. */
export const TICKET_PREFIX = "ticket.";
