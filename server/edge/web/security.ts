import type { Context, MiddlewareHandler } from "hono";
import { SECURITY_HEADERS } from "@/fresh.config.ts";
import { AppError } from "@/model/errors.ts";
import { isHttps } from "@/server/edge/web/client_address.ts";
import type { SiteEnv } from "@/server/edge/web/site.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Host requested by the browser; a reverse proxy must forward the Host header. */
export const hostOf = (request: Request): string =>
  request.headers.get("host") ?? new URL(request.url).host;

/**
 * Whether a page of this site made the request: same host, and HTTPS if the site is requested over
 * HTTPS. Without Origin and Sec-Fetch-Site the request counts as foreign.
 * @param isSecure Whether the browser uses HTTPS. A proxy missing from the settings may use HTTPS:
 * then a page of the same host over HTTPS is accepted too.
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
 * Whether a request comes from a browser, with tokens stored at the edge.
 * Programs send their own token.
 */
export const isFromBrowser = (request: Request): boolean =>
  request.headers.has("origin") || request.headers.has("sec-fetch-site");

/**
 * Refuses cross-site requests (CSRF): every unsafe method from a browser, or with a cookie, must
 * come from the site's own origin. Programs with a bearer token are allowed.
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
 * A response with a text body. Headers are set one by one: passing headers to the constructor makes
 * Deno encode the body immediately, slowly for non-Latin text, and again after each header.
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

/** Refuses a request with an invalid Host header, before a handler parses its address. */
export const checkAddress: MiddlewareHandler<SiteEnv> = async (context, next) => {
  if (!URL.canParse(context.req.url)) {
    throw new AppError("input.invalid", "Cannot read the request: its host is none");
  }
  await next();
};

/** Security headers of every response. */
export const securityHeaders: MiddlewareHandler<SiteEnv> = async (context, next) => {
  await next();
  // copied, because headers of a response from the core, or of an upgrade, are immutable
  if (context.res.status === 101) return;
  const headers = context.res.headers;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value);
  headers.set("x-request-id", context.var.requestId);
  if (isHttps(context)) headers.set("strict-transport-security", "max-age=31536000");
};

/** Problem details (RFC 9457) for an error of the edge itself. */
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
