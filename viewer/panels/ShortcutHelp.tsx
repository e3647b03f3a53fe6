import { useEffect, useRef } from "react";
import { type Language, textIn } from "@/model/text.ts";
import { viewerHelpText } from "@/model/text/viewer/viewer_help.ts";

const KEYS = [
  ["keyWheel", "keyWheelText"],
  ["keyDrag", "keyDragText"],
  ["keyPan", "keyPanText"],
  ["keyZoom", "keyZoomText"],
  ["keyWindow", "keyWindowText"],
  ["keyFill", "keyFillText"],
  ["keyTabs", "keyTabsText"],
  ["keyOverlay", "keyOverlayText"],
  ["keyOpacity", "keyOpacityText"],
  ["keyPanel", "keyPanelText"],
  ["keyCrosshair", "keyCrosshairText"],
  ["keyTools", "keyToolsText"],
  ["keyRemove", "keyRemoveText"],
  ["keyMosaic", "keyMosaicText"],
  ["keyReading", "keyReadingText"],
  ["keyCompare", "keyCompareText"],
  ["keyUndo", "keyUndoText"],
  ["keyPicture", "keyPictureText"],
  ["keyTouch", "keyTouchText"],
  ["keyJump", "keyJumpText"],
  ["keyChanges", "keyChangesText"],
  ["keySurface", "keySurfaceText"],
  ["keySurfaceMouse", "keySurfaceMouseText"],
  ["keyReset", "keyResetText"],
  ["keyHelp", "keyHelpText"],
] as const;

interface PresenterFacts {
  kind: "canvas" | "regl";
  reason:
    | "forced"
    | "no WebGL"
    | "software WebGL"
    | "faster in a trial"
    | "failed to start"
    | "context lost";
  /** name of the GPU, from the graphics driver; empty without WebGL */
  renderer: string;
}

interface ShortcutHelpProps {
  language: Language;
  /** Presenter (Canvas2D or WebGL) that draws the panes now, shown for support. */
  presenter: PresenterFacts | null;
  /** Switches the presenter; `null`: automatic selection. */
  onPresenter: (kind: PresenterFacts["kind"] | null) => void;
  onClose: () => void;
}

/** Keyboard and mouse controls of the viewer. */
export function ShortcutHelp({ language, presenter, onPresenter, onClose }: ShortcutHelpProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);
  const t = (key: keyof typeof viewerHelpText, values?: Record<string, string>) =>
    textIn(viewerHelpText[key], language, values);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="viewer-help-title"
      onClose={onClose}
      onCancel={onClose}
      className="m-auto p-6 rounded-lg bg-gray-900 text-gray-100 border border-gray-600 shadow-xl w-[44rem] max-w-full"
    >
      <h2 id="viewer-help-title" className="text-lg font-semibold mb-2">{t("help")}</h2>
      <table className="w-full text-sm">
        <tbody>
          {KEYS.map(([key, text]) => (
            <tr key={key} className="border-b border-gray-800">
              <th
                scope="row"
                className="py-1 pr-4 text-left font-medium text-cyan-300 whitespace-nowrap"
              >
                {t(key)}
              </th>
              <td className="py-1 text-gray-200">{t(text)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="flex items-center justify-between mt-4">
        {presenter && (
          <label
            className="flex items-center gap-2 text-sm text-gray-200"
            title={presenter.renderer}
          >
            {t("presenter")}
            <select
              value={presenter.reason === "forced" ? presenter.kind : ""}
              onChange={(event) => {
                const { value } = event.currentTarget;
                onPresenter(value === "canvas" || value === "regl" ? value : null);
              }}
              className="h-8 bg-gray-800 border border-gray-600 rounded px-2 text-sm"
            >
              <option value="">
                {presenter.reason === "forced"
                  ? t("automatic")
                  : t("automaticKind", { kind: t(presenter.kind) })}
              </option>
              <option value="canvas">{t("canvas")}</option>
              <option value="regl">{t("regl")}</option>
            </select>
            {presenter.reason !== "forced" && (
              <span className="text-xs text-gray-400">{t(presenter.reason)}</span>
            )}
          </label>
        )}
        <button
          type="button"
          onClick={onClose}
          className="px-3 py-1.5 rounded bg-gray-700 text-sm text-white hover:bg-gray-600"
        >
          {t("close")}
        </button>
      </div>
    </dialog>
  );
}
