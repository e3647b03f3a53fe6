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

/** A React component in a separate chunk of code. */
type LazyPart<P> = FunctionComponent<P> & {
  /** Preloads the component, which then renders at once, without React's delay after a fallback. */
  load: () => Promise<unknown>;
};

/**
 * A component in a separate chunk with an error boundary, loaded when first shown.
 * After a failed load nothing is shown and `onClose` is called; the next attempt retries.
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
    // chosen once: another component in the same place would lose the state of the shown one
    const [Shown] = useState(() => loaded ?? (part ??= begin()));
    return createElement(CrashGuard, {
      onClose: (props as { onClose?: () => void }).onClose,
      children: createElement<P>(Shown, props),
    });
  };
  return Object.assign(Part, { load: keep });
}
