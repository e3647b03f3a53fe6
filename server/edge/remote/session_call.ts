import { AppError } from "@/model/errors.ts";
import { clientAddress, isHttps, toldHost } from "@/server/edge/web/client_address.ts";
import { hostOf } from "@/server/edge/web/security.ts";
import { fetchCore } from "@/server/edge/remote/core_link.ts";
import type { SiteContext } from "@/server/edge/web/site.ts";

/** Adds the request's id, client address and page for the core. */
export function setCallerHeaders(context: SiteContext, headers: Headers): void {
  headers.set("x-request-id", context.var.requestId);
  const address = clientAddress(context);
  if (address) headers.set("x-forwarded-for", address);
  headers.set("x-forwarded-proto", isHttps(context) ? "https" : "http");
  headers.set("x-forwarded-host", toldHost(context) ?? hostOf(context.req.raw));
}

/**
 * Sends a call with the token of a request's session: the only place where the edge authenticates
 * users to the core. If the core has ended the token early, it is renewed and the call repeated
 * once, if `repeat` allows it.
 *
 * @param send   Sends the call with a token.
 * @param repeat Repeats the call; `null` when its body cannot be sent twice.
 * @returns the core's response, a 401 when the session has ended; `null` without a session.
 */
export async function sendInSession(
  context: SiteContext,
  send: (token: string) => Promise<Response>,
  repeat: ((token: string) => Promise<Response>) | null = send,
): Promise<Response | null> {
  const { sessions } = context.var.site, token = await sessions.accessToken(context);
  if (token === null) return null;
  const answer = await send(token);
  if (answer.status !== 401 || repeat === null) return answer;
  const renewed = await sessions.renew(context);
  if (renewed === null) return answer;
  await answer.body?.cancel();
  return await repeat(renewed);
}

/** API calls that pages make even without a session. */
const PUBLIC = ["/api/v1/status", "/api/v1/auth/methods"];

/**
 * API calls for a page that is being rendered, with its user's session. Requests get the user's
 * headers, so they must be new objects.
 *
 * @returns a function that throws AppError `token.missing` without a session, `token.expired` when
 *   the session has ended, `core.unreachable` when the core does not answer.
 */
export function sessionSender(context: SiteContext): (request: Request) => Promise<Response> {
  const { core } = context.var.site;
  return async (request) => {
    setCallerHeaders(context, request.headers);
    // a body can be sent only once: each attempt gets a copy. A clone of the request would share a
    // stream with the first attempt, and would wait forever if the core refuses without reading.
    const body = request.body === null ? null : await request.arrayBuffer();
    const copy = () => new Request(request, body === null ? {} : { body });
    const answer = await sendInSession(context, (token) => {
      const one = copy();
      one.headers.set("authorization", `Bearer ${token}`);
      return fetchCore(core, one);
    });
    if (answer === null && PUBLIC.includes(new URL(request.url).pathname)) {
      return await fetchCore(core, copy());
    }
    if (answer === null) {
      throw new AppError("token.missing", "Cannot call the core: nobody is signed in");
    }
    if (answer.status === 401) {
      await answer.body?.cancel();
      throw new AppError("token.expired", "Cannot call the core: the session has ended");
    }
    return answer;
  };
}
