import type { SiteContext } from "@/server/edge/web/site.ts";

export const GET = (context: SiteContext) => context.var.site.edgeService.events(context);
