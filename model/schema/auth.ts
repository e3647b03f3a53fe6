import * as z from "zod/mini";

export const loginRequest = z.object({ email: z.string(), password: z.string() });
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

export const refreshResponse = z.object({
  access_token: z.string(),
  expires_in: z.optional(z.number()),
  refresh_token: z.optional(z.string()),
});
export type RefreshResponse = z.infer<typeof refreshResponse>;

export const wsTicket = z.object({ ticket: z.string(), expires_in: z.number() });
export type WsTicket = z.infer<typeof wsTicket>;

/** Header in which an edge tells the secret of a browser's cookie, by which a device is known that signed in before. */
export const DEVICE_HEADER = "x-sulcus-device";

/** What a socket's single-use ticket begins with: no lasting token may stand in an address. */
export const TICKET_PREFIX = "ticket.";
