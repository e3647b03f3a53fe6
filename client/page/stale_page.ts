import { AppError } from "@/model/errors.ts";
import { presentError } from "@/client/notices/present_error.ts";

const RELOADED_KEY = "sulcus-reloaded ";
/** A page that is being left is gone by then. */
const LEAVING_MS = 10_000;

/**
 * Whether the part that did not come is there: its load was broken off, as Firefox does with all
 * loads of a page that is being left. A reload would hold the page back.
 */
export async function isBrokenOff(error: unknown): Promise<boolean> {
  const [address] = /https?:\/\/\S+/.exec(String(error)) ?? [];
  return address !== undefined && (await fetch(address, { method: "HEAD", cache: "no-store" })).ok;
}

/**
 * Handles a failed load of a part of the page (D1 §4): the part is from an earlier version, so the
 * page is reloaded. Once for each part, with its address from the error: one that is still missing
 * then would start an endless round. Without a server a reload would lose the page: then, as after
 * the first time, the error is shown.
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
