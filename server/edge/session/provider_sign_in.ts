// Sign-in at the hospital's OpenID provider.
// Redirects the browser to the provider, and handles the browser's return with a code.
import type { Handler } from "hono";
import { DEVICE_HEADER, oidcCompleted, oidcStarted } from "@/model/schema/accounts/auth.ts";
import { fetchCore, readResponse } from "@/server/edge/remote/core_link.ts";
import { setCallerHeaders } from "@/server/edge/remote/session_call.ts";
import {
  deviceOf,
  keepDevice,
  readCookie,
  removeCookie,
  writeCookie,
} from "@/server/edge/session/cookies.ts";
import { goOnFromHere, safeNextPath } from "@/server/edge/session/same_site.ts";
import type { SiteContext, SiteEnv } from "@/server/edge/web/site.ts";

const FLOW_COOKIE = "sulcus_flow", FLOW_S = 600;

/** Calls the core without a session. @throws {AppError} the core's error. */
async function ask(context: SiteContext, path: string, body: unknown): Promise<Response> {
  const headers = new Headers({
    "content-type": "application/json",
    [DEVICE_HEADER]: deviceOf(context),
  });
  setCallerHeaders(context, headers);
  const request = new Request(`http://core${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return await fetchCore(context.var.site.core, request);
}

/** Redirects the browser to the sign-in page, which shows an error. */
async function refusedBy(context: SiteContext, answer: Response): Promise<Response> {
  const { code = "internal" } = await answer.json().catch(() => ({})) as { code?: string };
  return context.redirect(`/login?problem=${encodeURIComponent(code)}`);
}

/** Redirects the browser to the provider's sign-in page. */
export const beginProviderSignIn: Handler<SiteEnv> = async (context) => {
  const nextPath = safeNextPath(context.req.query("next"));
  const answer = await ask(context, "/api/v1/auth/oidc", { next: nextPath });
  if (!answer.ok) return await refusedBy(context, answer);
  const { url, flow } = await readResponse(answer, oidcStarted);
  // SameSite=Lax, because a strict cookie is not sent after the provider's redirect
  writeCookie(context, FLOW_COOKIE, flow, FLOW_S, "Lax");
  return context.redirect(url);
};

/** Handles the return of the browser from the provider, and opens the user's session. */
export const completeProviderSignIn: Handler<SiteEnv> = async (context) => {
  const flow = readCookie(context, FLOW_COOKIE) ?? "", { search } = new URL(context.req.url);
  removeCookie(context, FLOW_COOKIE);
  const device = deviceOf(context);
  const answer = await ask(context, "/api/v1/auth/oidc/completion", {
    flow,
    query: search.slice(0, 8000),
  });
  if (!answer.ok) return await refusedBy(context, answer);
  const { next, ...tokens } = await readResponse(answer, oidcCompleted);
  context.var.site.sessions.open(context, tokens);
  keepDevice(context, device);
  return goOnFromHere(context, next);
};
