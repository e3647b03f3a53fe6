import type { SiteContext } from "@/server/edge/web/site.ts";

/**
 * Start-up configuration (D1 §1) for external programs; the site's own pages include the
 * configuration. The user service is reached through the site, independent of its host.
 */
export const GET = ({ var: { site } }: SiteContext): Response =>
  Response.json(
    {
      product_id: "sulcus",
      default_language: site.defaultLanguage,
      platform: "web",
      vuuc_service_url: "/vuuc",
    },
    { headers: { "cache-control": "no-cache" } },
  );
