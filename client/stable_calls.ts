import { useRef, useState } from "react";

/**
 * Functions that stay the same from one drawing to the next and call the latest of those given:
 * memoised parts that get them are not drawn again because a function is a new one. The names must
 * stay the same.
 */
// deno-lint-ignore no-explicit-any -- functions of every kind
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
