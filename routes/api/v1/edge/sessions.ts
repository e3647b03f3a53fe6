import type { SiteContext } from "@/edge/site.ts";

export const POST = (context: SiteContext) => context.var.site.edgeService.sessions(context);
