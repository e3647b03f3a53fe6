import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useState } from "react";
import { LesionPanel, type ListedLesion, stepLesion } from "@/viewer/panels/LesionPanel.tsx";
import { useLetterKeys } from "@/viewer/input/letter_keys.ts";
import type { SidePanelProps } from "@/viewer/panels/side_panel.tsx";
import { DEEP, LESION_COLOURS, PERIVENTRICULAR } from "@/viewer/colours.ts";
import { StructureTable } from "@/viewer/panels/StructureTable.tsx";
import { LesionChanges } from "@/viewer/panels/lesion_changes.tsx";
import { findLesions, fullestPointOf, listedLesions, measuredLesions } from "@/viewer/lesions.ts";

const css = (rgb: readonly number[]): string => `rgb(${rgb.join(",")})`;
const COLOURS = { deep: css(LESION_COLOURS[DEEP]), peri: css(LESION_COLOURS[PERIVENTRICULAR]) };

/** Side panel with the list of white matter hyperintensities; the keys N and P move in the list. */
export default function Lesions({ session, language }: SidePanelProps) {
  useSignals();
  const [lesions, setLesions] = useState<readonly ListedLesion[] | null>(null);
  const [current, setCurrent] = useState(-1);
  const isLoaded = session.loading.value.kind === "loaded", { composer } = session;
  const changes = session.resultChanges.value;
  const { flair_structures: structures, t2w_region_mask_file: labelMap } = session.patient;
  useEffect(() => {
    if (!isLoaded || !composer?.has("lesions")) return;
    const counted = session.patient.wmh_detail?.lesions;
    if (counted) return setLesions(listedLesions(counted));
    const abort = new AbortController();
    findLesions(() => composer.volume("lesions"), session.grid, abort.signal).then(
      (found) => setLesions(measuredLesions(found, session.patient)),
      (error) => {
        if (!abort.signal.aborted) throw error;
      },
    );
    return () => abort.abort();
  }, [session, isLoaded, composer, changes]);
  const go = (index: number) => {
    const lesion = lesions?.[index];
    if (!lesion) return;
    setCurrent(index);
    session.showLesions();
    session.goToMm(
      composer?.has("lesions")
        ? fullestPointOf(composer.volume("lesions"), session.grid, lesion.centreRasMm)
        : lesion.centreRasMm,
    );
  };
  useLetterKeys(session, "np", (letter) => {
    go(stepLesion(current, letter === "n" ? 1 : -1, lesions?.length ?? 0));
    return true;
  });
  return (
    <div className="flex flex-col min-h-0 h-full">
      <div className="flex-1 min-h-0">
        <LesionPanel
          figures={session.patient}
          lesions={lesions}
          current={current}
          onGo={go}
          colours={COLOURS}
          language={language}
        >
          {structures && (
            <StructureTable
              structures={structures}
              outline={labelMap
                ? {
                  isAsked: session.areStructuresAsked,
                  state: session.structureOutline,
                  isReady: session.isReady.value,
                }
                : null}
              language={language}
            />
          )}
        </LesionPanel>
      </div>
      {!session.patient.blinded && <LesionChanges session={session} language={language} />}
    </div>
  );
}
