import { AppError } from "@/model/errors.ts";
import { presentError } from "@/client/notices/present_error.ts";

const RELOADED_KEY = "sulcus-reloaded ";
/** Delay after which a page that is unloading has certainly been replaced, ms. */
const LEAVING_MS = 10_000;

/**
 * Whether the script that failed to load can be fetched now: then the load was only aborted.
 * Firefox aborts all loads of a page that unloads. A reload would stop the unloading.
 */
export async function isBrokenOff(error: unknown): Promise<boolean> {
  const [address] = /https?:\/\/\S+/.exec(String(error)) ?? [];
  return address !== undefined && (await fetch(address, { method: "HEAD", cache: "no-store" })).ok;
}

/**
 * Handles a failed load of a part of the page (D1 §4): an outdated page, which reloads.
 * Reloads once per failed part, identified by the address in the error: a part that stays missing
 * would cause an endless loop. If the server is unreachable, or after a reload, shows the error.
 */
export async function reloadStalePage(error: unknown): Promise<void> {
  const mark = RELOADED_KEY + String(error);
  if (sessionStorage.getItem(mark) !== null) return presentError(error);
  try {
    await fetch(location.href, { method: "HEAD", cache: "no-store" });
    if (await isBrokenOff(error)) await new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
  } catch (cause) {
    return presentError(
      new AppError("network.offline", "Cannot load a part of the page", {}, { cause }),
    );
  }
  sessionStorage.setItem(mark, "1");
  location.reload();
}
