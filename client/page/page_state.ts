import type { DehydratedState } from "@tanstack/react-query";
import type { User } from "@/model/schema/accounts/user.ts";
import type { Language } from "@/model/text.ts";

/** What a page starts from; server/edge/pages/page.ts writes it. */
interface PageState {
  language: Language;
  /** the site's, IANA */
  timeZone: string;
  user: User | null;
  /** what islands with queries find in their cache at once */
  queries: DehydratedState;
}

/** The JSON in an element; `null` without one. */
export const readJson = (element: Element | null) => JSON.parse(element?.textContent ?? "null");

/** The state of this page. Browser only. */
export const readPageState = (): PageState => readJson(document.getElementById("page-state"));
