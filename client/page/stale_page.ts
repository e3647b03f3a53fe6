import {
  type ComponentType,
  createElement,
  type FunctionComponent,
  lazy,
  type LazyExoticComponent,
  useEffect,
  useState,
} from "react";
import { AppError } from "@/model/errors.ts";
import { CrashGuard } from "@/client/page/crash_guard.tsx";
import { presentError } from "@/client/notices/present_error.ts";

const RELOADED_KEY = "sulcus-reloaded ";
/** A page that is being left is gone by then. */
const LEAVING_MS = 10_000;

/**
 * Whether the part that did not come is there: its load was broken off, as Firefox does with all loads of a page that is
 * being left. A reload would hold the page back.
 */
export async function isBrokenOff(error: unknown): Promise<boolean> {
  const [address] = /https?:\/\/\S+/.exec(String(error)) ?? [];
  return address !== undefined && (await fetch(address, { method: "HEAD", cache: "no-store" })).ok;
}

/**
 * What a failed load of a part of the page leads to (D1 §4): the part is one of an earlier version, so the page is
 * loaded anew. Once for each part, whose address is in the error: one that is still missing then would start an
 * endless round. Without a server a reload would lose the page: then, as after the first time, the error is shown.
 */
export async function reloadStalePage(error: unknown): Promise<void> {
  const mark = RELOADED_KEY + String(error);
  if (sessionStorage.getItem(mark) !== null) return presentError(error);
  try {
    await fetch(location.href, { method: "HEAD", cache: "no-store" });
    if (await isBrokenOff(error)) await new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
  } catch (cause) {
    return presentError(new AppError("network.offline", "Cannot load a part of the page", {}, { cause }));
  }
  sessionStorage.setItem(mark, "1");
  location.reload();
}

/** A component in a file of its own. */
type LazyPart<P> = FunctionComponent<P> & {
  /** Loads it before it is shown: then it is there at once, without the pause React puts before what was waited for. */
  load: () => Promise<unknown>;
};

/**
 * A component in a file of its own, loaded when it is first shown. When it does not come, nothing is shown, `onClose`
 * is called, and the next time it is asked for again. An error in it stays in its place.
 */
export function lazyPart<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): LazyPart<P> {
  let loaded: ComponentType<P> | null = null, part: LazyExoticComponent<ComponentType<P>> | null = null;
  const Missing = ({ onClose }: { onClose?: () => void }) => {
    useEffect(() => {
      onClose?.();
      return () => void (part = null);
    }, []);
    return null;
  };
  const keep = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const begin = () =>
    lazy(() =>
      keep().catch(async (error) => {
        await reloadStalePage(error);
        return { default: Missing as ComponentType<P> };
      })
    );
  const Part = (props: P) => {
    // the same for as long as it is shown
    const [Shown] = useState(() => loaded ?? (part ??= begin()));
    return createElement(CrashGuard, {
      onClose: (props as { onClose?: () => void }).onClose,
      children: createElement<P>(Shown, props),
    });
  };
  return Object.assign(Part, { load: keep });
}
