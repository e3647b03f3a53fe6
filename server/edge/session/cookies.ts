import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { type CallerContext, isHttps } from "@/server/edge/web/client_address.ts";

/**
 * Over HTTPS a cookie's name says that no other site, subdomain or plain connection has set it (RFC
 * 6265bis §4.1.3.2).
 */
const nameOf = (context: Context, name: string): string =>
  isHttps(context as unknown as CallerContext) ? `__Host-${name}` : name;

/**
 * `undefined` without one. Over HTTPS one that was set over a plain connection counts for nothing.
 */
export const readCookie = (context: Context, name: string): string | undefined =>
  getCookie(context, nameOf(context, name));

/** Sets a cookie that no script and no other site gets at. */
export function writeCookie(
  context: Context,
  name: string,
  value: string,
  maxAgeS: number,
  sameSite: "Strict" | "Lax" = "Strict",
): void {
  setCookie(context, nameOf(context, name), value, {
    httpOnly: true,
    sameSite,
    secure: isHttps(context as unknown as CallerContext),
    path: "/",
    maxAge: maxAgeS,
  });
}

export function removeCookie(context: Context, name: string): void {
  deleteCookie(context, nameOf(context, name), {
    path: "/",
    secure: isHttps(context as unknown as CallerContext),
  });
}

const DEVICE_COOKIE = "sulcus_device", DEVICE_S = 180 * 86_400;

/**
 * Secret that marks this browser as one that has signed in before; a new one for a new browser. It
 * grants nothing by itself.
 */
export function deviceOf(context: Context): string {
  const device = readCookie(context, DEVICE_COOKIE) ?? "";
  return /^[\w-]{43}$/.test(device) ? device : randomBytes(32).toString("base64url");
}

/** Keeps the device's secret, from this sign-in on for half a year. */
export const keepDevice = (context: Context, device: string): void =>
  writeCookie(context, DEVICE_COOKIE, device, DEVICE_S);
