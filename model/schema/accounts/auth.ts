import * as z from "zod/mini";

export const loginRequest = z.object({
  email: z.string(),
  password: z.string(),
  /** of an authenticator, or one issued for a user without it; requested by `auth.code_needed` */
  code: z.optional(z.string().check(z.maxLength(40))),
});
export type LoginRequest = z.infer<typeof loginRequest>;

/** Access token 15 min, refresh token 12 h, idle 30 min. */
export const loginResponse = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  token_type: z.literal("bearer"),
  /** seconds the access token is valid */
  expires_in: z.number(),
});
export type LoginResponse = z.infer<typeof loginResponse>;

/** Answer of `GET /api/v1/auth/methods`: how people sign in beside the site's own accounts. */
export const signInMethods = z.object({
  /** name of the hospital's OpenID provider; `null`: there is none */
  provider: z.nullable(z.string()),
  /** passwords are also those of the hospital's directory */
  directory: z.boolean(),
});
export type SignInMethods = z.infer<typeof signInMethods>;

/** Body of `POST /api/v1/auth/oidc`: where to go on afterwards. */
export const oidcStart = z.object({ next: z.string().check(z.maxLength(2000)) });
/**
 * Its answer: the provider's page, and the sealed sign-in for a cookie of the browser that is sent
 * there.
 */
export const oidcStarted = z.object({ url: z.string(), flow: z.string() });
/**
 * Body of `POST /api/v1/auth/oidc/completion`: that cookie, and the query that the provider has
 * sent.
 */
export const oidcCompletion = z.object({
  flow: z.string().check(z.maxLength(4096)),
  query: z.string().check(z.maxLength(8000)),
});
export const oidcCompleted = z.extend(loginResponse, { next: z.string() });
/**
 * Answer of `GET /api/v1/auth/sign-out`: where the provider ends its own session; `null`: there is
 * none.
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
 * Header in which an edge sends the secret of a browser's cookie that marks a device which has
 * signed in before.
 */
export const DEVICE_HEADER = "x-sulcus-device";

/** Prefix of a socket's single-use ticket: a lasting token may not be part of an address. */
export const TICKET_PREFIX = "ticket.";
