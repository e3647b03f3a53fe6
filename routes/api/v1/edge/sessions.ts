import type { SiteContext } from "@/server/edge/web/site.ts";

export const POST = (context: SiteContext) => context.var.site.edgeService.sessions(context);
