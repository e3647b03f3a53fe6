import { useSignals } from "@preact/signals-react/runtime";
import { effect } from "@preact/signals-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { VolumeFiles } from "@/client/kernels/client.ts";
import { chooseLanguage, useLanguage } from "@/client/language.ts";
import { onServerEvent } from "@/client/live_updates.ts";
import { informInModal } from "@/client/present_error.ts";
import { useUser } from "@/client/user.ts";
import { RegionPanel } from "@/components/viewer/RegionPanel.tsx";
import { regionPhrases } from "@/components/viewer/region_facts.ts";
import { ShortcutHelp } from "@/components/viewer/ShortcutHelp.tsx";
import { ViewerHeader, type ViewerPatient } from "@/components/viewer/ViewerHeader.tsx";
import { ViewerToolbar } from "@/components/viewer/ViewerToolbar.tsx";
import { listenToKeys } from "@/islands/viewer_keys.ts";
import { listenToPointer } from "@/islands/viewer_pointer.ts";
import { type LoadState, ViewerSession } from "@/islands/viewer_session.ts";
import { NORMS_CITATION, NORMS_NAME } from "@/model/norms_source.ts";
import type { NormReason, RegionData, ViewerVolume } from "@/model/schema/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer.ts";
import { directedMm } from "@/viewer/annotate.ts";
import { type Plane, PLANES } from "@/viewer/scene.ts";

/** What the page knows of one analysed study. */
export interface SliceViewerProps {
  patient: ViewerPatient & { t1_result: RegionData[]; norm_reason: NormReason | null };
  volume: ViewerVolume;
  files: VolumeFiles;
}

/** Quiet time before the live region speaks, so that a drag is not read out step by step. */
const SPEAK_MS = 600;

/** The slice viewer of one patient: three linked planes and the list of regions. */
export default function SliceViewer({ patient, volume, files }: SliceViewerProps) {
  const language = useLanguage();
  const [session] = useState(() =>
    new ViewerSession(patient.pid, files, volume, (plane) => textIn(viewerText[plane], language))
  );
  const root = useRef<HTMLDivElement>(null);
  useStudyEvents(patient.pid, language);
  useEffect(() => {
    session.load();
    const stopKeys = listenToKeys(root.current!, session);
    // Benchmarks and end-to-end tests ask for the state that is drawn by `?testing`; nobody else gets it.
    if (new URLSearchParams(location.search).has("testing")) {
      Object.assign(globalThis, { sliceViewer: session });
    }
    return () => {
      stopKeys();
      session.close();
    };
  }, [session]);
  return (
    <div
      ref={root}
      data-testid="slice-viewer"
      className="flex flex-col h-screen min-h-[720px] min-w-[1024px] bg-black text-gray-200 overflow-hidden select-none"
    >
      <ViewerHeader patient={patient} language={language} onLanguage={chooseLanguage} />
      <Workspace session={session} patient={patient} language={language} />
      <StatusBar session={session} patient={patient} language={language} />
      <Help session={session} language={language} />
    </div>
  );
}

/** A study that another user deletes or changes is not read on: a modal leads home with a full load (D2 §2). */
function useStudyEvents(pid: number, language: Language): void {
  const user = useUser();
  useEffect(() =>
    onServerEvent((event) => {
      if (event.event !== "study_delete" && event.event !== "study_update") return;
      if (event.pid !== pid || event.uid === user?.user_id) return;
      const text = event.event === "study_delete" ? viewerText.studyDeleted : viewerText.studyUpdated;
      informInModal(textIn(viewerText.title, language), textIn(text, language), () => location.assign("/"));
    }), [pid, language, user]);
}

interface PartProps {
  session: ViewerSession;
  patient: SliceViewerProps["patient"];
  language: Language;
}

function Workspace({ session, patient, language }: PartProps) {
  useSignals();
  const full = session.fullPane.value, state = session.loading.value;
  return (
    <main className="relative flex flex-col flex-1 min-h-0">
      <ViewerToolbar tools={session} language={language} isReady={state.kind === "loaded"} />
      <div className="flex-1 min-h-0 grid grid-cols-2 grid-rows-2 gap-px bg-gray-700">
        {PLANES.map((plane) => (
          <SlicePane
            key={plane}
            plane={plane}
            session={session}
            patient={patient}
            language={language}
            place={full === null ? "" : full === plane ? "col-span-2 row-span-2" : "hidden"}
            isReady={state.kind === "loaded"}
          />
        ))}
        <div className={`min-h-0 min-w-0 ${full === null ? "" : "hidden"}`}>
          <RegionPanel
            results={patient.t1_result}
            normReason={patient.norm_reason}
            controls={session}
            language={language}
          />
        </div>
      </div>
      {state.kind !== "loaded" && <LoadPanel state={state} session={session} language={language} />}
    </main>
  );
}

interface SlicePaneProps extends PartProps {
  plane: Plane;
  place: string;
  isReady: boolean;
}

