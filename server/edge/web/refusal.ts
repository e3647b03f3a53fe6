// Responses to requests that reach no handler, because they cannot be parsed or arrive too slowly.
import { LANGUAGES, textIn } from "@/model/text.ts";
import { pagesText } from "@/model/text/pages.ts";

const REFUSALS = {
  unreadable: ["400 Bad Request", "requestUnreadable"],
  too_slow: ["408 Request Timeout", "requestTooSlow"],
  too_long: ["431 Request Header Fields Too Large", "requestTooLong"],
} as const;
export type Refusal = keyof typeof REFUSALS;

/** Plain text in all languages, because the language of an unread request is unknown. */
export const refusalText = (reason: Refusal): string =>
  LANGUAGES.map((language) => textIn(pagesText[REFUSALS[reason][1]], language)).join("\n\n") + "\n";

export const REFUSAL_HEADERS = {
  "connection": "close",
  "content-type": "text/plain; charset=utf-8",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;

/** Complete HTTP/1.1 response that refuses a request and closes the connection. */
export function refusalOf(reason: Refusal): string {
  const body = refusalText(reason);
  const heads = [
    `HTTP/1.1 ${REFUSALS[reason][0]}`,
    ...Object.entries(REFUSAL_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${new TextEncoder().encode(body).length}`,
  ];
  return `${heads.join("\r\n")}\r\n\r\n${body}`;
}
