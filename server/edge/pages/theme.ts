import { getCookie } from "hono/cookie";
import type { SiteContext } from "@/server/edge/web/site.ts";
import { type Theme, THEME_COOKIE, THEMES } from "@/model/theme.ts";

/** The selected colour scheme; light by default. */
export function themeOf(context: SiteContext): Theme {
  const chosen = getCookie(context, THEME_COOKIE);
  return THEMES.find((theme) => theme === chosen) ?? "light";
}
