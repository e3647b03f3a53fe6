// Comparison with another study or another series. Loaded on demand.
import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { listenToPointer } from "@/viewer/input/pointer.ts";
import { useLetterKeys } from "@/viewer/input/letter_keys.ts";
import { BUTTON, Choice, FIELD, OFF, ON } from "@/viewer/panels/controls.tsx";
import { GRIDS, PLACES } from "@/viewer/panels/pane.tsx";
import { layoutOf } from "@/viewer/layout.ts";
import {
  COMPARE_LAYOUTS,
  HANGING_RULES,
  type HangingRule,
} from "@/model/schema/reading/hanging.ts";
import { type Plane, PLANES, seriesOf } from "@/viewer/scene.ts";
import { CompareStore } from "@/viewer/session/compare/compare_store.ts";
import type { CompareSource } from "@/viewer/session/compare/source.ts";
import { isMeasuring } from "@/viewer/session/tool_state.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Language, textIn } from "@/model/text.ts";
import type { RefusedSeries } from "@/model/schema/reading/series.ts";
import { isUploadReason, wrongIn } from "@/model/text/worklist/upload.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerCompareText as texts } from "@/model/text/viewer/viewer_compare.ts";

interface CompareProps {
  session: ViewerSession;
  language: Language;
}

/** Text and value of an option. */
interface Option {
  key: string;
  text: string;
  source: CompareSource;
}

const dateOf = (date: string | null): string => date ?? "–";

/** Name of compared images in the list and in the panes. */
function nameOf(source: CompareSource, language: Language): string {
  const t = (key: keyof typeof texts, values?: Record<string, string>) =>
    textIn(texts[key], language, values);
  switch (source.kind) {
    case "study":
      return t("studyOf", { date: dateOf(source.study.study_date), series: t(source.series) });
    case "own":
      return t("thisStudy", { series: t(source.series) });
    case "oblique":
      return t(source.along);
    case "series": {
      const { description, kind, files, is_analysed } = source.series;
      return t(is_analysed ? "analysedSeries" : "storedSeries", {
        series: description || t(kind),
        files: String(files),
      });
    }
    case "refused": {
      const { description, files } = source.series;
      return t("viewedSeries", { series: description || "–", files: String(files) });
    }
  }
}

/** Reason why a series is not analysed, shown after its name. */
const reasonOf = ({ reason, details }: RefusedSeries, language: Language): string =>
  isUploadReason(reason) ? `: ${wrongIn(language, reason, details)}` : "";

function optionsOf(store: CompareStore, session: ViewerSession, language: Language): Option[] {
  const { t1w_file, t2w_file } = session.patient;
  void session.type.value;
  const sources: CompareSource[] = [
    ...store.studies.value.flatMap((study) =>
      study.series.map((series) => ({ kind: "study", study, series }) as const)
    ),
    ...(["t1", "t2"] as const)
      .filter((series) => series !== store.own && (series === "t1" ? t1w_file : t2w_file) !== null)
      .map((series) => ({ kind: "own", series }) as const),
    ...store.obliques.value.filter((along) => store.canCut(along))
      .map((along) => ({ kind: "oblique", along }) as const),
    ...store.series.value.map((series) => ({ kind: "series", series }) as const),
  ];
  return sources.map((source) => ({ key: keyOf(source), text: nameOf(source, language), source }));
}

/** Refused series of the study that can be viewed. */
const viewedOf = (store: CompareStore, language: Language): Option[] =>
  store.refused.value.flatMap((series, at) => {
    if (!series.volume) return [];
    const source = { kind: "refused", series, volume: series.volume, at } as const;
    return [{
      key: keyOf(source),
      text: nameOf(source, language) + reasonOf(series, language),
      source,
    }];
  });

/** Option that corresponds to a source. */
const keyOf = (source: CompareSource | null): string =>
  source === null
    ? ""
    : source.kind === "study"
    ? `s${source.study.pid}${source.series}`
    : source.kind === "own"
    ? `o${source.series}`
    : source.kind === "oblique"
    ? `c${source.along}`
    : source.kind === "refused"
    ? `v${source.at}`
    : `r${source.series.id}`;

