import {
  type ComponentType,
  createElement,
  type FunctionComponent,
  lazy,
  type LazyExoticComponent,
  useEffect,
  useState,
} from "react";
import { reloadStalePage } from "@/client/page/stale_page.ts";
import { CrashGuard } from "@/components/page/crash_guard.tsx";

/** A component in a file of its own. */
type LazyPart<P> = FunctionComponent<P> & {
  /**
   * Loads it before it is shown: then it renders at once, without React's pause after a fallback.
   */
  load: () => Promise<unknown>;
};

/**
 * A component in a file of its own, loaded when it is first shown. When it does not come, nothing
 * is shown, `onClose` is called, and the next time it is asked for again. An error in it stays in
 * its place.
 */
export function lazyPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyPart<P> {
  let loaded: ComponentType<P> | null = null,
    part: LazyExoticComponent<ComponentType<P>> | null = null;
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
