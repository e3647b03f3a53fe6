import { useSignals } from "@preact/signals-react/runtime";
import { useEffect } from "react";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { Choice } from "@/viewer/panels/controls.tsx";
import { lesionVolumesText } from "@/viewer/panels/reading/corrected_volumes.ts";
import { SMALL } from "@/viewer/panels/reading/measure.tsx";
import { BRUSH_SIZES_MM } from "@/viewer/reading/brush.ts";
import { regionName, regionPhrases } from "@/viewer/session/region_facts.ts";
import type { Correction } from "@/viewer/session/reading/correction.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import type { ToolState } from "@/viewer/session/tool_state.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerReadingText as texts } from "@/model/text/viewer/viewer_reading.ts";

interface CorrectProps {
  session: ViewerSession;
  tools: ToolState;
  correction: Correction;
  language: Language;
  /** whether the user may edit the study */
  canEdit: boolean;
}

/** Panel with brush and eraser for regions and lesions, and the authors of corrections. */
export function CorrectSection({ session, tools, correction, language, canEdit }: CorrectProps) {
  useSignals();
  const timeZone = useTimeZone();
  const type = session.type.value, isLesion = type === "wmh", selected = session.selected.value;
  // updates the volumes in this panel after each stroke
  void session.resultChanges.value;
  const t = (key: keyof typeof texts, values?: Record<string, string | number>) =>
    textIn(texts[key], language, values);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        !(event.ctrlKey || event.metaKey) ||
        (event.target as Element | null)?.closest?.("input, select")
      ) {
        return;
      }
      const key = event.key.toLowerCase();
      if (key === "z" && !event.shiftKey) void correction.change("undo");
      else if (key === "y" || key === "z") void correction.change("redo");
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [correction]);
  if (!canEdit) return <p className="p-3 text-sm text-gray-300">{t("mayNotEdit")}</p>;
  if (type === "corticalThickness") {
    return <p className="p-3 text-sm text-gray-300">{t("thicknessTab")}</p>;
  }
  const series = isLesion ? "t2" : "t1", pending = correction.pending.value;
  const strokes = correction.strokes.value.filter((one) => one.series === series);
  const activeStrokes = strokes.filter(({ is_undone }) => !is_undone), last = activeStrokes.at(-1);
  const canPaint = isLesion || selected > 0, painted = correction.painted.value?.slices ?? [];
  const isBrush = tools.tool.value === "brush";
  const isErasing = correction.isErasing.value;
  return (
    <div className="flex flex-col gap-3 p-3 text-sm overflow-y-auto">
      {isLesion
        ? (
          <Choice
            name={t("paintsLesion")}
            value={String(correction.lesionKind.value)}
            options={[{ value: "2", text: t("deep") }, { value: "1", text: t("peri") }]}
            onChoose={(value) => correction.lesionKind.value = value === "1" ? 1 : 2}
          />
        )
        : (
          <p className={canPaint ? "text-gray-100" : "text-yellow-300"}>
            {canPaint ? `${t("paintsRegion")}: ${regionName(selected, language)}` : t("pickRegion")}
          </p>
        )}
      <div className="flex items-center gap-2">
        <Choice
          name={t("brush")}
          value={isBrush ? isErasing ? "erase" : "paint" : ""}
          isReady={canPaint}
          options={[{ value: "paint", text: t("paint") }, { value: "erase", text: t("erase") }]}
          onChoose={(value) => {
            const isSame = isBrush && isErasing === (value === "erase");
            correction.isErasing.value = value === "erase";
            tools.tool.value = isSame ? "crosshair" : "brush";
            if (!isSame) showMask(session);
          }}
        />
        <select
          aria-label={t("brushSize")}
          title={t("brushSize")}
          value={correction.sizeMm.value}
          className="h-8 bg-gray-800 border border-gray-500 rounded px-1.5 text-sm text-gray-100 outline-none focus-visible:ring-2 ring-cyan-400"
          onChange={(event) => correction.sizeMm.value = Number(event.currentTarget.value)}
        >
          {BRUSH_SIZES_MM.map((mm) => <option key={mm} value={mm}>{t("mm", { mm })}</option>)}
        </select>
      </div>
      <p className="text-xs text-gray-300">{t(isLesion ? "eraseLesionHint" : "eraseHint")}</p>
      <div className="flex flex-wrap gap-2">
        <button
          type="button"
          className={SMALL}
          title={t("fillHint")}
          disabled={!canPaint || painted.length < 2 || Math.abs(painted[0]! - painted[1]!) < 2}
          onClick={() => correction.fill()}
        >
          {t("fill")}
        </button>
        <button
          type="button"
          className={SMALL}
          disabled={activeStrokes.length === 0}
          onClick={() => void correction.change("undo")}
        >
          {t("undo")}
        </button>
        <button
          type="button"
          className={SMALL}
          disabled={strokes.at(-1)?.is_undone !== true}
          onClick={() => void correction.change("redo")}
        >
          {t("redo")}
        </button>
        <button
          type="button"
          className={SMALL}
          disabled={activeStrokes.length === 0 || pending > 0}
          onClick={() => void correction.change("restore")}
        >
          {t("restore")}
        </button>
      </div>
      <p role="status" className="text-xs text-gray-200" data-testid="correction-state">
        {pending > 0 ? t("saving") : activeStrokes.length > 0 ? t("saved") : t("notCorrected")}
      </p>
      {canPaint && (
        <p className="text-sm text-gray-100" data-testid="corrected-volumes">
          {isLesion ? lesionVolumesText(session.patient, language) : regionPhrases(
            selected,
            session.patient.t1_result ?? [],
            session.basis.value,
            session.thresholds,
            session.patient.norm_reason,
            language,
          ).join(" · ")}
        </p>
      )}
      {last && (
        <p className="text-xs text-gray-300">
          {textIn(texts.lastCorrected, language, {
            who: last.created_by || "–",
            when: minuteIn(timeZone, Date.parse(last.created_at)),
            n: activeStrokes.length,
          })}
        </p>
      )}
      {!isLesion && activeStrokes.length > 0 && (
        <p className="text-xs text-yellow-300">{t("thicknessNote")}</p>
      )}
    </div>
  );
}

/** Shows the mask without a threshold, so that painted voxels are visible. */
function showMask(session: ViewerSession): void {
  if (session.type.peek() === "wmh") {
    session.isDeepVisible.value = session.isPeriVisible.value = true;
    return;
  }
  session.overlays.parcellation.isVisible.value = true;
  session.isThresholdOn.value = false;
  session.setHidden([session.selected.peek()], false);
}
