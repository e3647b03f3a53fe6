import type { SiteContext } from "@/server/edge/web/site.ts";

/**
 * Start-up configuration (D1 §1) for external programs; pages of the site contain it already.
 * The user service has a path on this site, so programs do not need its host.
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
