import { type ComponentType, lazy, type LazyExoticComponent } from "react";
import { AppError } from "@/model/errors.ts";
import { presentError } from "@/client/present_error.ts";

const RELOADED = "sulcus-reloaded ";

/**
 * What a failed load of a part of the page leads to (D1 §4): the part is one of an earlier version, so the page is
 * loaded anew. Once for each part, whose address is in the error: one that is still missing then would start an
 * endless round. Without a server a reload would lose the page: then, as after the first time, the error is shown.
 */
export async function reloadStalePage(error: unknown): Promise<void> {
  const mark = RELOADED + String(error);
  if (sessionStorage.getItem(mark) !== null) return presentError(error);
  try {
    await fetch(location.href, { method: "HEAD", cache: "no-store" });
  } catch (cause) {
    return presentError(new AppError("network.offline", "Cannot load a part of the page", {}, { cause }));
  }
  sessionStorage.setItem(mark, "1");
  location.reload();
}

/** A component in a file of its own, loaded when it is first shown; nothing when it does not come. */
export const lazyPart = <P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> =>
  lazy(() =>
    load().catch(async (error) => {
      await reloadStalePage(error);
      return { default: () => null };
    })
  );
