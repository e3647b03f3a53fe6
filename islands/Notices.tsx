import { useSignals } from "@preact/signals-react/runtime";
import { type ComponentType, useEffect, useState } from "react";
import { modals, toasts } from "@/client/notices/notices.ts";

/** Container of toasts and modals on every page; the code that draws them loads after the page. */
export default function Notices() {
  useSignals();
  const [View, setView] = useState<ComponentType | null>(null);
  // a failed load is retried by the next notice
  const load = () =>
    void import("@/components/notices/notices_view.tsx").then(
      (module) => setView(() => module.default),
      () => {},
    );
  useEffect(() => {
    // loads before the first notice: screen readers announce additions only to an existing region
    if ("requestIdleCallback" in globalThis) requestIdleCallback(load, { timeout: 2000 });
    else setTimeout(load, 200);
  }, []);
  const count = toasts.value.length + modals.value.length;
  useEffect(() => {
    if (count > 0 && View === null) load();
  }, [count]);
  return View && <View />;
}
