import type { Context, Next } from "hono";
import { type ApiEnv, routeOf } from "@/server/core/http/app.ts";

type WithSpan = (
  known: { name: string; attributes: Record<string, string | number> },
  run: () => Promise<void>,
  isRequest: boolean,
) => Promise<void>;

/**
 * A request as an operation (span) of a trace, named by route: its URL may contain patient data.
 */
export const withRequestSpan =
  (withSpan: WithSpan) => (context: Context<ApiEnv>, next: Next): Promise<void> => {
    const attributes: Record<string, string | number> = {
      "http.request.method": context.req.method,
    };
    const span = { name: routeOf(context) ?? "call", attributes };
    return withSpan(span, async () => {
      await next();
      attributes["http.response.status_code"] = context.res.status;
    }, true);
  };
