import { batch, effect } from "@preact/signals-react";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { tabRefusal } from "@/model/viewer/viewer_tabs.ts";
import { type PaneView, PLANES } from "@/viewer/scene.ts";
import { readView, type ViewState, writeView } from "@/viewer/view_address.ts";
import { THICKNESS_MAX_MM, THRESHOLD_MAX } from "@/viewer/visibility.ts";

/** Delay before the address is updated, because browsers limit the rate of changes. */
const ADDRESS_DELAY_MS = 400;

const FITTING: PaneView = { zoom: 1, panXMm: 0, panYMm: 0 };

const placeOf = (session: ViewerSession): ViewState["at"] =>
  [...session.scene.crosshairMm] as ViewState["at"];

/** View that an address without parameters describes. */
const startOf = (session: ViewerSession): Omit<ViewState, "division"> & { division: null } => ({
  tab: session.type.peek(),
  at: placeOf(session),
  window: [session.startWindow.width, session.startWindow.level],
  convention: "radiological",
  // always written, because the default of the user who opens the shared view may differ
  division: null,
  isOverlayVisible: false,
  opacityPercent: 100,
  threshold: THRESHOLD_MAX,
  basis: "region",
  thickness: [0, THICKNESS_MAX_MM],
  isDeepVisible: false,
  isPeriVisible: false,
  isWmhOnly: false,
  hidden: [],
  selected: 0,
  smallPanes: "stacked",
  large: "axial",
  full: null,
  camera: null,
  views: { axial: FITTING, coronal: FITTING, sagittal: FITTING },
  isCrosshairVisible: true,
  measurements: [],
  mosaic: null,
});

/** Applies the view that a page address describes. */
export function applyView(session: ViewerSession, view: ReturnType<typeof readView>): void {
  const { tab } = view;
  batch(() => {
    if (tab && tabRefusal(session.patient, tab) === null) session.type.value = tab;
    const overlay = session.overlays[session.type.value];
    if (view.at) session.goToMm(view.at);
    if (view.window) session.setWindow(...view.window);
    if (view.convention) session.convention.value = view.convention;
    if (view.division) session.division.value = view.division;
    if (view.isOverlayVisible !== undefined && session.type.value !== "wmh") {
      overlay.isVisible.value = view.isOverlayVisible;
    }
    if (view.opacityPercent !== undefined) session.setOpacity(view.opacityPercent);
    if (view.threshold !== undefined) {
      session.isThresholdOn.value = view.threshold !== null;
      if (view.threshold !== null) session.setThreshold(view.threshold);
    }
    if (view.basis) session.basis.value = view.basis;
    if (view.thickness) session.setThickness(...view.thickness);
    if (view.isDeepVisible !== undefined) session.isDeepVisible.value = view.isDeepVisible;
    if (view.isPeriVisible !== undefined) session.isPeriVisible.value = view.isPeriVisible;
    if (view.isWmhOnly !== undefined) session.isWmhOnly.value = view.isWmhOnly;
    if (view.hidden) session.setHidden(view.hidden, true);
    if (view.selected !== undefined) session.selected.value = view.selected;
    if (view.smallPanes) session.smallPanes.value = view.smallPanes;
    if (view.large) session.large.value = view.large;
    if (view.full) session.fullPane.value = view.full;
    if (view.camera) session.cameraView.value = view.camera;
    for (const plane of PLANES) Object.assign(session.scene.views[plane], view.views?.[plane]);
    if (view.isCrosshairVisible !== undefined) {
      session.isCrosshairVisible.value = view.isCrosshairVisible;
    }
    // adds the measurements in the address to the stored measurements
    if (view.measurements) {
      session.measurements.value = [...session.measurements.value, ...view.measurements];
    }
    if (view.mosaic) {
      session.mosaic.value = view.mosaic.plane;
      session.mosaicCount.value = view.mosaic.count;
    }
  });
}

/** The current view in the form of an address; reads signals. */
export function viewOf(session: ViewerSession): ViewState {
  const tab = session.type.value,
    overlay = session.overlays[tab],
    { low, high } = session.thicknessRange.value;
  void [session.moves.value, session.viewChanges.value];
  const mosaic = session.mosaic.value;
  return {
    tab,
    at: placeOf(session),
    window: [session.windowWidth.value, session.windowLevel.value],
    convention: session.convention.value,
    division: session.division.value,
    isOverlayVisible: tab !== "wmh" && overlay.isVisible.value,
    opacityPercent: overlay.opacityPercent.value,
    threshold: session.isThresholdOn.value ? session.threshold.value : null,
    basis: session.basis.value,
    thickness: [low, high],
    isDeepVisible: session.isDeepVisible.value,
    isPeriVisible: session.isPeriVisible.value,
    isWmhOnly: session.isWmhOnly.value,
    hidden: [...session.hidden.value],
    selected: session.selected.value,
    smallPanes: session.smallPanes.value,
    large: session.large.value,
    full: session.fullPane.value,
    camera: session.cameraView.value,
    views: session.scene.views,
    isCrosshairVisible: session.isCrosshairVisible.value,
    measurements: session.measurements.value.filter(({ id }) => id === undefined),
    mosaic: mosaic && { plane: mosaic, count: session.mosaicCount.value },
  };
}

/**
 * Applies the view in the address, and then keeps the address up to date for sharing.
 * `session.writeAddress` updates the address immediately.
 */
export function syncAddress(session: ViewerSession): () => void {
  const start = startOf(session);
  applyView(session, readView(new URLSearchParams(location.search)));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    const url = new URL(location.href);
    writeView(url.searchParams, viewOf(session), start);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  };
  session.writeAddress = write;
  let isFirst = true;
  const stop = effect(() => {
    viewOf(session);
    if (!isFirst) {
      clearTimeout(timer);
      timer = setTimeout(write, ADDRESS_DELAY_MS);
    }
    isFirst = false;
  });
  return () => {
    clearTimeout(timer);
    stop();
    session.writeAddress = () => {};
  };
}
