import { batch } from "@preact/signals-react";
import { browserApi } from "@/client/browser_api.ts";
import { onReconnect, onServerEvent } from "@/client/live/live_updates.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import type { Hanging } from "@/model/schema/reading/hanging.ts";
import type { User } from "@/model/schema/accounts/user.ts";
import type { Division } from "@/viewer/layout.ts";

/** The user's settings for the viewer, as they were when the page opened. */
export interface ViewerSettings {
  division: Division;
  /** Priority parts of the brain (D1 §2), which are listed first. */
  priority: readonly string[];
  /** Whether the patient's identity is omitted. */
  isAnonymous: boolean;
  /** Study and layout with which a comparison starts. */
  hanging: Hanging;
}

/**
 * Applies changes of the user's settings made on other pages (D1 §6: setting_update).
 * A layout chosen on this page is kept unless the layout setting has changed.
 * A change of anonymisation reloads the page, because names appear in many places;
 * the address preserves the view. @returns a function that stops this.
 */
export function syncSettings(
  session: ViewerSession,
  user: User | null,
  opened: ViewerSettings,
): () => void {
  let { division } = opened;
  const abort = new AbortController();
  const read = async () => {
    // this code is loaded on the first change of settings
    const { findSettings, hidesIdentity } = await import("@/client/api/site/settings.ts");
    const siteSettings = await findSettings(browserApi, abort.signal);
    if (abort.signal.aborted || siteSettings === "unknown") return;
    if (hidesIdentity(siteSettings) !== opened.isAnonymous) return location.reload();
    const general = siteSettings?.individual.general;
    if (!general) return;
    batch(() => {
      session.priority.value = new Set(general.brain_part_list);
      if (general.division !== division) session.division.value = division = general.division;
    });
  };
  // if the request fails, the old settings stay until the next change or page load
  const readWithRetry = () => void read().catch(() => undefined);
  const stop = onServerEvent((event) => {
    if (event.event !== "setting_update" || event.scope !== "individual") return;
    if (event.uid !== undefined && event.uid !== user?.user_id) return;
    readWithRetry();
  });
  const stopAgain = onReconnect(readWithRetry);
  return () => {
    abort.abort();
    stop();
    stopAgain();
  };
}
