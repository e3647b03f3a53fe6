import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { MiddlewareHandler } from "hono";
import type { SiteEnv } from "@/server/edge/web/site.ts";

const pack = promisify(gzip);
/** Smaller pages fit into a packet or two as they are. */
const MIN_BYTES = 1400;

/**
 * Packs pages for browsers that unpack them. Files of `static/` were packed by the build, and
 * answers of the API go as they are. No page repeats a secret beside text chosen by an attacker,
 * which the length of a compressed page could reveal (BREACH): the session's secret is a cookie
 * that no page holds.
 */
export const compressPages: MiddlewareHandler<SiteEnv> = async (context, next) => {
  await next();
  const { res } = context;
  if (
    !res.headers.get("content-type")?.startsWith("text/html") || res.headers.has("content-encoding")
  ) {
    return;
  }
  res.headers.append("vary", "accept-encoding");
  const isWanted = /\bgzip\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/.test(
    context.req.header("accept-encoding") ?? "",
  );
  if (!isWanted || res.body === null || context.req.method === "HEAD") return;
  const bytes = new Uint8Array(await res.arrayBuffer());
  const headers = new Headers(res.headers);
  if (bytes.length < MIN_BYTES) {
    context.res = new Response(bytes, { status: res.status, headers });
    return;
  }
  headers.set("content-encoding", "gzip");
  headers.delete("content-length");
  context.res = undefined;
  context.res = new Response(new Uint8Array(await pack(bytes)), { status: res.status, headers });
};
