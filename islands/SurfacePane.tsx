import { effect } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useRef, useState } from "react";
import { loadSurface } from "@/client/kernels/surface_client.ts";
import { throttle } from "@/client/throttle.ts";
import { listenToSurface } from "@/viewer/input/surface_input.ts";
import { PresetButtons, type SurfaceState, SurfaceStatus } from "@/viewer/panels/surface_parts.tsx";
import { retryLoad } from "@/viewer/panels/load_panel.tsx";
import { showTooltip, Tooltip } from "@/viewer/panels/pane.tsx";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { surfaceText } from "@/viewer/session/value_text.ts";
import { asAppError } from "@/model/errors.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerSurfaceText } from "@/model/text/viewer/viewer_surface.ts";
import {
  choosePreset,
  placeCamera,
  type Preset,
  presetOf,
  resetCamera,
  viewOfCamera,
} from "@/viewer/surface/camera.ts";
import { createCanvasSurface } from "@/viewer/surface/canvas.ts";
import { placeBelow, vertexLabels, writeVertexColours } from "@/viewer/surface/colours.ts";
import { createSurfaceKernel, type SurfaceMesh } from "@/viewer/surface/kernel.ts";
import { SurfaceRenderer } from "@/viewer/surface/renderer.ts";

interface SurfacePaneProps {
  session: ViewerSession;
  language: Language;
}

/** Debounce of mask colours in ms (D2 §4), because each change recolours the whole surface. */
const MASK_MS = 200;
/** Minimum interval between two updates of the download progress. */
const PROGRESS_MS = 100;
const NO_FLAGS = new Uint8Array(256);

/**
 * Brain surface, rotated by mouse or keyboard; a click moves the crosshair to the clicked point.
 */
export default function SurfacePane({ session, language }: SurfacePaneProps) {
  useSignals();
  const host = useRef<HTMLDivElement>(null), tooltip = useRef<HTMLDivElement>(null);
  const renderer = useRef<SurfaceRenderer | null>(null);
  const [state, setState] = useState<SurfaceState>({ kind: "loading", receivedBytes: 0 });
  const [attempt, setAttempt] = useState(0);
  const [mesh, setMesh] = useState<SurfaceMesh | null>(null);
  const [isTurn, setTurn] = useState(false), [isWait, setWait] = useState(true);
  // waits until the slices have loaded: the colours need their labels, and slices have priority
  useEffect(() =>
    effect(() => {
      const { value } = session.loading;
      if (value.kind === "loaded") setTurn(true);
      setWait(value.kind !== "failed");
    }), [session]);

  useEffect(() => {
    if (!isTurn) return;
    const abort = new AbortController(), { signal } = abort;
    const { pid, surface_files: files = null } = session.patient;
    setState({ kind: "loading", receivedBytes: 0 });
    const load = async () =>
      await loadSurface(pid, files, {
        kernels: await session.kernels(),
        signal,
        onProgress: throttle(PROGRESS_MS, (receivedBytes) =>
          setState({ kind: "loading", receivedBytes })),
      });
    load().then(setMesh, (error: unknown) => {
      if (signal.aborted) return;
      setState({ kind: "failed", code: asAppError(error).code });
    });
    return () => abort.abort();
  }, [session, isTurn, attempt]);

  useEffect(() => {
    const element = host.current;
    if (!mesh || !session.composer || !element) return;
    let created: SurfaceRenderer;
    try {
      created = new SurfaceRenderer(element, mesh, createSurfaceKernel(mesh), createCanvasSurface);
    } catch (error) {
      setState({ kind: "failed", code: asAppError(error).code });
      return;
    }
    renderer.current = created;
    created.titleOf = (camera) => {
      const preset = presetOf(camera), title = textIn(viewerText.surface, language);
      return preset ? `${title} · ${textIn(viewerSurfaceText[preset], language)}` : title;
    };
    const view = session.cameraView.peek();
    if (view) placeCamera(created.camera, view);
    created.onRest = (camera) => session.cameraView.value = viewOfCamera(camera);
    const labels = { current: new Uint8Array() };
    const stops = [
      connectColours(session, mesh, created, labels),
      connectPresenter(session, created),
      effect(() => {
        void session.moves.value;
        created.mark(session.isCrosshairVisible.value ? session.scene.crosshairMm : null);
      }),
      listenToSurface(element, created, (x, y) => {
        const hit = created.hit(x, y);
        if (!hit) return;
        const label = session.selected.value = labels.current[hit.vertex] ?? 0;
        const { composer, grid } = session;
        session.goToMm(
          composer && label > 0
            ? placeBelow(mesh, hit.vertex, hit.rasMm, label, composer.labels, grid)
            : hit.rasMm,
        );
      }, (rest) => {
        const hit = rest && created.hit(rest.x, rest.y);
        const words = hit &&
          surfaceText(session, labels.current[hit.vertex] ?? 0, mesh.values[hit.vertex]!, language);
        showTooltip(tooltip, words, rest?.x ?? 0, rest?.y ?? 0);
      }),
    ];
    if (new URLSearchParams(location.search).has("testing")) {
      Object.assign(globalThis, { surfaceRenderer: created });
    }
    setState({ kind: "ready" });
    return () => {
      for (const stop of stops) stop();
      renderer.current = null;
      created.close();
    };
  }, [session, mesh, language]);

  const look = (preset: Preset | null) => {
    const { current } = renderer;
    if (!current) return;
    if (preset) choosePreset(current.camera, preset);
    else resetCamera(current.camera);
    current.invalidate();
  };
  return (
    <>
      <div
        ref={host}
        data-testid="surface-view"
        data-state={state.kind}
        tabIndex={0}
        role="application"
        aria-label={textIn(viewerSurfaceText.help, language)}
        className="absolute inset-0 bg-black overflow-hidden touch-none cursor-grab"
      >
        <Tooltip element={tooltip} />
      </div>
      {state.kind === "ready" ? <PresetButtons onLook={look} language={language} /> : (
        <SurfaceStatus
          state={isTurn || isWait ? state : { kind: "stopped" }}
          language={language}
          onRetry={() => isTurn ? setAttempt(attempt + 1) : retryLoad(session)}
        />
      )}
    </>
  );
}

