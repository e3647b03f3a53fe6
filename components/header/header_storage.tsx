// Modal about low disk space of the server; loaded after the first paint.
import { useEffect } from "react";
import { storageLevel } from "@/model/site/storage_level.ts";
import { getStatus } from "@/client/api/site/status.ts";
import { browserApi } from "@/client/browser_api.ts";
import { log } from "@/client/log.ts";
import { informInModal } from "@/client/notices/present_error.ts";

/** Session storage key of the storage level that was reported last. */
const WARNED_KEY = "sulcus-storage-told";

/**
 * Reports a storage level once per tab, and again when the level gets worse. The modal leads to the
 * home page, which would otherwise report the same level again endlessly.
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
      // a failed request is ignored, because the page works without the storage level
      if (!asking.signal.aborted) log(`Cannot ask for the storage: ${problem}`);
    });
    return () => asking.abort();
  }, []);
  return null;
}
