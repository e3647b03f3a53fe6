import { batch } from "@preact/signals-react";
import { browserApi } from "@/client/browser_api.ts";
import { onReconnect, onServerEvent } from "@/client/live/live_updates.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import type { Hanging } from "@/model/schema/reading/hanging.ts";
import type { User } from "@/model/schema/accounts/user.ts";
import type { Division } from "@/viewer/layout.ts";

/** The reader's settings that the viewer goes by, as they were when it opened. */
export interface ViewerSettings {
  division: Division;
  /** Parts of the brain that come first in the list. */
  priority: readonly string[];
  /** Who the patient is was left out. */
  isAnonymous: boolean;
  /** Study shown beside another one, and its layout. */
  hanging: Hanging;
}

/**
 * Applies the reader's settings when they are changed elsewhere (D1 §6: setting_update). @returns a
 * function that stops it. A layout that the reader chose here stays unless the setting itself has
 * changed. Names that were left out are not on this page, and the other way round they stand all
 * over it: then the page is loaded again, its address keeps the view.
 */
export function syncSettings(
  session: ViewerSession,
  user: User | null,
  opened: ViewerSettings,
): () => void {
  let { division } = opened;
  const abort = new AbortController();
  const read = async () => {
    // they come with the first change
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
  // without an answer the settings stay as they are until the next change or opening
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
