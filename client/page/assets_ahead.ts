import { KERNELS_WASM_URL, KERNELS_WORKER_URL } from "@/client/kernels/assets.ts";

/** URLs of scripts for the pages that this page links to, without scripts loaded already. */
export type AssetsAhead = Readonly<Record<"viewer" | "report", readonly string[]>>;

/** Further files of each page: those that its scripts load. */
const FURTHER = { viewer: [KERNELS_WORKER_URL, KERNELS_WASM_URL], report: [] };

/** Page to which an element leads, by the element's `data-leads-to` or by a link's URL. */
function pageOf(target: EventTarget | null): keyof AssetsAhead | null {
  const element = target instanceof Element
    ? target.closest<HTMLElement>("[data-leads-to], a[href^='/viewer/'], a[href^='/report/']")
    : null;
  const name = element?.dataset.leadsTo ?? element?.getAttribute("href")?.split("/")[1];
  return name === "viewer" || name === "report" ? name : null;
}

/**
 * Loads the scripts of viewer or report, once, if pointer or focus is on an element that leads
 * there. Never preloads the page itself: the audit log would record that the study was opened.
 */
export function loadAssetsOnHover(assets: AssetsAhead): void {
  const done = new Set<string>();
  const look = ({ target }: Event) => {
    const page = pageOf(target);
    if (page === null || done.has(page)) return;
    done.add(page);
    for (const href of assets[page]) {
      const link = document.createElement("link");
      document.head.append(
        Object.assign(link, { rel: "modulepreload", href, fetchPriority: "low" }),
      );
    }
    for (const url of FURTHER[page]) {
      fetch(url, { priority: "low" }).then((answer) => answer.arrayBuffer())
        .catch(() => {/* the page itself reports it */});
    }
  };
  for (const type of ["pointerover", "focusin"]) {
    document.addEventListener(type, look, { passive: true });
  }
}
