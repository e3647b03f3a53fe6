// Measurements, mosaic, cine, image export and full screen.
// A separate chunk of code that does not delay the images.
import { effect } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import { Suspense, useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { dicomPath } from "@/client/api/report/dicom.ts";
import { checkUnsaved } from "@/client/page/unsaved_work.ts";
import { reloadStalePage } from "@/client/page/stale_page.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import {
  BUTTON,
  Choice,
  Divider,
  FIELD,
  Icon,
  OFF,
  ON,
  Toggle,
} from "@/viewer/panels/controls.tsx";
import { playSlices } from "@/viewer/session/cine.ts";
import { listenToGestures } from "@/viewer/input/gestures.ts";
import { CINE_SPEEDS, TOOLS, ToolState } from "@/viewer/session/tool_state.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { listenToToolKeys } from "@/viewer/input/tool_keys.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerToolsText } from "@/model/text/viewer/viewer_tools.ts";
import type { DrawOver, SliceRenderer } from "@/viewer/slices/slice_renderer.ts";
import { seriesOf } from "@/viewer/scene.ts";
import { drawMeasurements } from "@/viewer/slices/marks/measure.ts";

/** Chunk of code that is loaded at the first use of any of its tools. */
const onRequest = () => import("@/viewer/panels/on_request.ts");
const withPictures = (use: (of: Awaited<ReturnType<typeof onRequest>>) => Promise<void>) =>
  onRequest().then(use, reloadStalePage);
const Compare = lazyPart<ToolsProps>(async () => ({ default: (await onRequest()).Compare }));
const Mosaic = lazyPart(async () => ({ default: (await onRequest()).Mosaic }));

const PATHS = {
  crosshair: "M3.5 2l9 5.2-4 1.1-1.3 4z",
  scroll: "M8 1.5v13M5 4.5l3-3 3 3M5 11.5l3 3 3-3",
  ruler: "M1.5 11 11 1.5l3.5 3.5L5 14.5zM4.5 8l1.5 1.5M7 5.5l1.5 1.5M9.5 3l1.5 1.5",
  angle: "M13 2.5 2.5 13.5h11.5M8.5 13.5a6 6 0 0 0-2-4.2",
  clear: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.7 9h5.6l.7-9",
  mosaic:
    "M2 2h3.3v3.3H2zM6.35 2h3.3v3.3h-3.3zM10.7 2H14v3.3h-3.3zM2 6.35h3.3v3.3H2zM6.35 6.35h3.3v3.3h-3.3zM10.7 6.35H14v3.3h-3.3zM2 10.7h3.3V14H2zM6.35 10.7h3.3V14h-3.3zM10.7 10.7H14V14h-3.3z",
  play: "M4.5 2.5v11l9-5.5z",
  stop: "M4 4h8v8H4z",
  picture: "M2 4.5h3l1-1.5h4l1 1.5h3v8.5H2zM8 6.2a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8",
  outline: "M3 9.5C2 5 5.5 2 8.5 2.5S14 6 13 9.5 9.5 14 7 13.5 3.6 12 3 9.5z",
  reading: "M9.5 3.5l3 3L6 13l-3.7.7L3 10zM8 5l3 3",
  compare: "M2 3h5v10H2zM9 3h5v10H9z",
  fullscreen: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
} as const;

interface ToolsProps {
  session: ViewerSession;
  language: Language;
}

/**
 * While the panes exist: draws measurements over the slices, and handles gestures, cine and keys.
 */
function useConnectedTools(
  session: ToolsProps["session"],
  state: ToolState,
  panes: HTMLElement | null,
  language: Language,
): void {
  const isReady = session.isReady.value;
  useEffect(() => {
    if (!isReady || !panes || !session.renderer) return;
    const { renderer } = session;
    const draw: DrawOver = (context, mapping, ratio) =>
      drawMeasurements(
        context,
        state.measurements.peek(),
        mapping,
        session.grid,
        seriesOf(session.type.peek()),
        ratio,
      );
    renderer.drawOver.add(draw);
    const stops = [
      followWhenAsked(() => session.isIcvAsked, loadIcvOutline, session, renderer),
      followWhenAsked(() => session.isOutlined.value, loadMaskOutline, session, renderer),
      followWhenAsked(
        () => session.areStructuresAsked.value,
        loadStructureOutline,
        session,
        renderer,
      ),
      effect(() => {
        void state.measurements.value;
        renderer.invalidateLines();
      }),
      listenToGestures(panes.parentElement!, session, state),
      playSlices(session, state),
      listenToToolKeys(session, state, {
        save: () =>
          withPictures((of) => of.savePicture(panes, session, state.isAnonymous.peek(), language)),
        toggleFullscreen,
      }),
    ];
    return () => {
      stops.forEach((stop) => stop());
      renderer.drawOver.delete(draw);
    };
  }, [isReady, language, panes, session, state]);
}

