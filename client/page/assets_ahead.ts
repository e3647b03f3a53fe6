import { KERNELS_WASM_URL, KERNELS_WORKER_URL } from "@/client/kernels/assets.ts";

/** Scripts of pages that this one leads to, which are not this page's own. */
export type AssetsAhead = Readonly<Record<"viewer" | "report", readonly string[]>>;

/** Further files of a page, which its scripts request. */
const FURTHER = { viewer: [KERNELS_WORKER_URL, KERNELS_WASM_URL], report: [] };

/** Page that an element leads to: by its `data-leads-to`, or a link's address. */
function pageOf(target: EventTarget | null): keyof AssetsAhead | null {
  const element = target instanceof Element
    ? target.closest<HTMLElement>("[data-leads-to], a[href^='/viewer/'], a[href^='/report/']")
    : null;
  const name = element?.dataset.leadsTo ?? element?.getAttribute("href")?.split("/")[1];
  return name === "viewer" || name === "report" ? name : null;
}

/**
 * Loads the program of viewer or report when the pointer or the focus is on something that leads
 * there, once. Never the page: a study that is opened is entered in the audit log as read.
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
