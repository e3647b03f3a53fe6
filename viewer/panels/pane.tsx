import { useSignals } from "@preact/signals-react/runtime";
import { type RefObject, useEffect, useRef } from "react";
import { BUTTON, Icon } from "@/viewer/panels/controls.tsx";
import { listenToPointer, type Rest } from "@/viewer/input/pointer.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { tooltipText } from "@/viewer/session/value_text.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { isSingle, type Layout, type PaneName, type Place } from "@/viewer/layout.ts";
import type { Plane } from "@/viewer/scene.ts";

interface SlicePaneProps {
  plane: Plane;
  session: ViewerSession;
  language: Language;
  /** class names for the pane's position in the grid */
  place: string;
  /** HTML of the server-rendered picture; only on the server */
  picture?: string;
}

/** a constant object: with a new object, React would overwrite the server-rendered HTML */
const KEPT = { __html: "" };

/** Pane of one plane: slice image, mouse and keyboard input, and a tooltip at the pointer. */
export function SlicePane({ plane, session, language, place, picture }: SlicePaneProps) {
  useSignals();
  const host = useRef<HTMLDivElement>(null), tooltip = useRef<HTMLDivElement>(null);
  const isReady = session.isReady.value;
  useEffect(() => {
    const element = host.current!;
    if (!isReady || !session.renderer) return;
    const detach = session.renderer.attach(plane, element);
    let resting: Rest | null = null;
    const say = () =>
      showTooltip(
        tooltip,
        resting && tooltipText(session, resting.picked.ijk, language),
        resting?.x ?? 0,
        resting?.y ?? 0,
      );
    const stop = listenToPointer(element, plane, session, (now) => {
      resting = now;
      say();
    });
    // after a correction, the tooltip at a resting pointer may show another label
    const stopResults = session.resultChanges.subscribe(say);
    return () => {
      stop();
      stopResults();
      detach();
    };
  }, [isReady, language, plane, session]);
  const name = textIn(viewerText[plane], language);
  return (
    <div className={`relative min-h-0 min-w-0 ${place}`}>
      <div
        ref={host}
        data-plane={plane}
        data-testid={`${plane}-view`}
        tabIndex={0}
        role="application"
        aria-label={textIn(viewerText.paneHelp, language, { plane: name })}
        onFocus={() => session.activePane.value = plane}
        className="absolute inset-0 bg-black overflow-hidden touch-none cursor-crosshair"
      >
        <Tooltip element={tooltip} />
      </div>
      {session.pictured.value.has(plane) && (
        // keeps the server-rendered HTML, so that its images are not sent twice
        <div
          data-first-picture={plane}
          className="absolute inset-0 bg-black overflow-hidden pointer-events-none"
          suppressHydrationWarning
          dangerouslySetInnerHTML={picture === undefined ? KEPT : { __html: picture }}
        />
      )}
      <ZoomButton pane={plane} name={name} session={session} language={language} />
    </div>
  );
}

/** CSS class names of each grid, and of a pane's position in the grid. */
export const GRIDS: Record<Layout["grid"], string> = {
  single: "grid-cols-1 grid-rows-1",
  quarters: "grid-cols-2 grid-rows-2",
  column: "grid-cols-1 grid-rows-2",
  row: "grid-cols-3 grid-rows-1",
  stacked: "grid-cols-3 grid-rows-2",
  sideBySide: "grid-cols-2 grid-rows-3",
};
export const PLACES: Record<Place, string> = {
  full: "",
  cell: "",
  large: "col-span-2 row-span-2 col-start-1 row-start-1",
  small: "",
  hidden: "hidden",
};

const ENLARGE = "M9.5 2H14v4.5M14 2 9 7M6.5 14H2V9.5M2 14l5-5";
const RESTORE = "M13.5 6.5H9.5v-4M9.5 6.5l4.5-4.5M2.5 9.5h4v4M6.5 9.5 2 14";

interface ZoomButtonProps {
  pane: PaneName;
  name: string;
  session: ViewerSession;
  language: Language;
}

/**
 * Button that enlarges or reduces a pane; translucent until hovered.
 * Renders nothing in the WMH-only view, which has a single pane.
 */
export function ZoomButton({ pane, name, session, language }: ZoomButtonProps) {
  useSignals();
  if (isSingle(session.layout)) return null;
  const isFull = session.fullPane.value === pane;
  const text = textIn(isFull ? viewerText.restorePane : viewerText.zoomPane, language);
  return (
    <button
      type="button"
      aria-label={`${name}: ${text}`}
      title={`${text} (F)`}
      onClick={() => session.zoom(pane)}
      className={`${BUTTON} absolute z-10 right-1.5 top-1.5 w-7 h-7 border-transparent bg-gray-900 text-gray-300 opacity-60 hover:opacity-100 focus-visible:opacity-100`}
    >
      <Icon path={isFull ? RESTORE : ENLARGE} />
    </button>
  );
}

/** Element into which {@link showTooltip} writes. */
export const Tooltip = ({ element }: { element: RefObject<HTMLDivElement | null> }) => (
  <div
    ref={element}
    role="tooltip"
    hidden
    className="absolute z-20 px-2.5 py-1.5 rounded bg-gray-900 border border-gray-600 text-xs text-gray-100 shadow-lg pointer-events-none whitespace-pre"
  />
);

/** Shows the tooltip beside the pointer, within the pane; `null` hides the tooltip. */
export function showTooltip(
  tooltip: RefObject<HTMLDivElement | null>,
  words: string[] | null,
  x: number,
  y: number,
): void {
  const element = tooltip.current, pane = element?.parentElement;
  if (!element || !pane) return;
  element.hidden = words === null;
  if (words === null) return;
  const [name, ...rest] = words;
  element.textContent = rest.length > 0 ? `${name}\n${rest.join(" · ")}` : name!;
  element.style.left = `${
    Math.max(4, Math.min(x + 14, pane.clientWidth - element.offsetWidth - 4))
  }px`;
  element.style.top = `${
    Math.max(4, Math.min(y + 14, pane.clientHeight - element.offsetHeight - 4))
  }px`;
}
