import { effect } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useRef } from "react";
import { FIELD } from "@/viewer/panels/controls.tsx";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerToolsText } from "@/model/text/viewer/viewer_tools.ts";
import { drawMosaic } from "@/viewer/slices/mosaic.ts";
import { MOSAIC_COUNTS } from "@/viewer/layout.ts";
import { marksOf } from "@/viewer/slices/orientation.ts";
import { createPicked, pick } from "@/viewer/slices/marks/pick.ts";
import { type Plane, PLANES } from "@/viewer/scene.ts";

interface MosaicProps {
  session: ViewerSession;
  plane: Plane;
  language: Language;
}

/**
 * Mosaic: many slices of one plane in a grid that covers the panes.
 * A click moves the crosshair to the clicked position and closes the mosaic.
 */
export default function Mosaic({ session, plane, language }: MosaicProps) {
  useSignals();
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef<ReturnType<typeof drawMosaic> | null>(null);
  const count = session.mosaicCount.value;
  useEffect(() => {
    const element = canvas.current!, { composer, renderer } = session;
    if (!composer || !renderer) return;
    let frame = 0;
    const draw = () => {
      frame = 0;
      const ratio = globalThis.devicePixelRatio || 1;
      element.width = Math.round(element.clientWidth * ratio);
      element.height = Math.round(element.clientHeight * ratio);
      const marks = marksOf(session.grid, plane, session.convention.peek());
      drawn.current = drawMosaic(
        element,
        composer,
        session.scene,
        session.grid,
        plane,
        count,
        marks,
        ratio,
        session.coverMissing,
      );
    };
    const request = () => frame ||= requestAnimationFrame(draw);
    const size = new ResizeObserver(request);
    size.observe(element);
    const stop = effect(() => {
      void [
        session.type.value,
        session.loading.value,
        session.convention.value,
        session.moves.value,
      ];
      void [session.windowWidth.value, session.windowLevel.value];
      void [session.shownRegions.value, session.shownThickness.value, session.shownLesions.value];
      for (const { isVisible, opacityPercent } of Object.values(session.overlays)) {
        void [isVisible.value, opacityPercent.value];
      }
      request();
    });
    return () => {
      stop();
      size.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [count, plane, session]);

  const goTo = (event: React.MouseEvent<HTMLCanvasElement>) => {
    const mosaic = drawn.current,
      ratio = event.currentTarget.width / event.currentTarget.clientWidth;
    if (!mosaic) return;
    const x = event.nativeEvent.offsetX * ratio, y = event.nativeEvent.offsetY * ratio;
    const column = Math.floor(x / mosaic.tileWidth), row = Math.floor(y / mosaic.tileHeight);
    const mapping = column < mosaic.shape.columns
      ? mosaic.mappings[row * mosaic.shape.columns + column]
      : undefined;
    if (!mapping) return;
    const picked = createPicked();
    pick(
      picked,
      mapping,
      session.grid,
      null,
      x - column * mosaic.tileWidth,
      y - row * mosaic.tileHeight,
    );
    if (!picked.isInside) return;
    session.goToMm(picked.rasMm);
    session.activePane.value = plane;
    session.mosaic.value = null;
  };
  const t = (key: keyof typeof viewerToolsText, values?: Record<string, number>) =>
    textIn(viewerToolsText[key], language, values);
  return (
    <div data-testid="mosaic" className="absolute inset-0 z-20 flex flex-col bg-black">
      <div className="flex items-center gap-3 h-11 px-3 bg-gray-900 border-b border-gray-700 text-sm shrink-0">
        <select
          aria-label={t("mosaicPlane")}
          value={plane}
          className={FIELD}
          onChange={(event) =>
            session.mosaic.value = PLANES.find((each) => each === event.currentTarget.value)!}
        >
          {PLANES.map((each) => (
            <option key={each} value={each}>{textIn(viewerText[each], language)}</option>
          ))}
        </select>
        <select
          aria-label={t("mosaicCount")}
          value={count}
          className={FIELD}
          onChange={(event) => session.mosaicCount.value = Number(event.currentTarget.value)}
        >
          {MOSAIC_COUNTS.map((n) => <option key={n} value={n}>{t("slices", { n })}</option>)}
        </select>
        <p className="text-gray-300">{t("mosaicView")}</p>
      </div>
      <canvas
        ref={canvas}
        role="img"
        aria-label={t("mosaicView")}
        onClick={goTo}
        className="flex-1 min-h-0 w-full cursor-pointer"
      />
    </div>
  );
}
