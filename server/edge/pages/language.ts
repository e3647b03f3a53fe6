import { getCookie } from "hono/cookie";
import type { SiteContext } from "@/server/edge/web/site.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";

/** Name of the cookie that keeps the language; the page writes it (client/language.tsx). */
const LANGUAGE_COOKIE = "language";

/**
 * The first supported language of a browser's header (RFC 9110 §12.5.4); `null` when none is
 * supported.
 */
export function preferredLanguage(header: string | undefined): Language | null {
  const wanted = (header ?? "").slice(0, 500).split(",").map((part, place) => {
    const [range = "", ...parameters] = part.trim().toLowerCase().split(/\s*;\s*/);
    const quality = Number(parameters.find((one) => one.startsWith("q="))?.slice(2) ?? 1);
    return { language: range.split("-")[0], quality: quality > 0 ? quality : 0, place };
  }).sort((a, b) => b.quality - a.quality || a.place - b.place);
  for (const { language, quality } of wanted) {
    const supported = quality > 0 ? LANGUAGES.find((one) => one === language) : undefined;
    if (supported) return supported;
  }
  return null;
}

/**
 * The language of a request: the cookie's; Korean for a Korean browser, because its user may not
 * find the choice in English; the site's otherwise.
 */
export function languageOf(context: SiteContext): Language {
  const chosen = getCookie(context, LANGUAGE_COOKIE);
  const supported = LANGUAGES.find((language) => language === chosen);
  if (supported) return supported;
  const preferred = preferredLanguage(context.req.header("accept-language"));
  return preferred === "ko" ? preferred : context.var.site.defaultLanguage;
}
