import type { Hanging } from "@/model/schema/reading/hanging.ts";
import { type Plane, PLANES, type ViewerType } from "@/viewer/scene.ts";

/** Panes of the viewer: three planes and the surface. */
export const PANES = [...PLANES, "surface"] as const;
export type PaneName = (typeof PANES)[number];
/** Numbers of slices from which a user can choose for a mosaic. */
export const MOSAIC_COUNTS: readonly number[] = [6, 12, 20, 30, 42];
/** Layout of the panes by the number of panes (D2 §2). */
export type Division = 3 | 4;
/**
 * Position of the two small panes in the three-pane layout:
 * stacked beside the large pane, or side by side below it.
 */
export type SmallPanes = "stacked" | "sideBySide";

/** Arrangement of two studies side by side, as in a hanging protocol. */
export type CompareLayout = Hanging["layout"];

/** State that determines the positions of the panes. */
export interface LayoutState {
  type: ViewerType;
  division: Division;
  smallPanes: SmallPanes;
  /** plane in the large pane; initially axial */
  large: Plane;
  /** pane that fills the viewer after an enlargement; `null` without one */
  full: PaneName | null;
  isWmhOnly: boolean;
  /** Arrangement of compared images; `null` or absent without a comparison. */
  compare?: CompareLayout | null;
}

/** Grid position of a pane; a `cell` is a quarter of the viewer. */
export type Place = "full" | "cell" | "large" | "small" | "hidden";
export interface Layout {
  grid: "single" | "quarters" | "column" | "row" | SmallPanes;
  places: Record<PaneName, Place>;
}

/**
 * Whether there are one large and two small panes.
 * The WMH tab always has these, because there is no surface of lesions.
 */
const isThree = ({ type, division }: Pick<LayoutState, "type" | "division">): boolean =>
  type === "wmh" || division === 3;

/** Positions of the panes (D2 §2). */
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

/** Whether there is only one pane, which cannot be enlarged or reduced. */
export const isSingle = ({ type, isWmhOnly }: Pick<LayoutState, "type" | "isWmhOnly">): boolean =>
  type === "wmh" && isWmhOnly;

/**
 * Enlarges a pane (D2 §2). In the three-pane layout, a small pane swaps with the large pane; any
 * other pane fills the viewer, or returns to its former position. The WMH-only view is unchanged.
 */
export function zoomTo(state: LayoutState, pane: PaneName): Pick<LayoutState, "large" | "full"> {
  const { large, full } = state;
  if (isSingle(state)) return { large, full };
  if (full !== null) return { large, full: full === pane ? null : pane };
  if (isThree(state) && pane !== "surface" && pane !== large) return { large: pane, full };
  return { large, full: pane };
}

/**
 * Slice panes that must have rendered before the viewer counts as loaded (D2 §4): 3, or 1 for WMH.
 */
export function panesToLoad(state: LayoutState): number {
  const { places } = layoutOf(state);
  const shownPlanes = PLANES.filter((plane) => places[plane] !== "hidden").length;
  return Math.min(state.type === "wmh" ? 1 : 3, shownPlanes);
}
