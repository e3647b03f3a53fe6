import { jsonForScript } from "@/server/wire/json_text.ts";
import type { Theme } from "@/model/theme.ts";
import type { Manifest } from "@/server/edge/pages/manifest.ts";
import type { PageState } from "@/server/edge/pages/page.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};
/** Escapes text for HTML elements and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);

interface DocumentParts {
  title: string;
  manifest: Manifest;
  nonce: string;
  state: PageState;
  theme: Theme;
  /** chunks that the client imports, to be preloaded */
  preload: readonly string[];
  bodyClass: string;
  isReadFirst: boolean;
  /** content of the page's body, HTML */
  body: string;
}

/**
 * HTML document of every page. No inline styles, because the policy forbids inline styles.
 * Concatenated by hand, because React would process the whole page again.
 */
export function documentHtml(
  { title, manifest, nonce, state, theme, preload, bodyClass, isReadFirst, body }: DocumentParts,
): string {
  const { client } = manifest.scripts, sign = `nonce="${escapeHtml(nonce)}"`;
  const early = `<script async="" src="${escapeHtml(manifest.early)}" ${sign}`;
  const scripts = isReadFirst
    ? `${early} data-client="${escapeHtml(client)}" data-modules="${
      escapeHtml(preload.join(" "))
    }"></script>`
    : `${early}></script>` +
      preload.map((href) => `<link rel="modulepreload" href="${escapeHtml(href)}"/>`).join("") +
      `<script type="module" src="${escapeHtml(client)}" ${sign}></script>`;
  return `<!doctype html><html lang="${state.language}" data-theme="${theme}"><head><meta charset="utf-8"/>` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"/>` +
    // rendering is blocked until the style sheet and the whole page have arrived
    // partially rendered rows would shift
    `<link rel="stylesheet" href="${escapeHtml(manifest.stylesheet)}"/>` +
    `<link rel="expect" href="#page-end" blocking="render"/>${scripts}` +
    `<title>${escapeHtml(title)}</title>` +
    `<link rel="icon" type="image/png" sizes="32x32" href="${escapeHtml(manifest.icon)}"/>` +
    `<script type="application/json" id="page-state">${jsonForScript(state)}</script></head>` +
    `<body class="${
      escapeHtml(bodyClass)
    }"><div id="page" class="contents">${body}</div><i id="page-end" hidden></i></body></html>`;
}