/** Comparison requested by the address, otherwise by the hanging protocol. */
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
  const t = (key: keyof typeof texts, values?: Record<string, string>) =>
    textIn(texts[key], language, values);
  const layout = session.compareLayout.value,
    isFlip = layout === "flip",
    source = store.source.value;
  const { grid, places } = layoutOf(session.layout), options = optionsOf(store, session, language);
  const viewed = viewedOf(store, language), all = [...options, ...viewed];
  const unstored = store.refused.value.filter(({ volume }) => !volume);
  const state = store.state.value, renderer = store.renderer.value;
  const isAlike = (source?.kind === "study" || source?.kind === "own") &&
    source.series === store.own;
  const isAligned = source?.kind !== "study" || source.study.viewer_from_other !== null;
  const isByCoordinates = source?.kind === "refused" ||
    source?.kind === "series" && !source.series.is_analysed;
  const tool = session.tools.value?.tool.value ?? "crosshair",
    isDrawing = tool === "brush" || isMeasuring(tool);
  const notes = [
    !isAligned && t("notAligned"),
    isByCoordinates && t("byCoordinates"),
    isAlike && store.isDifferenceShown.value && t("differenceHint"),
    isDrawing && t("ownOnly"),
  ].filter(Boolean);
  if (!room || !bar) return null;
  const isHidden = isFlip && !store.isFlipped.value;
  return (
    <>
      {createPortal(
        <div
          data-testid="compare"
          className="flex items-center gap-2 px-3 h-10 bg-gray-900 border-b border-gray-700"
        >
          <select
            aria-label={t("what")}
            value={keyOf(source)}
            className={`${FIELD} w-[240px] xl:w-[300px]`}
            onChange={(event) => {
              const chosen = all.find(({ key }) => key === event.currentTarget.value);
              if (chosen) void store.show(chosen.source);
            }}
          >
            {source === null && <option value="">{t(all.length > 0 ? "choose" : "nothing")}
            </option>}
            {options.map(({ key, text }) => <option key={key} value={key}>{text}</option>)}
            {viewed.length > 0 && (
              <optgroup label={t("viewOnly")}>
                {viewed.map(({ key, text }) => <option key={key} value={key}>{text}</option>)}
              </optgroup>
            )}
            {unstored.length > 0 && (
              <optgroup label={t("notStored")}>
                {unstored.map((series, n) => (
                  <option key={n} disabled className="text-gray-300">
                    {t("storedSeries", {
                      series: series.description || "–",
                      files: String(series.files),
                    })}
                    {reasonOf(series, language)}
                  </option>
                ))}
              </optgroup>
            )}
          </select>
          <Choice
            name={t("layout")}
            value={layout ?? "1x2"}
            options={COMPARE_LAYOUTS.map((value) => ({
              value,
              text: value === "flip" ? t("flip") : value.replace("x", "×"),
              hint: t(value === "flip" ? "flipHint" : "layoutHint"),
            }))}
            onChoose={(value) => store.setLayout(value)}
          />
          {isFlip && (
            <button
              type="button"
              aria-pressed={!isHidden}
              title={t("flipHint")}
              className={`${BUTTON} px-2 ${isHidden ? OFF : ON}`}
              onClick={() => store.isFlipped.value = isHidden}
            >
              {t(isHidden ? "thisOne" : "otherOne")}
            </button>
          )}
          {isAlike && (
            <button
              type="button"
              aria-pressed={store.isDifferenceShown.value}
              className={`${BUTTON} px-2 ${store.isDifferenceShown.value ? ON : OFF}`}
              disabled={state !== "shown"}
              onClick={() => void store.setDifference(!store.isDifferenceShown.peek())}
            >
              {t("difference")}
            </button>
          )}
          {store.window.isTheirs.value && !isFlip && (
            <div className="flex items-center gap-2 text-xs text-gray-300 whitespace-nowrap">
              {t("windowOf")}
              <Choice
                name={t("windowOf")}
                value={store.window.isOther.value ? "otherOne" : "thisOne"}
                options={(["thisOne", "otherOne"] as const).map((value) => ({
                  value,
                  text: t(value),
                  hint: t("windowOfHint"),
                }))}
                onChoose={(value) => store.window.isOther.value = value === "otherOne"}
              />
            </div>
          )}
          <div className="flex-1" />
          <label className="flex items-center gap-2 text-xs text-gray-300 whitespace-nowrap">
            {t("opens")}
            <select
              value={session.hanging.value?.opens ?? "nothing"}
              title={t("opensHint")}
              className={FIELD}
              onChange={(event) => store.hang({ opens: event.currentTarget.value as HangingRule })}
            >
              {HANGING_RULES.map((rule) => (
                <option key={rule} value={rule}>{t(rule === "nothing" ? "alone" : rule)}</option>
              ))}
            </select>
          </label>
        </div>,
        bar,
      )}
      {createPortal(
        <div
          // flip layout: where this has no pane, the 3D pane below it remains visible and usable
          className={`${
            isFlip ? "absolute inset-0 z-10 pointer-events-none" : "relative flex-1"
          } min-w-0 min-h-0 ${isHidden ? "invisible" : ""}`}
        >
          <div
            data-compared={state === "shown" ? keyOf(source) : undefined}
            className={`pane-grid absolute inset-0 grid gap-px ${isFlip ? "" : "bg-gray-700"} ${
              GRIDS[grid]
            }`}
          >
            {renderer && PLANES.map((plane) => (
              <OtherPane
                key={plane}
                plane={plane}
                session={session}
                store={store}
                language={language}
                place={PLACES[places[plane]]}
              />
            ))}
          </div>
          {state !== "shown" && (
            <p
              role="status"
              className="absolute inset-0 flex items-center justify-center p-4 text-sm text-gray-300 bg-black"
            >
              {t(state === "loading" ? "loading" : state === "failed" ? "failed" : "nothing")}
            </p>
          )}
          {state === "shown" && notes.length > 0 && (
            <p className="absolute left-2 bottom-12 px-2 py-1 rounded bg-gray-900 text-xs text-yellow-300">
              {notes.join(" ")}
            </p>
          )}
        </div>,
        room,
      )}
    </>
  );
}

interface PaneProps extends CompareProps {
  plane: Plane;
  store: CompareStore;
  place: string;
}

/** A plane of the compared images, with the pointer of the study's own pane. */
function OtherPane({ plane, session, store, language, place }: PaneProps) {
  useSignals();
  const host = useRef<HTMLDivElement>(null),
    renderer = store.renderer.peek(),
    source = store.source.value;
  useEffect(() => {
    const element = host.current!;
    if (!renderer) return;
    const detach = renderer.attach(plane, element);
    const stop = listenToPointer(element, plane, session, () => {}, renderer);
    return () => {
      stop();
      detach();
    };
  }, [renderer, plane, session]);
  return (
    <div className={`relative min-h-0 min-w-0 pointer-events-auto ${place}`}>
      <div
        ref={host}
        data-other-plane={plane}
        data-testid={`other-${plane}-view`}
        role="application"
        tabIndex={0}
        aria-label={textIn(texts.otherPane, language, {
          plane: textIn(viewerText[plane], language),
          images: source ? nameOf(source, language) : "",
        })}
        className="absolute inset-0 bg-black overflow-hidden touch-none cursor-crosshair"
      />
    </div>
  );
}
