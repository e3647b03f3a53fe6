import type { SiteContext } from "@/edge/site.ts";

export const GET = (context: SiteContext) => context.var.site.edgeService.events(context);
