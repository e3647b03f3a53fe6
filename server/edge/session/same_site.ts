import { escapeHtml } from "@/server/edge/pages/document.ts";
import type { SiteContext } from "@/server/edge/web/site.ts";

/** Restricts `next` to a path of this site, so that a link cannot redirect to another site. */
export function safeNextPath(next: string | null | undefined): string {
  if (!next || !next.startsWith("/") || next.startsWith("//") || next.includes("\\")) return "/";
  // removed first: URL parsers drop tabs and line breaks, which may leave `//` at the start
  return URL.parse(next, "http://site")?.host === "site" ? next : "/";
}

/**
 * A page of this site that continues to another page. After a redirect, the request would count as
 * the other site's request, and lack the session's SameSite=Strict cookie.
 */
export function goOnFromHere(context: SiteContext, path: string): Response {
  const href = escapeHtml(safeNextPath(path));
  return context.html(
    `<!doctype html><meta http-equiv="refresh" content="0;url=${href}"><title>Sulcus</title><a href="${href}">Sulcus</a>`,
    200,
    { "cache-control": "no-store", "content-security-policy": "default-src 'none'" },
  );
}
