import { useRef, useState } from "react";

/**
 * Functions with a stable identity across renders that call the latest given versions.
 * Memoised components that receive these functions do not re-render for a new function object.
 * Every render must pass the same set of function names.
 */
// deno-lint-ignore no-explicit-any -- functions of every signature
export function useStableCalls<T extends Record<string, (...args: any[]) => unknown>>(calls: T): T {
  const latest = useRef(calls);
  latest.current = calls;
  const [stable] = useState(() =>
    Object.fromEntries(
      Object.keys(calls).map((name) => [name, (...args: unknown[]) =>
        latest.current[name]!(...args)]
      ),
    ) as T
  );
  return stable;
}
