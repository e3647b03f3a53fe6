import type { Hanging } from "@/model/schema/reading/hanging.ts";
import { type Plane, PLANES, type ViewerType } from "@/viewer/scene.ts";

/** The panes: three planes and the surface. */
export const PANES = [...PLANES, "surface"] as const;
export type PaneName = (typeof PANES)[number];
/** Slices that a mosaic can have. */
export const MOSAIC_COUNTS: readonly number[] = [6, 12, 20, 30, 42];
/** Panes at once (D2 §2). */
export type Division = 3 | 4;
/**
 * Where the two small panes of division 3 stand: above each other beside the large one, or side by
 * side below.
 */
export type SmallPanes = "stacked" | "sideBySide";

/** Panes of two studies side by side, as a reader's hanging rules have it. */
export type CompareLayout = Hanging["layout"];

/** State that determines the places of the panes. */
export interface LayoutState {
  type: ViewerType;
  division: Division;
  smallPanes: SmallPanes;
  /** The plane in the large place, axial at the start. */
  large: Plane;
  /** The pane that fills the viewer. */
  full: PaneName | null;
  isWmhOnly: boolean;
  /** Others stand beside them; `null` or not there when none do. */
  compare?: CompareLayout | null;
}

/** A pane's place; `cell`: a quarter. */
export type Place = "full" | "cell" | "large" | "small" | "hidden";
export interface Layout {
  grid: "single" | "quarters" | "column" | "row" | SmallPanes;
  places: Record<PaneName, Place>;
}

/**
 * The WMH tab has one large pane and two small ones in either division: there is no surface of
 * lesions.
 */
const isThree = ({ type, division }: Pick<LayoutState, "type" | "division">): boolean =>
  type === "wmh" || division === 3;

/** Places of the panes (D2 §2). */
export function layoutOf(state: LayoutState): Layout {
  const everyPane = (place: Place): Record<PaneName, Place> => ({
    axial: place,
    coronal: place,
    sagittal: place,
    surface: place,
  });
  const single = isSingle(state)
    ? state.large
    : state.full === "surface" && isThree(state)
    ? null
    : state.full;
  if (!single && (state.compare === "2x2" || state.compare === "2x3")) {
    const second = state.large === "coronal" ? "axial" : "coronal",
      places = { ...everyPane("cell"), surface: "hidden" as const };
    return state.compare === "2x3" ? { grid: "row", places } : {
      grid: "column",
      places: { ...everyPane("hidden"), [state.large]: "cell", [second]: "cell" },
    };
  }
  if (!single && state.compare === "1x2") {
    return { grid: "single", places: { ...everyPane("hidden"), [state.large]: "full" } };
  }
  if (single) return { grid: "single", places: { ...everyPane("hidden"), [single]: "full" } };
  if (!isThree(state)) return { grid: "quarters", places: everyPane("cell") };
  return {
    grid: state.smallPanes,
    places: { ...everyPane("small"), surface: "hidden", [state.large]: "large" },
  };
}

/** One pane for good: there is nothing to enlarge or to give back. */
export const isSingle = ({ type, isWmhOnly }: Pick<LayoutState, "type" | "isWmhOnly">): boolean =>
  type === "wmh" && isWmhOnly;

/**
 * Zooms a pane (D2 §2): a small pane of division 3 changes places with the large one; any other
 * fills the viewer, or gives the place back. The WMH-only view stays as it is.
 */
export function zoomTo(state: LayoutState, pane: PaneName): Pick<LayoutState, "large" | "full"> {
  const { large, full } = state;
  if (isSingle(state)) return { large, full };
  if (full !== null) return { large, full: full === pane ? null : pane };
  if (isThree(state) && pane !== "surface" && pane !== large) return { large: pane, full };
  return { large, full: pane };
}

/**
 * Slice panes that must have drawn before the viewer counts as loaded (D2 §4): 3, and 1 for WMH.
 */
export function panesToLoad(state: LayoutState): number {
  const { places } = layoutOf(state);
  const shownPlanes = PLANES.filter((plane) => places[plane] !== "hidden").length;
  return Math.min(state.type === "wmh" ? 1 : 3, shownPlanes);
}
