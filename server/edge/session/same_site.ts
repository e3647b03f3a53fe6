import { escapeHtml } from "@/server/edge/pages/document.ts";
import type { SiteContext } from "@/server/edge/web/site.ts";

/** Only a path of this site, so that `next` cannot lead elsewhere. */
export function safeNextPath(next: string | null | undefined): string {
  if (!next || !next.startsWith("/") || next.startsWith("//") || next.includes("\\")) return "/";
  // tabs and line ends are dropped when it is read, and may leave `//` at the start
  return URL.parse(next, "http://site")?.host === "site" ? next : "/";
}

/**
 * A page of this site that goes on to another one. After a redirect the request would still be the
 * other site's, and come without the session's cookie, which is SameSite=Strict.
 */
export function goOnFromHere(context: SiteContext, path: string): Response {
  const href = escapeHtml(safeNextPath(path));
  return context.html(
    `<!doctype html><meta http-equiv="refresh" content="0;url=${href}"><title>Sulcus</title><a href="${href}">Sulcus</a>`,
    200,
    { "cache-control": "no-store", "content-security-policy": "default-src 'none'" },
  );
}