function SlicePane({ plane, session, patient, language, place, isReady }: SlicePaneProps) {
  const host = useRef<HTMLDivElement>(null), tooltip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current!;
    if (!isReady || !session.renderer) return;
    const detach = session.renderer.attach(plane, element);
    const stop = listenToPointer(element, plane, session, (place) => {
      const words = place && session.isOverlayVisible.value && !session.hidden.value.has(place.label) &&
        place.label > 0 && phrases(session, patient, language, place.label);
      showTooltip(tooltip, words || null, place?.x ?? 0, place?.y ?? 0);
    });
    return () => {
      stop();
      detach();
    };
  }, [isReady, language, patient, plane, session]);
  const name = textIn(viewerText[plane], language);
  return (
    <div
      ref={host}
      data-plane={plane}
      data-testid={`${plane}-view`}
      tabIndex={0}
      role="application"
      aria-label={textIn(viewerText.paneHelp, language, { plane: name })}
      onFocus={() => session.activePane.value = plane}
      className={`relative min-h-0 min-w-0 bg-black overflow-hidden touch-none cursor-crosshair outline-none focus-visible:ring-2 focus-visible:ring-inset ring-cyan-400 ${place}`}
    >
      <div
        ref={tooltip}
        role="tooltip"
        hidden
        className="absolute z-20 px-2.5 py-1.5 rounded bg-gray-900 border border-gray-600 text-xs text-gray-100 shadow-lg pointer-events-none whitespace-pre"
      />
    </div>
  );
}

const phrases = (session: ViewerSession, patient: PartProps["patient"], language: Language, label: number) =>
  regionPhrases(label, patient.t1_result, session.basis.peek(), patient.norm_reason, language);

/** Beside the pointer, inside the pane. */
function showTooltip(
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
  element.textContent = `${name}\n${rest.join(" · ")}`;
  element.style.left = `${Math.max(4, Math.min(x + 14, pane.clientWidth - element.offsetWidth - 4))}px`;
  element.style.top = `${Math.max(4, Math.min(y + 14, pane.clientHeight - element.offsetHeight - 4))}px`;
}

/** What the crosshair points at: written at once for the eye, and after a pause for the screen reader. */
function StatusBar({ session, patient, language }: PartProps) {
  const shown = useRef<HTMLParagraphElement>(null), spoken = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    let pause: ReturnType<typeof setTimeout> | undefined, frame = 0;
    const write = () => {
      frame = 0;
      const words = [
        ...phrases(session, patient, language, session.labelAtCrosshair),
        `${directedMm(session.scene.crosshairMm)} mm`,
      ];
      if (shown.current) shown.current.textContent = words.join("   ·   ");
      clearTimeout(pause);
      pause = setTimeout(() => {
        if (spoken.current) spoken.current.textContent = words.join(", ");
      }, SPEAK_MS);
    };
    const stop = effect(() => {
      void session.moves.value;
      void session.basis.value;
      if (session.loading.value.kind === "loaded" && frame === 0) frame = requestAnimationFrame(write);
    });
    return () => {
      stop();
      clearTimeout(pause);
      cancelAnimationFrame(frame);
    };
  }, [session, patient, language]);
  return (
    <footer className="flex items-center gap-4 h-8 px-3 bg-gray-900 border-t border-gray-700 text-xs shrink-0">
      <p
        ref={shown}
        data-testid="crosshair-readout"
        className="text-gray-100 whitespace-pre truncate shrink-0 max-w-[75%]"
      />
      <p ref={spoken} aria-live="polite" className="sr-only" data-testid="live-region" />
      <div className="flex-1" />
      <p className="text-[11px] leading-tight text-gray-400 text-right" title={NORMS_CITATION}>
        {textIn(viewerText.norms, language, { name: NORMS_NAME })}
      </p>
    </footer>
  );
}

function Help({ session, language }: { session: ViewerSession; language: Language }) {
  useSignals();
  if (!session.isHelpOpen.value) return null;
  return (
    <ShortcutHelp
      language={language}
      presenter={session.presenter.value}
      onClose={() => session.isHelpOpen.value = false}
    />
  );
}

/** What to do about a failed load, by its code. */
function adviceOf(code: string, language: Language): string {
  const text = code === "network.offline" || code === "core.unreachable"
    ? viewerText.loadFailedOffline
    : code === "engine.unsupported_input"
    ? viewerText.loadFailedDamaged
    : code.startsWith("token.")
    ? viewerText.loadFailedSession
    : code === "study.not_analyzed"
    ? viewerText.notAnalyzed
    : viewerText.loadFailedOther;
  return textIn(text, language, { code });
}

function LoadPanel(
  { state, session, language }: {
    state: Exclude<LoadState, { kind: "loaded" }>;
    session: ViewerSession;
    language: Language;
  },
) {
  const panel = "absolute z-30 rounded-lg bg-gray-900 border border-gray-600 p-5 w-96 shadow-xl";
  const centre = "left-1/2 top-1/2 -translate-x-1/2 -translate-y-1/2";
  if (state.kind === "loading") {
    return (
      <div className={`${panel} ${centre}`} role="status">
        <p className="text-sm text-gray-100 mb-3">{textIn(viewerText.loading, language)}…</p>
        <progress
          className="w-full h-2 accent-cyan-500"
          max={1}
          value={state.fraction}
          aria-label={textIn(viewerText.loading, language)}
        />
      </div>
    );
  }
  return (
    <div className={`${panel} ${centre}`} role="alert">
      <p className="text-base font-semibold text-white">{textIn(viewerText.loadFailed, language)}</p>
      <p className="text-sm text-gray-300 mt-2 mb-4">{adviceOf(state.code, language)}</p>
      <div className="flex justify-end gap-2">
        <a
          href="/"
          className="px-3 py-1.5 rounded border border-gray-600 text-sm text-gray-100 hover:bg-gray-800"
        >
          {textIn(viewerText.goHome, language)}
        </a>
        <button
          type="button"
          onClick={() => session.load()}
          className="px-3 py-1.5 rounded bg-cyan-800 text-sm text-white hover:bg-cyan-700"
        >
          {textIn(viewerText.retry, language)}
        </button>
      </div>
    </div>
  );
}
