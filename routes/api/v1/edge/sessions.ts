import type { SiteContext } from "@/edge/web/site.ts";

export const POST = (context: SiteContext) => context.var.site.edgeService.sessions(context);
