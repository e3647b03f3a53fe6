import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useState } from "react";
import { LesionPanel, type ListedLesion, stepLesion } from "@/components/viewer/LesionPanel.tsx";
import { RegionPanel, ThicknessPanel } from "@/components/viewer/RegionPanel.tsx";
import { contralateral } from "@/components/viewer/region_tree.ts";
import type { ViewerSession } from "@/islands/viewer_session.ts";
import type { Aggregate } from "@/model/schema/patients.ts";
import type { Language } from "@/model/text.ts";
import { DEEP, jet, LESION_COLOURS, PERIVENTRICULAR } from "@/viewer/colours.ts";
import { findLesions } from "@/viewer/lesions.ts";
import { THICKNESS_MAX_MM } from "@/viewer/visibility.ts";

interface SidePanelProps {
  session: ViewerSession;
  language: Language;
}

const css = (rgb: readonly number[]): string => `rgb(${rgb.join(",")})`;
const LESION_CSS = { deep: css(LESION_COLOURS[DEEP]), peri: css(LESION_COLOURS[PERIVENTRICULAR]) };
const colourOfMm = (mm: number): string => css(jet(Math.min(mm / THICKNESS_MAX_MM, 1)));
const NO_AGGREGATES: readonly Aggregate[] = [];

/** What stands beside the panes; a chunk of its own, so that the images do not wait for it. */
export default function SidePanel({ session, language }: SidePanelProps) {
  useSignals();
  const { patient } = session, type = session.type.value;
  useKeys(session, "h", () => {
    const other = type === "wmh" ? 0 : contralateral(session.selected.peek());
    if (other > 0) session.goTo(other);
    return other > 0;
  });
  const shared = {
    priority: session.priority.value,
    aggregates: patient.aggregates ?? NO_AGGREGATES,
    normReason: patient.norm_reason,
    controls: session,
    language,
  };
  if (type === "wmh") return <Lesions session={session} language={language} />;
  return type === "parcellation"
    ? <RegionPanel results={patient.t1_result ?? NONE} {...shared} />
    : <ThicknessPanel results={patient.t1_thick_result ?? NONE} colourOfMm={colourOfMm} {...shared} />;
}

const NONE: readonly never[] = [];

/** Acts on plain letters outside of fields; `act` says whether the key was used. */
function useKeys(session: ViewerSession, letters: string, act: (letter: string) => boolean): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || session.isHelpOpen.peek()) {
        return;
      }
      const target = event.target as Element | null, letter = event.key.toLowerCase();
      if (letter.length !== 1 || !letters.includes(letter)) return;
      if (target?.closest?.("input:not([type=range]), select, textarea, [contenteditable], [popover]")) {
        return;
      }
      if (act(letter)) event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
}

function Lesions({ session, language }: SidePanelProps) {
  useSignals();
  const [lesions, setLesions] = useState<readonly ListedLesion[] | null>(null);
  const [current, setCurrent] = useState(-1);
  const isLoaded = session.loading.value.kind === "loaded", { composer } = session;
  useEffect(() => {
    if (!isLoaded || !composer?.has("lesions")) return;
    const abort = new AbortController();
    findLesions(() => composer.volume("lesions"), session.grid, abort.signal).then(setLesions, (error) => {
      if (!abort.signal.aborted) throw error;
    });
    return () => abort.abort();
  }, [session, isLoaded, composer]);
  const go = (index: number) => {
    const lesion = lesions?.[index];
    if (!lesion) return;
    setCurrent(index);
    session.goToMm(lesion.centreRasMm);
  };
  useKeys(session, "np", (letter) => {
    go(stepLesion(current, letter === "n" ? 1 : -1, lesions?.length ?? 0));
    return true;
  });
  return (
    <LesionPanel
      figures={session.patient}
      lesions={lesions}
      current={current}
      onGo={go}
      colours={LESION_CSS}
      language={language}
    />
  );
}
