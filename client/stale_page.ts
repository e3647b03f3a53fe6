import { AppError } from "@/model/errors.ts";
import { presentError } from "@/client/present_error.ts";

const RELOADED = "sulcus-reloaded";

/**
 * What a failed load of a part of the page leads to (D1 §4): the part is one of an earlier version, so the page is
 * loaded anew, once. Without a server that would lose the page: then the error is shown instead.
 */
export async function reloadStalePage(error: unknown): Promise<void> {
  if (sessionStorage.getItem(RELOADED) !== null) return presentError(error);
  try {
    await fetch(location.href, { method: "HEAD", cache: "no-store" });
  } catch (cause) {
    return presentError(new AppError("network.offline", "Cannot load a part of the page", {}, { cause }));
  }
  sessionStorage.setItem(RELOADED, "1");
  location.reload();
}

/** Says that the page has started: the next failed load may reload it again. */
export const pageHasStarted = (): void => sessionStorage.removeItem(RELOADED);
