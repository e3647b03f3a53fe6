import { effect } from "@preact/signals-react";
import { useEffect, useRef } from "react";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { placeText } from "@/viewer/session/value_text.ts";
import { ANY_CONTRAST_CITATION } from "@/model/norms/any_contrast_error.ts";
import { NORMS_CITATION } from "@/model/norms/norms_source.ts";
import { type Language, textIn } from "@/model/text.ts";
import { normsName } from "@/model/text/settings/norms.ts";
import { rankText } from "@/model/text/ranks.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import type { ViewerPatient } from "@/model/viewer/viewer_patient.ts";
import { directedMm } from "@/viewer/slices/marks/annotate.ts";

/** Delay before the live region is updated: screen readers do not announce each step of a drag. */
const SPEAK_MS = 600;

/** Value at the crosshair: displayed immediately, and announced to screen readers after a pause. */
export function StatusBar({ session, language }: { session: ViewerSession; language: Language }) {
  const visible = useRef<HTMLParagraphElement>(null), spoken = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    let pause: ReturnType<typeof setTimeout> | undefined, frame = 0;
    const missing = () => {
      if (!session.isReady.peek() || session.isThere(session.voxelAtCrosshair)) return [];
      return [textIn(viewerText.sliceMissing, language)];
    };
    const write = () => {
      frame = 0;
      // slices that have not arrived are reported as unknown, not as background
      const isLoaded = session.loading.peek().kind === "loaded";
      const place = isLoaded ? placeText(session, session.voxelAtCrosshair, language) : missing();
      const position = `${directedMm(session.scene.crosshairMm)}\u00a0mm`;
      const words = [...place, position];
      if (visible.current) {
        // the position comes first, because a narrow window cuts the end of the line
        visible.current.textContent = [position, ...place].join("   ·   ");
        visible.current.title = words.join(", ");
      }
      clearTimeout(pause);
      if (!isLoaded) return;
      pause = setTimeout(() => {
        if (spoken.current) spoken.current.textContent = words.join(", ");
      }, SPEAK_MS);
    };
    const stop = effect(() => {
      void session.moves.value;
      void session.basis.value;
      // a correction may change the label at the same position
      void session.resultChanges.value;
      void session.type.value;
      void session.loading.value;
      if (session.isReady.value && frame === 0) frame = requestAnimationFrame(write);
    });
    return () => {
      stop();
      clearTimeout(pause);
      cancelAnimationFrame(frame);
    };
  }, [session, language]);
  return (
    <footer className="flex items-center gap-4 h-8 px-3 bg-gray-900 border-t border-gray-700 text-xs shrink-0">
      <p
        ref={visible}
        data-testid="crosshair-readout"
        className="text-gray-100 whitespace-pre truncate shrink-0 max-w-[75%]"
      />
      <p ref={spoken} aria-live="polite" className="sr-only" data-testid="live-region" />
      <div className="flex-1" />
      <MethodSource patient={session.patient} language={language} />
    </footer>
  );
}

/** Source of a study's percentiles: the norms with a T1w series, the network for a FLAIR alone. */
export function MethodSource(
  { patient, language }: { patient: ViewerPatient; language: Language },
) {
  const { t1_result, flair_structures, local_norms, method_error_heads: heads } = patient;
  const words: string[] = [textIn(viewerText.segmentation, language)], sources: string[] = [];
  const error = t1_result && heads ? textIn(rankText.source, language, { heads }) : "";
  if (t1_result) {
    words.push(textIn(viewerText.norms, language, { name: normsName(local_norms, language) }));
    sources.push(NORMS_CITATION, error);
  } else if (flair_structures) {
    words.push(textIn(viewerText.anyContrast, language));
    sources.push(ANY_CONTRAST_CITATION);
  }
  return (
    <p
      className="min-w-0 text-[11px] leading-tight text-gray-400 text-right"
      title={sources.join("\n").trim()}
    >
      <span className="line-clamp-2 2xl:line-clamp-1">{words.join(" · ")}</span>
      {error && <span className="hidden 2xl:block truncate">{error}</span>}
    </p>
  );
}
