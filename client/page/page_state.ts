import type { DehydratedState } from "@tanstack/react-query";
import type { User } from "@/model/schema/accounts/user.ts";
import type { AssetsAhead } from "@/client/page/assets_ahead.ts";
import type { Language } from "@/model/text.ts";

/** Initial state of a page, embedded by server/edge/pages/page.ts. */
interface PageState {
  language: Language;
  /** time zone of the site, an IANA name */
  timeZone: string;
  user: User | null;
  /** initial query cache of islands */
  queries: DehydratedState;
  /** absent on pages without a signed-in user */
  ahead?: AssetsAhead;
}

/** Parsed JSON content of an element; `null` without the element. */
export const readJson = (element: Element | null) => JSON.parse(element?.textContent ?? "null");

/** Embedded state of this page. Browser only. */
export const readPageState = (): PageState => readJson(document.getElementById("page-state"));
