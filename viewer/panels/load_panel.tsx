import { useSignals } from "@preact/signals-react/runtime";
import { useEffect } from "react";
import { presentToast } from "@/client/notices/present_error.ts";
import type { LoadState, ViewerSession } from "@/viewer/session/session.ts";
import { isRetryable } from "@/model/errors.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";

/** Advice to the user for each error code of a failed load. */
export function adviceOf(code: string, isMemoryShort: boolean, language: Language): string {
  const text = isMemoryShort
    ? viewerText.loadFailedMemory
    : isRetryable(code)
    ? viewerText.loadFailedOffline
    : code === "engine.unsupported_input"
    ? viewerText.loadFailedDamaged
    : code.startsWith("token.")
    ? viewerText.loadFailedSession
    : code === "entity.not_found"
    ? viewerText.loadFailedNewer
    : code === "study.deleted"
    ? viewerText.loadFailedDeleted
    : code === "study.not_analyzed"
    ? viewerText.notAnalyzed
    : viewerText.loadFailedOther;
  return textIn(text, language, { code });
}

/** Whether the page's image addresses are outdated, because a new analysis changed the content. */
const isNewer = (state: LoadState): boolean =>
  state.kind === "failed" && state.code === "entity.not_found";

/** Repeats a failed load; reloads the page if the page's image addresses are outdated. */
export function retryLoad(session: ViewerSession): void {
  if (isNewer(session.loading.peek())) location.reload();
  else void session.load();
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
const PANEL =
  "absolute z-30 left-1/2 -translate-x-1/2 max-w-[calc(100%-16px)] rounded-lg bg-gray-900 border border-gray-600 shadow-xl";

/** Progress of loading the tab's volumes, above the panes; after an error, advice instead. */
export function LoadPanel({ session, language }: { session: ViewerSession; language: Language }) {
  useSignals();
  const state = session.loading.value;
  useEffect(() => {
    if (state.kind === "failed") presentToast("viewer.failed");
  }, [state.kind]);
  if (state.kind === "loaded") return null;
  if (state.kind === "loading") {
    const { receivedBytes, totalBytes } = state, received = megabytes(receivedBytes);
    const words = totalBytes === null
      ? textIn(viewerText.loadedSoFar, language, { received })
      : textIn(viewerText.loadedBytes, language, { received, total: megabytes(totalBytes) });
    const name = textIn(viewerText.loading, language);
    return (
      <div key="progress" className={`${PANEL} bottom-6 px-4 py-3 w-80`} role="status">
        <p className="flex justify-between text-sm text-gray-100 mb-2">
          <span>{name}…</span>
          <span className="tabular-nums text-gray-300" data-testid="loaded-bytes">
            {receivedBytes > 0 && words}
          </span>
        </p>
        <progress
          className="progress viewer-progress"
          {...(totalBytes === null ? {} : { max: totalBytes, value: receivedBytes })}
          aria-label={name}
        />
      </div>
    );
  }
  return (
    // a separate box from the progress box, which would otherwise seem to move
    <div key="failure" className={`${PANEL} top-1/2 -translate-y-1/2 p-5 w-96`} role="alert">
      <p className="text-base font-semibold text-white">
        {textIn(viewerText.loadFailed, language)}
      </p>
      <p className="text-sm text-gray-300 mt-2 mb-4">
        {adviceOf(state.code, state.isMemoryShort, language)}
      </p>
      <div className="flex justify-end gap-2">
        <a
          href="/"
          className="px-3 py-1.5 rounded border border-gray-600 text-sm text-gray-100 hover:bg-gray-800"
        >
          {textIn(viewerText.goHome, language)}
        </a>
        <button
          type="button"
          // focuses the retry button, because retrying with Enter is the only possible action
          autoFocus
          onClick={() => retryLoad(session)}
          className="px-3 py-1.5 rounded bg-cyan-800 text-sm text-white hover:bg-cyan-700 outline-none focus-visible:ring-2 ring-cyan-400"
        >
          {textIn(isNewer(state) ? viewerText.reload : viewerText.retry, language)}
        </button>
      </div>
    </div>
  );
}
