import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { type CallerContext, isHttps } from "@/server/edge/web/client_address.ts";

/**
 * Cookie name prefix over HTTPS, which proves that no other site, subdomain or plain connection has
 * set the cookie (RFC 6265bis §4.1.3.2).
 */
const nameOf = (context: Context, name: string): string =>
  isHttps(context as unknown as CallerContext) ? `__Host-${name}` : name;

/**
 * Reads a cookie; `undefined` without one. Over HTTPS, ignores cookies set over a plain connection.
 */
export const readCookie = (context: Context, name: string): string | undefined =>
  getCookie(context, nameOf(context, name));

/** Sets a cookie that is inaccessible to scripts and other sites. */
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
 * Secret of a device that has signed in before;
 * generated for a new browser. It grants no access by itself.
 */
export function deviceOf(context: Context): string {
  const device = readCookie(context, DEVICE_COOKIE) ?? "";
  return /^[\w-]{43}$/.test(device) ? device : randomBytes(32).toString("base64url");
}

/** Stores the device's secret for half a year from this sign-in. */
export const keepDevice = (context: Context, device: string): void =>
  writeCookie(context, DEVICE_COOKIE, device, DEVICE_S);
