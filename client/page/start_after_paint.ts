// Asks for the scripts of a page that is read first when its words have been drawn: before, they
// would take the network and the processor from the visible content. Other pages load their scripts
// directly. A script of its own, which imports nothing.

/**
 * Requests of one task: each costs a slow processor some milliseconds, and input must be handled in
 * between.
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
  // a page behind others is not drawn
  if (document.hidden) load();
  else requestAnimationFrame(() => setTimeout(load));
}

if (client !== undefined) {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", loadAfterPaint);
  else loadAfterPaint();
}