/**
 * Keeps the vertex colours equal to the overlay of the tab.
 * Slider changes are debounced by {@link MASK_MS}.
 * @returns a function that stops the updates.
 */
function connectColours(
  session: ViewerSession,
  mesh: SurfaceMesh,
  renderer: SurfaceRenderer,
  labels: { current: Uint8Array },
): () => void {
  let painted = "", looked = "", waiting: ReturnType<typeof setTimeout> | undefined;
  const stop = effect(() => {
    const type = session.type.value, isLoaded = session.loading.value.kind === "loaded";
    const { isVisible, opacityPercent } = session.overlays[type], { composer } = session;
    const flags = type === "parcellation"
      ? session.shownRegions.value
      : type === "corticalThickness"
      ? session.shownThickness.value
      : NO_FLAGS;
    const state = {
      type,
      isVisible: isVisible.value,
      opacityPercent: opacityPercent.value,
      shown: flags,
      selected: session.selected.value,
    };
    const paint = () => {
      if (!composer) return;
      const tables = { table: composer.table(type), ...state };
      writeVertexColours(
        renderer.kernel.colours(),
        mesh,
        labels.current,
        tables,
        composer.table("parcellation"),
      );
      renderer.coloursChanged();
    };
    if (labels.current.length === 0 && isLoaded && composer?.has("labels")) {
      labels.current = vertexLabels(mesh, composer.labels, session.grid);
    }
    // a new selection applies immediately, a slider change only after the debounce
    const chosen = [type, state.isVisible, state.selected, labels.current.length].join();
    const look = [chosen, state.opacityPercent, flags].join();
    if (look === looked) return;
    clearTimeout(waiting);
    if (chosen === painted) waiting = setTimeout(paint, MASK_MS);
    else paint();
    [painted, looked] = [chosen, look];
  });
  return () => {
    clearTimeout(waiting);
    stop();
  };
}

/** Draws through the presenter of the session; WebGL code is loaded only on use. */
function connectPresenter(session: ViewerSession, renderer: SurfaceRenderer): () => void {
  let isStopped = false;
  const stop = effect(() => {
    const kind = session.presenter.value?.kind ?? "canvas";
    if (kind === renderer.kind) return;
    if (kind === "canvas") return renderer.present(createCanvasSurface);
    import("@/viewer/surface/regl.ts").then(({ createReglSurface }) => {
      if (!isStopped && session.presenter.peek()?.kind === "regl") {
        renderer.present(createReglSurface);
      }
    }, () => {/* the software surface stays */});
  });
  return () => {
    isStopped = true;
    stop();
  };
}
