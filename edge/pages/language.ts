import { getCookie } from "hono/cookie";
import type { SiteContext } from "@/edge/web/site.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";

/** Name of the cookie that keeps the language; the page writes it (client/language.tsx). */
const LANGUAGE_COOKIE = "language";

/** The language of a request: the cookie's, the site's otherwise. */
export function languageOf(context: SiteContext): Language {
  const chosen = getCookie(context, LANGUAGE_COOKIE);
  return LANGUAGES.find((language) => language === chosen) ?? context.var.site.defaultLanguage;
}
