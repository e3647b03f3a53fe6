// The modal about low storage of the server; loaded after the first paint, shows nothing else.
import { useEffect } from "react";
import { storageLevel } from "@/model/site/storage_level.ts";
import { getStatus } from "@/client/api/site/status.ts";
import { browserApi } from "@/client/browser_api.ts";
import { log } from "@/client/log.ts";
import { informInModal } from "@/client/notices/present_error.ts";

/** In the tab's storage: the level that was reported. */
const WARNED_KEY = "sulcus-storage-told";

/**
 * Reports once in each tab, and again when it gets worse: the modal leads home, which would repeat
 * it for ever.
 */
export default function StorageWarning() {
  useEffect(() => {
    const asking = new AbortController();
    getStatus(browserApi, asking.signal).then(
      ({ disk_usage, disk_warn: warn, disk_error: error }) => {
        const level = storageLevel(disk_usage, warn, error),
          told = sessionStorage.getItem(WARNED_KEY);
        if (level === "ok") sessionStorage.removeItem(WARNED_KEY);
        else if (told !== level && told !== "error") {
          sessionStorage.setItem(WARNED_KEY, level);
          informInModal("storage.full", { percent: Math.round(disk_usage), warn, error });
        }
      },
    ).catch((problem) => {
      // the page does not need it
      if (!asking.signal.aborted) log(`Cannot ask for the storage: ${problem}`);
    });
    return () => asking.abort();
  }, []);
  return null;
}