/**
 * Opens the comparison in the page's address (`?compare=NUMBER`), or by the hanging protocol.
 */
function hang(session: ViewerSession): void {
  const url = new URL(location.href), asked = url.searchParams.get("compare");
  const isRule = (session.hanging.peek()?.opens ?? "nothing") !== "nothing";
  session.compareWith = asked && /^\d{1,15}$/.test(asked) ? asked : isRule ? "rule" : null;
  if (session.compareWith !== null) session.isComparing.value = true;
  // a view in a shared address applies only to the study of that address
  url.searchParams.delete("compare");
  if (asked !== null) history.replaceState(history.state, "", url);
}

export default function Tools({ session, language }: ToolsProps) {
  useSignals();
  const [state] = useState(() => new ToolState(session.measurements));
  const [panes, setPanes] = useState<HTMLElement | null>(null);
  useEffect(
    () => checkUnsaved(() => state.measurements.peek().some(({ id }) => id === undefined)),
    [state],
  );
  const isReady = session.isReady.value, mosaic = session.mosaic.value;
  const t = (key: keyof typeof viewerToolsText, values?: Record<string, number>) =>
    textIn(viewerToolsText[key], language, values);

  useEffect(() => {
    session.tools.value = state;
    state.onMoved = (before, after) =>
      void onRequest().then(
        ({ moveStored }) => moveStored(session, before, after),
        reloadStalePage,
      );
  }, [session, state]);
  useEffect(() => hang(session), [session]);
  useEffect(() => setPanes(document.querySelector<HTMLElement>("[data-panes]")), []);
  useConnectedTools(session, state, panes, language);

  return (
    <div className="flex items-center gap-1 xl:gap-2">
      <Divider />
      <Choice
        name={t("tools")}
        value={state.tool.value}
        isReady={isReady}
        options={TOOLS.map((tool) => ({
          value: tool,
          text: t(tool),
          mark: <Icon path={PATHS[tool]} />,
        }))}
        onChoose={(tool) => {
          state.discardUnfinished();
          state.tool.value = tool;
        }}
      />
      {state.measurements.value.some(({ id }) => id === undefined) && (
        <button
          type="button"
          aria-label={t("clear")}
          title={t("clear")}
          className={`${BUTTON} ${OFF} w-8`}
          onClick={() =>
            state.measurements.value = state.measurements.value.filter(({ id }) =>
              id !== undefined
            )}
        >
          <Icon path={PATHS.clear} />
        </button>
      )}
      <Divider />
      <button
        type="button"
        aria-pressed={mosaic !== null}
        aria-label={t("mosaic")}
        title={t("mosaic")}
        disabled={!isReady}
        className={`${BUTTON} w-8 ${mosaic !== null ? ON : OFF}`}
        onClick={() => session.mosaic.value = mosaic === null ? session.activePane.peek() : null}
      >
        <Icon path={PATHS.mosaic} />
      </button>
      <Cine state={state} language={language} isReady={isReady} />
      <Toggle
        state={session.isOutlined}
        text={t("outline")}
        isReady={isReady}
        mark={<Icon path={PATHS.outline} />}
        isTextShown={false}
      />
      <Divider />
      <Toggle
        state={session.isReadingOpen}
        text={t("reading")}
        isReady={isReady}
        mark={<Icon path={PATHS.reading} />}
        isTextShown={false}
      />
      <Toggle
        state={session.isComparing}
        text={t("compare")}
        isReady={isReady}
        mark={<Icon path={PATHS.compare} />}
        isTextShown={false}
      />
      <PictureMenu
        panes={panes}
        session={session}
        state={state}
        language={language}
        isReady={isReady}
      />
      <button
        type="button"
        aria-label={t("fullscreen")}
        title={t("fullscreen")}
        className={`${BUTTON} ${OFF} w-8`}
        onClick={toggleFullscreen}
      >
        <Icon path={PATHS.fullscreen} />
      </button>
      {session.isComparing.value && isReady && (
        <Suspense fallback={null}>
          <Compare session={session} language={language} />
        </Suspense>
      )}
      {mosaic !== null && panes &&
        createPortal(
          <Suspense fallback={null}>
            <Mosaic session={session} plane={mosaic} language={language} />
          </Suspense>,
          panes,
        )}
    </div>
  );
}

