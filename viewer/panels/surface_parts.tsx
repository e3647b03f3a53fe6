import { adviceOf } from "@/viewer/panels/load_panel.tsx";
import type { ErrorCode } from "@/model/errors.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerSurfaceText } from "@/model/text/viewer/viewer_surface.ts";
import { type Preset, PRESETS } from "@/viewer/surface/camera.ts";

/**
 * State of the surface: loading, failed, drawn, or `stopped` because required images have failed.
 */
export type SurfaceState =
  | { kind: "loading"; receivedBytes: number }
  | { kind: "failed"; code: ErrorCode }
  | { kind: "stopped" }
  | { kind: "ready" };

const LETTERS: Record<Preset, string> = {
  anterior: "A",
  posterior: "P",
  left: "L",
  right: "R",
  superior: "S",
  inferior: "I",
};
const BUTTON =
  "w-6 h-6 rounded text-xs font-semibold text-gray-200 bg-gray-900 border border-gray-700 hover:bg-gray-700 outline-none focus-visible:ring-2 ring-cyan-400";

/** Buttons for the six standard views; `null` is the initial view. */
export function PresetButtons(
  { onLook, language }: { onLook: (preset: Preset | null) => void; language: Language },
) {
  const reset = textIn(viewerSurfaceText.reset, language);
  const nameOf = (preset: Preset) =>
    textIn(viewerSurfaceText.lookFrom, language, {
      side: textIn(viewerSurfaceText[preset], language),
    });
  return (
    <>
      <div
        role="group"
        aria-label={textIn(viewerSurfaceText.sides, language)}
        className="absolute z-10 left-2 bottom-2 flex gap-px opacity-80 hover:opacity-100 focus-within:opacity-100"
      >
        {PRESETS.map((preset, at) => (
          <button
            key={preset}
            type="button"
            aria-label={nameOf(preset)}
            title={`${nameOf(preset)} (${at + 1})`}
            onClick={() => onLook(preset)}
            className={BUTTON}
          >
            {LETTERS[preset]}
          </button>
        ))}
      </div>
      <button
        type="button"
        aria-label={reset}
        title={`${reset} (0)`}
        onClick={() => onLook(null)}
        className="absolute z-10 right-10 top-1.5 w-7 h-7 inline-flex items-center justify-center rounded bg-gray-900 text-gray-300 opacity-60 hover:opacity-100 focus-visible:opacity-100 outline-none focus-visible:ring-2 ring-cyan-400"
      >
        <svg viewBox="0 0 16 16" className="w-4 h-4" aria-hidden="true">
          <path
            d="M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.4"
          />
        </svg>
      </button>
    </>
  );
}

interface SurfaceStatusProps {
  state: Exclude<SurfaceState, { kind: "ready" }>;
  language: Language;
  onRetry: () => void;
}

/** Progress of the surface, or the error with advice. */
export function SurfaceStatus({ state, language, onRetry }: SurfaceStatusProps) {
  const PLACE =
    "absolute inset-0 flex flex-col items-center justify-center gap-2 px-6 text-sm text-center pointer-events-none";
  if (state.kind === "loading") {
    const received = (state.receivedBytes / 1e6).toFixed(1);
    return (
      <div className={`${PLACE} text-gray-300`} role="status">
        <p>{textIn(viewerSurfaceText.loading, language)}…</p>
        <p className="tabular-nums text-gray-400">
          {state.receivedBytes > 0 && textIn(viewerText.loadedSoFar, language, { received })}
        </p>
      </div>
    );
  }
  const retry = (
    <button
      type="button"
      onClick={onRetry}
      className="pointer-events-auto mt-1 px-3 py-1.5 rounded bg-cyan-800 text-white hover:bg-cyan-700 outline-none focus-visible:ring-2 ring-cyan-400"
    >
      {textIn(viewerText.retry, language)}
    </button>
  );
  if (state.kind === "stopped") {
    // the error of a volume is already shown above all panes
    return (
      <div className={PLACE}>
        <p className="text-gray-300">{textIn(viewerText.loadFailed, language)}</p>
        {retry}
      </div>
    );
  }
  if (state.code === "entity.not_found") {
    return <p className={`${PLACE} text-gray-400`}>{textIn(viewerText.surfaceNone, language)}</p>;
  }
  return (
    <div className={PLACE} role="alert">
      <p className="text-gray-100">{textIn(viewerSurfaceText.failed, language)}</p>
      <p className="text-gray-300">{adviceOf(state.code, false, language)}</p>
      {retry}
    </div>
  );
}
