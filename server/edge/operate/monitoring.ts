// Endpoints for monitoring: liveness, readiness, and metrics.
import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { latencySamples, observeAnswer } from "@/server/wire/latency.ts";
import {
  countedSamples,
  countMetric,
  LEFTOVERS_METRIC,
  metricsText,
  sample,
} from "@/server/wire/metrics.ts";
import type { SiteEnv } from "@/server/edge/web/site.ts";
import { bearerOf } from "@/server/edge/session/bearer.ts";
import { textResponse } from "@/server/edge/web/security.ts";

/** Time limit for a response of the core; short, because load balancers poll every few seconds. */
const READY_MS = 5000;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

const plain = (text: string, status: number, type = "text/plain; charset=utf-8") =>
  textResponse(text, status, [["content-type", type], ["cache-control", "no-store"]]);

/** `/health`: responds while the process runs; without a response a supervisor restarts it. */
export const health = (): Response => plain("ok\n", 200);

/** Text in brackets about background work after a start; empty without such work. */
async function besides({ core }: SiteEnv["Variables"]["site"]): Promise<string> {
  const samples = await core.metrics?.().catch(() => []) ?? [];
  const searched = samples.find(({ metric }) => metric.name === LEFTOVERS_METRIC)?.value ?? 1;
  return searched === 1 ? "" : ` (searching for leftovers: ${Math.floor(100 * searched)} %)`;
}

/** `/ready`: the site works, including its database; 503 otherwise. For load balancers. */
export async function ready(context: Context<SiteEnv>): Promise<Response> {
  const request = new Request("http://core/api/v1/status", {
    signal: AbortSignal.timeout(READY_MS),
  });
  const late = new Promise<null>((resolve) =>
    request.signal.addEventListener("abort", () => resolve(null))
  );
  const answer = await Promise.race([context.var.site.core.fetch(request).catch(() => null), late]);
  await answer?.body?.cancel();
  return answer?.ok
    ? plain(`ready${await besides(context.var.site)}\n`, 200)
    : plain("not ready\n", 503);
}

/** Whether a request comes from this machine directly, not through a local proxy. */
function isLocal(context: Context<SiteEnv>): boolean {
  const { remoteAddr } = (context.env ?? {}) as { remoteAddr?: Deno.Addr };
  const isForwarded = ["x-forwarded-for", "forwarded", "x-real-ip"].some((name) =>
    context.req.header(name)
  );
  return !isForwarded && remoteAddr !== undefined && "hostname" in remoteAddr &&
    LOOPBACK.test(remoteAddr.hostname);
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * `/metrics` for Prometheus: with the token as bearer or, if no token is set, only from this
 * machine. For all other callers the page does not exist.
 * @param sockets Number of connected pages.
 */
export const metrics =
  (token: string | null, sockets: () => number) => async (context: Context<SiteEnv>) => {
    const bearer = bearerOf(context.req.raw);
    const isAllowed = token === null
      ? isLocal(context)
      : bearer !== null && timingSafeEqual(digest(bearer), digest(token));
    if (!isAllowed) return context.notFound();
    const ofCore = await context.var.site.core.metrics?.() ?? countedSamples();
    const text = metricsText([
      ...ofCore,
      ...latencySamples(),
      sample("sulcus_sockets", sockets()),
    ]);
    return plain(text, 200, "text/plain; version=0.0.4; charset=utf-8");
  };

/** Paths that the core measures itself if it runs in this process. */
const FORWARDED = /^\S+ \/(api|vuuc)\/:path/;

/** Route pattern to which a request belongs; `null`: unknown. */
function routeOf(context: Context<SiteEnv>): string | null {
  // Hono serves HEAD requests by the GET route
  const method = context.req.method === "HEAD" ? "GET" : context.req.method;
  const route = matchedRoutes(context).findLast((each) => each.method === method);
  return route === undefined ? null : `${method} ${route.path}`;
}

/** Counts every response of the edge. */
export const countAnswers: MiddlewareHandler<SiteEnv> = async (context, next) => {
  const started = performance.now();
  await next();
  const labels = { status: String(context.res.status) },
    seconds = (performance.now() - started) / 1000;
  countMetric("sulcus_http_requests_total", labels);
  countMetric("sulcus_http_seconds_total", labels, seconds);
  const route = routeOf(context), isCoreHere = context.var.site.core.metrics !== undefined;
  if (route === null || !FORWARDED.test(route) || !isCoreHere) observeAnswer(route, seconds);
};
