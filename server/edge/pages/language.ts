import { getCookie } from "hono/cookie";
import type { SiteContext } from "@/server/edge/web/site.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";

/** Cookie that stores the language; written by the page (client/language.tsx). */
const LANGUAGE_COOKIE = "language";

/** First supported language in a browser's Accept-Language (RFC 9110 §12.5.4); `null` for none. */
export function preferredLanguage(header: string | undefined): Language | null {
  const wanted = (header ?? "").slice(0, 500).split(",").map((part, place) => {
    const [range = "", ...parameters] = part.toLowerCase().split(";").map((each) => each.trim());
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
 * Language of a request: that of the cookie; Korean for a Korean browser, of which the user may not
 * find the setting in English; otherwise the site's language.
 */
export function languageOf(context: SiteContext): Language {
  const chosen = getCookie(context, LANGUAGE_COOKIE);
  const supported = LANGUAGES.find((language) => language === chosen);
  if (supported) return supported;
  const preferred = preferredLanguage(context.req.header("accept-language"));
  return preferred === "ko" ? preferred : context.var.site.defaultLanguage;
}
