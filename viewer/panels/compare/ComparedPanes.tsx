import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useRef } from "react";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerCompareText as texts } from "@/model/text/viewer/viewer_compare.ts";
import { listenToPointer } from "@/viewer/input/pointer.ts";
import { layoutOf } from "@/viewer/layout.ts";
import {
  isSameContrast,
  keyOf,
  nameOf,
  otherPersonOf,
} from "@/viewer/panels/compare/compared_images.ts";
import { GRIDS, PLACES } from "@/viewer/panels/pane.tsx";
import { type Plane, PLANES } from "@/viewer/scene.ts";
import type { CompareStore } from "@/viewer/session/compare/compare_store.ts";
import { isMeasuring } from "@/viewer/session/tool_state.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";

export interface ComparePartProps {
  session: ViewerSession;
  store: CompareStore;
  language: Language;
}

const STATE_TEXT = { empty: "nothing", loading: "loading", failed: "failed" } as const;

/** Panes of the compared images; in the flip layout, invisible while the study itself is shown. */
export function ComparedPanes({ session, store, language }: ComparePartProps) {
  useSignals();
  const isFlip = session.compareLayout.value === "flip", state = store.state.value;
  const isHidden = isFlip && !store.isFlipped.value;
  const { grid, places } = layoutOf(session.layout), notes = notesOf(session, store, language);
  return (
    <div
      // in the flip layout, the 3D pane below the compared panes stays visible and usable
      className={`${
        isFlip ? "absolute inset-0 z-10 pointer-events-none" : "relative flex-1"
      } min-w-0 min-h-0 ${isHidden ? "invisible" : ""}`}
    >
      <div
        data-compared={state === "shown" ? keyOf(store.source.value) : undefined}
        className={`pane-grid absolute inset-0 grid gap-px ${isFlip ? "" : "bg-gray-700"} ${
          GRIDS[grid]
        }`}
      >
        {store.renderer.value && PLANES.map((plane) => (
          <OtherPane
            key={plane}
            plane={plane}
            session={session}
            store={store}
            language={language}
            place={PLACES[places[plane]]}
          />
        ))}
      </div>
      {state !== "shown" && (
        <p
          role="status"
          className="absolute inset-0 flex items-center justify-center p-4 text-sm text-gray-300 bg-black"
        >
          {[
            textIn(texts[STATE_TEXT[state]], language),
            ...state === "empty" ? otherPersonsNote(store, language) : [],
          ].join(" ")}
        </p>
      )}
      {state === "shown" && notes.length > 0 && (
        <p className="absolute left-2 bottom-12 px-2 py-1 rounded bg-gray-900 text-xs text-yellow-300">
          {notes.join(" ")}
        </p>
      )}
    </div>
  );
}

/** Note about the limits of the displayed comparison. */
function notesOf(session: ViewerSession, store: CompareStore, language: Language): string[] {
  const source = store.source.value;
  const isUnregistered = source?.kind === "study" && source.study.viewer_from_other === null;
  const isByCoordinates = source?.kind === "refused" ||
    source?.kind === "series" && !source.series.is_analysed;
  const tool = session.tools.value?.tool.value ?? "crosshair";
  const notes = [
    isUnregistered && texts.notAligned,
    isByCoordinates && texts.byCoordinates,
    isSameContrast(store) && store.isDifferenceShown.value && texts.differenceHint,
    (tool === "brush" || isMeasuring(tool)) && texts.ownOnly,
  ];
  return [
    ...source?.kind === "study" ? otherPersonsNote(store, language) : [],
    ...notes.flatMap((note) => note ? [textIn(note, language)] : []),
  ];
}

/** Maximum number of studies named in the note; the image selection lists all of them. */
const MOST_NAMED = 3;

/** Note about studies that are not compared because they may be of another person. */
function otherPersonsNote({ otherPersons }: CompareStore, language: Language): string[] {
  const visitNames = otherPersons.value.slice(0, MOST_NAMED).map((one) =>
    otherPersonOf(one, language)
  );
  if (visitNames.length === 0) return [];
  const more = otherPersons.value.length > MOST_NAMED ? ["…"] : [];
  return [`${textIn(texts.otherPersons, language)}: ${[...visitNames, ...more].join("; ")}.`];
}

interface PaneProps extends ComparePartProps {
  plane: Plane;
  place: string;
}

/**
 * A pane of the compared images, with the pointer position of the study's pane of the same plane.
 */
function OtherPane({ plane, session, store, language, place }: PaneProps) {
  useSignals();
  const host = useRef<HTMLDivElement>(null),
    renderer = store.renderer.peek(),
    source = store.source.value;
  useEffect(() => {
    const element = host.current!;
    if (!renderer) return;
    const detach = renderer.attach(plane, element);
    const stop = listenToPointer(element, plane, session, () => {}, renderer);
    return () => {
      stop();
      detach();
    };
  }, [renderer, plane, session]);
  return (
    <div className={`relative min-h-0 min-w-0 pointer-events-auto ${place}`}>
      <div
        ref={host}
        data-other-plane={plane}
        data-testid={`other-${plane}-view`}
        role="application"
        tabIndex={0}
        aria-label={textIn(texts.otherPane, language, {
          plane: textIn(viewerText[plane], language),
          images: source ? nameOf(source, language) : "",
        })}
        className="absolute inset-0 bg-black overflow-hidden touch-none cursor-crosshair"
      />
    </div>
  );
}
