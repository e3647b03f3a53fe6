// Comparison with another study or another series. Loaded on demand.
import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { useLetterKeys } from "@/viewer/input/letter_keys.ts";
import { CompareBar } from "@/viewer/panels/compare/CompareBar.tsx";
import { dateOf, nameOf } from "@/viewer/panels/compare/compared_images.ts";
import { ComparedPanes } from "@/viewer/panels/compare/ComparedPanes.tsx";
import { seriesOf } from "@/viewer/scene.ts";
import { CompareStore } from "@/viewer/session/compare/compare_store.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerCompareText as texts } from "@/model/text/viewer/viewer_compare.ts";

interface CompareProps {
  session: ViewerSession;
  language: Language;
}

/** Comparison with which the viewer starts: from the page's address or the hanging protocol. */
function wantedOf(session: ViewerSession): string | null {
  const requested = session.compareWith;
  session.compareWith = null;
  return requested;
}

export default function Compare({ session, language }: CompareProps) {
  useSignals();
  const [store] = useState(() =>
    new CompareStore(
      session,
      (source) =>
        source ? nameOf(source, language) : textIn(texts.thisStudyOf, language, {
          date: dateOf(session.patient.study_date),
          series: textIn(texts[seriesOf(session.type.peek())], language),
        }),
    )
  );
  const [room] = useState(() => document.querySelector<HTMLElement>("[data-panes-room]"));
  const [bar] = useState(() => document.querySelector<HTMLElement>("[data-compare-bar]"));
  useEffect(() => {
    void store.start(wantedOf(session));
    return () => store.close();
  }, [store]);
  useLetterKeys(session, "b", () => {
    if (session.compareLayout.peek() !== "flip") store.setLayout("flip");
    store.isFlipped.value = !store.isFlipped.peek();
    return true;
  });
  if (!room || !bar) return null;
  const part = { session, store, language };
  return (
    <>
      {createPortal(<CompareBar {...part} />, bar)}
      {createPortal(<ComparedPanes {...part} />, room)}
    </>
  );
}
