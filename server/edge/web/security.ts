import type { Context, MiddlewareHandler } from "hono";
import { SECURITY_HEADERS } from "@/fresh.config.ts";
import { AppError } from "@/model/errors.ts";
import { isHttps } from "@/server/edge/web/client_address.ts";
import type { SiteEnv } from "@/server/edge/web/site.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Host that the browser asked for; a reverse proxy in front must keep the Host header. */
export const hostOf = (request: Request): string =>
  request.headers.get("host") ?? new URL(request.url).host;

/**
 * The request was made by a page of this very site: of its host, and over HTTPS when the site is
 * asked over it. Without Origin and Sec-Fetch-Site it was not.
 * @param isSecure The browser speaks HTTPS to us. A proxy that the settings do not name may do so
 *   unknown to us: a page of our host over HTTPS is ours then too.
 */
export function isSameOrigin(request: Request, isSecure: boolean): boolean {
  const origin = request.headers.get("origin");
  if (origin !== null) {
    const { host, protocol } = URL.parse(origin) ?? { host: null, protocol: "" };
    return host === hostOf(request) &&
      (protocol === "https:" || (protocol === "http:" && !isSecure));
  }
  return request.headers.get("sec-fetch-site") === "same-origin";
}

/**
 * The request comes from a browser, which keeps its tokens here, and not from a program with its
 * own.
 */
export const isFromBrowser = (request: Request): boolean =>
  request.headers.has("origin") || request.headers.has("sec-fetch-site");

/**
 * Refuses cross-site requests in a signed-in user's name: every unsafe method from a browser or
 * with a cookie must come from our own origin. Programs that send a bearer of their own are let
 * through.
 */
export const checkOrigin: MiddlewareHandler<SiteEnv> = async (context, next) => {
  const request = context.req.raw;
  const isUnsafe = !SAFE_METHODS.has(request.method);
  const mustBeOurs = isFromBrowser(request) || request.headers.has("cookie");
  if (isUnsafe && mustBeOurs && !isSameOrigin(request, isHttps(context))) {
    throw new AppError(
      "access.forbidden",
      "Cannot accept the request: it comes from another origin",
    );
  }
  await next();
};

/**
 * An answer with a text as its body. Its headers are set one by one: given at once they would make
 * Deno pack the body at once, slowly where it is not Latin alone, and again after the next header.
 */
export function textResponse(
  body: BodyInit | null,
  status: number,
  headers: Iterable<[string, string]>,
): Response {
  const response = status === 200 ? new Response(body) : new Response(body, { status });
  for (const [name, value] of headers) response.headers.set(name, value);
  return response;
}

/** Refuses a request with an invalid Host header: no handler could read its address. */
export const checkAddress: MiddlewareHandler<SiteEnv> = async (context, next) => {
  if (!URL.canParse(context.req.url)) {
    throw new AppError("input.invalid", "Cannot read the request: its host is none");
  }
  await next();
};

/** Headers of every answer. */
export const securityHeaders: MiddlewareHandler<SiteEnv> = async (context, next) => {
  await next();
  // an answer of the core or an upgrade has immutable headers
  if (context.res.status === 101) return;
  const headers = context.res.headers;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value);
  headers.set("x-request-id", context.var.requestId);
  if (isHttps(context)) headers.set("strict-transport-security", "max-age=31536000");
};

/** Problem details (RFC 9457) of an error that the edge itself reports. */
export function problemResponse(context: Context<SiteEnv>, error: AppError): Response {
  const body = {
    type: "about:blank",
    status: error.status,
    title: error.code,
    code: error.code,
    details: error.details,
    request_id: context.var.requestId,
  };
  return new Response(JSON.stringify(body), {
    status: error.status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store" },
  });
}
