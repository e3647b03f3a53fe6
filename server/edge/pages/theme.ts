import { getCookie } from "hono/cookie";
import type { SiteContext } from "@/server/edge/web/site.ts";
import { type Theme, THEME_COOKIE, THEMES } from "@/model/theme.ts";

/** How the person has chosen pages to look; light for whoever has not. */
export function themeOf(context: SiteContext): Theme {
  const chosen = getCookie(context, THEME_COOKIE);
  return THEMES.find((theme) => theme === chosen) ?? "light";
}
