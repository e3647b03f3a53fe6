import type { ReactNode } from "react";
import type { Manifest } from "@/edge/manifest.ts";
import type { PageState } from "@/edge/page.ts";
import { scriptJson } from "@/edge/island.tsx";

interface DocumentProps {
  title: string;
  manifest: Manifest;
  nonce: string;
  state: PageState;
  /** chunks that the client asks for, to be fetched beside it */
  preload: string[];
  bodyClass: string;
  isReadFirst: boolean;
  children: ReactNode;
}

/** The HTML around every page. No inline style: the policy forbids it. */
export function Document(
  { title, manifest, nonce, state, preload, bodyClass, isReadFirst, children }: DocumentProps,
) {
  const { client } = manifest.scripts[state.language];
  return (
    <html lang={state.language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <link rel="icon" type="image/png" sizes="32x32" href={manifest.icon} />
        {/* with a precedence React writes it before the scripts: nothing is drawn without it */}
        <link rel="stylesheet" href={manifest.stylesheet} precedence="page" />
        {isReadFirst
          ? (
            <script
              async
              src={manifest.early}
              nonce={nonce}
              data-client={client}
              data-modules={preload.join(" ")}
            />
          )
          : (
            <>
              <script async src={manifest.early} nonce={nonce} />
              {preload.map((href) => <link key={href} rel="modulepreload" href={href} />)}
              <script type="module" src={client} nonce={nonce} />
            </>
          )}
        <script
          type="application/json"
          id="page-state"
          dangerouslySetInnerHTML={{ __html: scriptJson(state) }}
        />
      </head>
      <body className={bodyClass}>{children}</body>
    </html>
  );
}
