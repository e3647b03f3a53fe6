// Loads the scripts of a text page after the first paint: earlier loads would take network and
// processor time from the visible content. Other pages load their scripts directly.
// This is a separate script without imports.

/**
 * Number of scripts requested per task. Each takes some milliseconds on a slow processor,
 * and the browser handles input between tasks.
 */
const MAX_PARALLEL = 4;

const { client, modules } = document.currentScript!.dataset;
const files = modules?.split(" ") ?? [];

function load(): void {
  for (const href of files.splice(0, MAX_PARALLEL)) {
    document.head.append(
      Object.assign(document.createElement("link"), { rel: "modulepreload", href }),
    );
  }
  if (files.length > 0) setTimeout(load);
  else {document.head.append(
      Object.assign(document.createElement("script"), { type: "module", src: client! }),
    );}
}

function loadAfterPaint(): void {
  // starts at once in a background tab, which is not painted
  if (document.hidden) load();
  else requestAnimationFrame(() => setTimeout(load));
}

if (client !== undefined) {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", loadAfterPaint);
  else loadAfterPaint();
}
