import { dehydrate, QueryClient } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { randomBytes } from "node:crypto";
import { textIn } from "@/model/text.ts";
import { themeOf } from "@/server/edge/pages/theme.ts";
import { documentHtml } from "@/server/edge/pages/document.ts";
import type { IslandFrame, PageModule, PageRequest } from "@/server/edge/pages/page.ts";
import { PageRenderContext } from "@/server/edge/pages/page.ts";
import { contentSecurityPolicy } from "@/fresh.config.ts";
import { hostOf, textResponse } from "@/server/edge/web/security.ts";
import type { SiteContext } from "@/server/edge/web/site.ts";

let timeZoneOfProcess: string | undefined;
/** Time zone of the hospital: that of this process (`TZ`), read once. */
const siteTimeZone = (): string =>
  timeZoneOfProcess ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Query cache for one request, without timers that would outlive the request. */
export const requestQueryClient = (): QueryClient =>
  new QueryClient({ defaultOptions: { queries: { retry: false, gcTime: Infinity } } });

interface RenderedPage {
  module: PageModule;
  page: PageRequest;
  data: unknown;
  queryClient: QueryClient;
  frame: IslandFrame;
  status?: number;
}

/**
 * Renders a page into a response with the page's security policy.
 * `no-store`: the back button must show nothing after sign-out.
 */
export function renderPage(
  context: SiteContext,
  { module, page, data, queryClient, frame, status }: RenderedPage,
): Response {
  const { manifest } = context.var.site;
  const Page = module.default;
  if (!Page) throw new TypeError("a page module needs a default export");
  const nonce = randomBytes(16).toString("base64");
  const islands = new Set<string>();
  const { language, user } = page, timeZone = siteTimeZone();
  const body = renderToString(
    <PageRenderContext.Provider
      value={{ queryClient, language, timeZone, user, frame, nonce, islands }}
    >
      {createElement(Page, { data: data as never, page })}
    </PageRenderContext.Provider>,
  );
  const title = typeof module.title === "object" ? textIn(module.title, language) : module.title;
  const chunksOf = (name: string) => manifest.scripts.islands[name] ?? [];
  const preload = [...new Set([...islands].flatMap(chunksOf))];
  const others = (name: string) => chunksOf(name).filter((chunk) => !preload.includes(chunk));
  const ahead = { viewer: others("SliceViewer"), report: others("ReportViewer") };
  const html = documentHtml({
    title: title ? `${title} · Sulcus` : "Sulcus",
    manifest,
    nonce,
    state: { language, timeZone, user, queries: dehydrate(queryClient), ...(user && { ahead }) },
    theme: themeOf(context),
    preload,
    bodyClass: module.bodyClass ?? "",
    isReadFirst: module.isReadFirst ?? false,
    body,
  });
  queryClient.clear();
  return textResponse(html, status ?? module.status ?? 200, [
    ["content-type", "text/html; charset=utf-8"],
    ["cache-control", "no-store"],
    ["content-security-policy", contentSecurityPolicy(nonce, hostOf(context.req.raw))],
  ]);
}
