// Notes the first click on a control that cannot answer yet; client/early_clicks.ts makes up for it.
import type {} from "@/client/early_clicks.ts";

globalThis.earlyClick = undefined;
addEventListener("click", (event) => {
  const target = event.target as Element;
  const island = target.closest<HTMLElement>("[data-island]");
  if (!island || island.dataset.hydrated !== undefined || target.closest("a[href]")) return;
  const control = target.closest<HTMLElement>(
    "button, input:is([type=checkbox], [type=radio]), tr[data-pid]",
  );
  if (!control) return;
  // the box is checked, and the form sent, when somebody notices
  event.preventDefault();
  globalThis.earlyClick ??= { control, at: performance.now() };
}, true);
