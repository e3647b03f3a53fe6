import type { Context, Next } from "hono";
import { type ApiEnv, routeOf } from "@/core/api/app.ts";
import { withSpan } from "@/core/storage/trace.ts";

/** A call as a span: its route, not its address, which may name a patient. */
export function withRequestSpan(context: Context<ApiEnv>, next: Next): Promise<void> {
  const attributes: Record<string, string | number> = { "http.request.method": context.req.method };
  const known = { name: routeOf(context) ?? "call", attributes };
  return withSpan(known, async () => {
    await next();
    attributes["http.response.status_code"] = context.res.status;
  }, true);
}
