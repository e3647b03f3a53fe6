import type { ComponentType, ReactNode } from "react";
import { useContext } from "react";
import { renderToString } from "react-dom/server";
import { jsonForScript } from "@/server/wire/json_text.ts";
import { PageRenderContext } from "@/server/edge/pages/page.ts";

interface IslandProps<P> {
  /** name of the file in `islands/`, without extension */
  name: string;
  of: ComponentType<P>;
  /** props; must be serialisable as JSON */
  props: P;
  /** additional props for server rendering, not sent to the browser */
  serverProps?: Partial<P>;
  /** when the browser hydrates the island: at once, when idle, or when scrolled into view */
  when?: "load" | "idle" | "visible";
  /**
   * `false`: rendered only in the browser (canvas, GPU); the server renders `children` in its place
   */
  ssr?: boolean;
  /** class names of the wrapper element */
  className?: string;
  children?: ReactNode;
}

/**
 * An interactive React root in a server-rendered page. Each island is rendered as a separate root,
 * as in the browser's hydration, so that ids from `useId` agree.
 */
export function Island<P extends object>(
  {
    name,
    of: Component,
    props,
    serverProps,
    when = "load",
    ssr = true,
    className = "contents",
    children,
  }: IslandProps<P>,
) {
  const page = useContext(PageRenderContext);
  if (page === null) throw new TypeError("Island is used outside of a page");
  page.islands.add(name);
  const { frame: Frame, queryClient, language, timeZone, user } = page;
  const marker = {
    "data-island": name,
    "data-when": when,
    "data-ssr": ssr ? "" : undefined,
    className,
  };
  const render = () =>
    renderToString(
      <Frame
        queryClient={queryClient}
        language={language}
        timeZone={timeZone}
        user={user}
      >
        <Component {...props} {...serverProps} />
      </Frame>,
      { identifierPrefix: `${name}-` },
    );
  const html = ssr && render();
  return (
    <>
      {html === false
        ? <div {...marker}>{children}</div>
        : <div {...marker} dangerouslySetInnerHTML={{ __html: html }} />}
      <script type="application/json" dangerouslySetInnerHTML={{ __html: jsonForScript(props) }} />
    </>
  );
}
