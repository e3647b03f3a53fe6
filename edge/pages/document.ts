import { jsonText } from "@/model/json_text.ts";
import type { Manifest } from "@/edge/pages/manifest.ts";
import type { PageState } from "@/edge/pages/page.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};
/** Text as it may stand in an element and in a quoted attribute. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);

interface DocumentParts {
  title: string;
  manifest: Manifest;
  nonce: string;
  state: PageState;
  /** chunks that the client asks for, to be fetched beside it */
  preload: readonly string[];
  bodyClass: string;
  isReadFirst: boolean;
  /** HTML */
  body: string;
}

/**
 * The HTML around every page. No inline style: the policy forbids it. Put together by hand: React would read the whole
 * page once more.
 */
export function documentHtml(
  { title, manifest, nonce, state, preload, bodyClass, isReadFirst, body }: DocumentParts,
): string {
  const { client } = manifest.scripts[state.language], sign = `nonce="${escaped(nonce)}"`;
  const early = `<script async="" src="${escaped(manifest.early)}" ${sign}`;
  const scripts = isReadFirst
    ? `${early} data-client="${escaped(client)}" data-modules="${escaped(preload.join(" "))}"></script>`
    : `${early}></script>` +
      preload.map((href) => `<link rel="modulepreload" href="${escaped(href)}"/>`).join("") +
      `<script type="module" src="${escaped(client)}" ${sign}></script>`;
  return `<!doctype html><html lang="${state.language}"><head><meta charset="utf-8"/>` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"/>` +
    // before the scripts: nothing is drawn without it
    `<link rel="stylesheet" href="${escaped(manifest.stylesheet)}"/>${scripts}` +
    `<title>${escaped(title)}</title>` +
    `<link rel="icon" type="image/png" sizes="32x32" href="${escaped(manifest.icon)}"/>` +
    `<script type="application/json" id="page-state">${jsonText(state)}</script></head>` +
    `<body class="${escaped(bodyClass)}"><div id="page" class="contents">${body}</div></body></html>`;
}
