import { Suspense } from "react";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { useSignals } from "@preact/signals-react/runtime";
import { RegionPanel, ThicknessPanel } from "@/viewer/panels/RegionPanel.tsx";
import { ConclusionNote } from "@/viewer/panels/conclusion.tsx";
import { contralateral } from "@/viewer/panels/region_tree.ts";
import { useLetterKeys } from "@/viewer/input/letter_keys.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import type { Aggregate } from "@/model/schema/studies/patients.ts";
import type { SignedText } from "@/model/schema/report/report_text.ts";
import type { Language } from "@/model/text.ts";
import { jet } from "@/viewer/colours.ts";
import { THICKNESS_MAX_MM } from "@/viewer/visibility.ts";

/** Panel for measurements and corrections; its code is loaded when the panel is opened. */
const Reading = lazyPart(async () => ({
  default: (await import("@/viewer/panels/on_request.ts")).Reading,
}));
/** List of lesions; its code is loaded when the WMH tab is opened. */
const Lesions = lazyPart(async () => ({
  default: (await import("@/viewer/panels/on_request.ts")).Lesions,
}));

export interface SidePanelProps {
  session: ViewerSession;
  language: Language;
  /** signed text of a physician; absent if the server does not support signed texts */
  signed?: SignedText | null;
}

const colourOfMm = (mm: number): string =>
  `rgb(${jet(Math.min(mm / THICKNESS_MAX_MM, 1)).join(",")})`;
const NO_AGGREGATES: readonly Aggregate[] = [];

/** Side panel next to the panes; a separate chunk of code, so that the images load first. */
export default function SidePanel({ session, language, signed }: SidePanelProps) {
  useSignals();
  const isReading = session.isReadingOpen.value;
  return (
    <>
      {isReading && (
        <Suspense fallback={null}>
          <Reading session={session} language={language} />
        </Suspense>
      )}
      {/* only hidden, so that its keyboard shortcuts still work */}
      <div className={isReading ? "hidden" : "flex flex-col h-full min-h-0"}>
        {signed !== undefined && (
          <ConclusionNote
            pid={session.pid}
            opened={signed}
            isAnonymous={session.patient.patient_id === ""}
            language={language}
          />
        )}
        <div className="flex-1 min-h-0">
          <Lists session={session} language={language} />
        </div>
      </div>
    </>
  );
}

function Lists({ session, language }: SidePanelProps) {
  useSignals();
  void session.resultChanges.value;
  const { patient } = session, type = session.type.value;
  useLetterKeys(session, "h", () => {
    const opposite = type === "wmh" ? 0 : contralateral(session.selected.peek());
    if (opposite > 0) session.goTo(opposite);
    return opposite > 0;
  });
  const shared = {
    priority: session.priority.value,
    aggregates: patient.aggregates ?? NO_AGGREGATES,
    icvMl: patient.icv,
    normReason: patient.norm_reason,
    qualityNote: patient.quality_notes.t1,
    provisionalNote: patient.quality_notes.provisional,
    controls: session,
    language,
  };
  if (type === "wmh") return <Lesions session={session} language={language} />;
  return type === "parcellation"
    ? <RegionPanel results={patient.t1_result ?? NONE} {...shared} />
    : (
      <ThicknessPanel
        results={patient.t1_thick_result ?? NONE}
        colourOfMm={colourOfMm}
        {...shared}
      />
    );
}

const NONE: readonly never[] = [];
