import type { DehydratedState } from "@tanstack/react-query";
import type { User } from "@/model/schema/accounts/user.ts";
import type { Language } from "@/model/text.ts";

/** Initial state of a page, written by server/edge/pages/page.ts. */
interface PageState {
  language: Language;
  /** the site's, IANA */
  timeZone: string;
  user: User | null;
  /** initial cache of islands with queries */
  queries: DehydratedState;
}

/** The JSON in an element; `null` without one. */
export const readJson = (element: Element | null) => JSON.parse(element?.textContent ?? "null");

/** The state of this page. Browser only. */
export const readPageState = (): PageState => readJson(document.getElementById("page-state"));
