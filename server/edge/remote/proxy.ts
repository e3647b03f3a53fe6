import type { Handler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError } from "@/model/errors.ts";
import { DEVICE_HEADER } from "@/model/schema/accounts/auth.ts";
import { LAUNCHED_FROM_HEADER } from "@/model/schema/studies/launch.ts";
import { fetchCore, readResponse } from "@/server/edge/remote/core_link.ts";
import { sendInSession, setCallerHeaders } from "@/server/edge/remote/session_call.ts";
import { isHttps, isOfTrustedProxy } from "@/server/edge/web/client_address.ts";
import {
  CLIENT_CERT,
  clientCertificate,
  ESCAPED_CERT,
} from "@/server/edge/web/client_certificate.ts";
import { deviceOf, keepDevice } from "@/server/edge/session/cookies.ts";
import { loginTokens } from "@/server/edge/session/core_tokens.ts";
import { isFromBrowser, isSameOrigin, textResponse } from "@/server/edge/web/security.ts";
import type { SiteEnv } from "@/server/edge/web/site.ts";

/** Hop-by-hop headers (RFC 9110 §7.6.1), and headers that are only for browser and edge. */
const NOT_FORWARDED = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
const NOT_SENT_TO_CORE = [
  ...NOT_FORWARDED,
  "cookie",
  "host",
  "origin",
  "expect",
  "x-request-id",
  "x-forwarded-for",
  CLIENT_CERT,
  ESCAPED_CERT,
];
const NOT_SENT_TO_BROWSER = [...NOT_FORWARDED, "set-cookie"];

const LOGIN = "/api/v1/auth/login", LOGOUT = "/api/v1/auth/logout";
/** Paths that the edge handles for browsers, because tokens never leave the edge. */
const EDGE_ONLY = [
  "/api/v1/auth/refresh",
  "/vuuc/api/auth/token",
  "/api/v1/auth/oidc",
  "/api/v1/auth/oidc/completion",
];

/** Copies headers except the given headers and those listed in `Connection`. */
export function withoutHeaders(source: Headers, names: readonly string[]): Headers {
  const dropped = new Set(names);
  for (const name of source.get("connection")?.split(",") ?? []) {
    dropped.add(name.trim().toLowerCase());
  }
  // makes one new object: each removal from Headers would scan all headers
  return new Headers([...source].filter(([name]) => !dropped.has(name)));
}

/**
 * The only path from browsers and programs to the API:
 * adds the session's bearer token, strips hop-by-hop headers, and streams both bodies.
 * Sign-in and sign-out of browsers also open and close the session.
 */
export const proxy: Handler<SiteEnv> = async (context) => {
  const { core, sessions, sockets, userService } = context.var.site;
  const incoming = context.req.raw;
  const { pathname, search } = new URL(incoming.url);
  const fromBrowser = isFromBrowser(incoming);
  const ownBearer = incoming.headers.has("authorization");
  if (EDGE_ONLY.includes(pathname) && fromBrowser) {
    throw new AppError("entity.not_found", "Cannot give a token to a browser: the edge keeps it");
  }
  if (pathname === LOGOUT && fromBrowser && !isSameOrigin(incoming, isHttps(context))) {
    throw new AppError(
      "access.forbidden",
      "Cannot sign out: the request comes from another origin",
    );
  }

  const headers = withoutHeaders(incoming.headers, NOT_SENT_TO_CORE);
  // kept only from an edge in front of this core, like the client's address
  if (fromBrowser || !isOfTrustedProxy(context)) headers.delete(LAUNCHED_FROM_HEADER);
  setCallerHeaders(context, headers);
  const certificate = clientCertificate(context);
  if (certificate !== null) headers.set(CLIENT_CERT, certificate);
  // the device header is set by the edge, never by a browser
  const device = deviceOf(context);
  if (fromBrowser) headers.delete(DEVICE_HEADER);
  if (fromBrowser && pathname === LOGIN) headers.set(DEVICE_HEADER, device);
  const hasBody = incoming.body !== null && incoming.method !== "GET" && incoming.method !== "HEAD";
  const isElsewhere = userService !== null && pathname.startsWith("/vuuc/");
  const send = (token: string | null) => {
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    return fetchCore(
      isElsewhere ? { fetch } : core,
      new Request(`${isElsewhere ? userService : "http://core"}${pathname}${search}`, {
        method: incoming.method,
        headers,
        body: hasBody ? incoming.body : null,
        signal: incoming.signal,
        redirect: "manual",
      }),
    );
  };
  const needsSession = !ownBearer && pathname !== LOGIN, ofSession = needsSession && !isElsewhere;
  const canRepeat = ofSession && !hasBody && pathname !== LOGOUT;
  let answer = needsSession ? await sendInSession(context, send, canRepeat ? send : null) : null;
  if (answer === null) {
    // a repeated sign-out is not an error
    if (needsSession && pathname === LOGOUT) return new Response(null, { status: 204 });
    if (needsSession && certificate === null && pathname !== "/api/v1/status") {
      throw new AppError("token.missing", "Cannot forward a request: nobody is signed in");
    }
    answer = await send(null);
  }

  if (pathname === LOGIN && fromBrowser && answer.ok) {
    sessions.open(context, await readResponse(answer, loginTokens));
    keepDevice(context, device);
    return context.body(null, 204, { "cache-control": "no-store" });
  }
  if (!ownBearer && pathname === LOGOUT) sessions.close(context);
  // the core has ended this session: another sign-in, a suspension, or a changed password
  if (ofSession && answer.status === 401) sessions.end(context);
  // signs out the other tabs of the session too
  if (pathname === LOGOUT) void sockets.closeEnded();
  const sent = withoutHeaders(
    answer.headers,
    // fetch has already decompressed the body
    isElsewhere
      ? [...NOT_SENT_TO_BROWSER, "content-encoding", "content-length"]
      : NOT_SENT_TO_BROWSER,
  );
  if (!sent.has("cache-control")) sent.set("cache-control", "no-store");
  if (pathname !== LOGOUT) return textResponse(answer.body, answer.status, sent);
  // uses the context, which also sets the cookie of the closed session
  return context.newResponse(
    answer.body,
    answer.status as ContentfulStatusCode,
    Object.fromEntries(sent),
  );
};