/** Draws an overlay above the slices; the code of the overlay is loaded on first use. */
function followWhenAsked(
  isAsked: () => boolean,
  load: () => Promise<(session: ViewerSession, renderer: SliceRenderer) => () => void>,
  session: ViewerSession,
  renderer: SliceRenderer,
): () => void {
  let stop: (() => void) | null = null, isClosed = false;
  const stopAsking = effect(() => {
    if (!isAsked() || stop) return;
    stop = () => {};
    load().then((follow) => {
      if (!isClosed) stop = follow(session, renderer);
    }, reloadStalePage);
  });
  return () => {
    isClosed = true;
    stopAsking();
    stop?.();
  };
}

const loadIcvOutline = async () => (await onRequest()).followIcvOutline;
const loadMaskOutline = async () => (await onRequest()).followMaskOutline;
const loadStructureOutline = async () => (await onRequest()).followStructureOutline;

/** Toggles full screen; a browser that refuses informs the user. */
function toggleFullscreen(): void {
  const change = document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen?.();
  change?.catch(() => {});
}

function Cine(
  { state, language, isReady }: { state: ToolState; language: Language; isReady: boolean },
) {
  useSignals();
  const isPlaying = state.isPlaying.value, speed = state.slicesPerSecond.value;
  const t = (key: keyof typeof viewerToolsText, values?: Record<string, number>) =>
    textIn(viewerToolsText[key], language, values);
  return (
    <div className="flex items-center gap-1">
      <Toggle
        state={state.isPlaying}
        text={t(isPlaying ? "cineStop" : "cine")}
        isReady={isReady}
        mark={<Icon path={isPlaying ? PATHS.stop : PATHS.play} />}
        isTextShown={false}
      />
      {isPlaying && (
        <select
          aria-label={t("cineSpeed")}
          value={speed}
          className={FIELD}
          onChange={(event) => state.slicesPerSecond.value = Number(event.currentTarget.value)}
        >
          {CINE_SPEEDS.map((n) => <option key={n} value={n}>{t("perSecond", { n })}</option>)}
        </select>
      )}
    </div>
  );
}

interface PictureProps {
  panes: HTMLElement | null;
  session: ViewerSession;
  state: ToolState;
  language: Language;
  isReady: boolean;
}

/** A menu as the browser's popover, which closes on Escape and on a click outside. */
function PictureMenu({ panes, session, state, language, isReady }: PictureProps) {
  useSignals();
  const t = (key: keyof typeof viewerToolsText) => textIn(viewerToolsText[key], language);
  const item =
    "flex items-center w-full gap-2 px-3 h-9 rounded text-sm text-left text-gray-100 hover:bg-gray-800";
  const run = (action: () => Promise<void>) => {
    document.querySelector<HTMLElement>("#viewer-picture")?.hidePopover();
    void action();
  };
  const isAnonymous = state.isAnonymous.value, { pid } = session.patient;
  return (
    <>
      <button
        type="button"
        popoverTarget="viewer-picture"
        aria-label={t("picture")}
        title={t("picture")}
        disabled={!isReady}
        className={`${BUTTON} ${OFF} w-8 picture-button`}
      >
        <Icon path={PATHS.picture} />
      </button>
      <div
        id="viewer-picture"
        popover="auto"
        className="picture-menu p-1.5 w-60 rounded-lg bg-gray-900 border border-gray-600 shadow-xl text-gray-100"
      >
        <label className={`${item} cursor-pointer`}>
          <input
            type="checkbox"
            checked={isAnonymous}
            onChange={(event) => state.isAnonymous.value = event.currentTarget.checked}
            className="accent-cyan-500"
          />
          {t("anonymous")}
        </label>
        <button
          type="button"
          className={item}
          onClick={() =>
            run(() => withPictures((of) => of.savePicture(panes!, session, isAnonymous, language)))}
        >
          {t("pictureSave")}
        </button>
        <button
          type="button"
          className={item}
          onClick={() =>
            run(() => withPictures((of) => of.copyPicture(panes!, session, isAnonymous, language)))}
        >
          {t("pictureCopy")}
        </button>
        <button
          type="button"
          className={item}
          onClick={() => run(() => withPictures((of) => of.copyLink(session)))}
        >
          {t("pictureLink")}
        </button>
        <hr className="my-1.5 border-gray-700" />
        <a className={item} href={dicomPath(pid, "results")} download>{t("dicomResults")}</a>
        <a className={item} href={`/report/${pid}?dicom=open`}>{t("dicomMore")}</a>
      </div>
    </>
  );
}
