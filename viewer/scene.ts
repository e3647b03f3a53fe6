import type { ViewerType } from "@/model/viewer/viewer_tabs.ts";
import { affineRow, type Grid } from "@/viewer/grid.ts";

export { VIEWER_TYPES, type ViewerType } from "@/model/viewer/viewer_tabs.ts";

/** Visibility and opacity of an overlay. */
export interface Overlay {
  isVisible: boolean;
  /** opacity of the overlay, 0..100 % */
  opacityPercent: number;
}

export const PLANES = ["axial", "coronal", "sagittal"] as const;
export type Plane = (typeof PLANES)[number];

/** Radiological: the patient's left is on the image's right. Neurological: left is on the left. */
export type Convention = "radiological" | "neurological";

/** An anatomical axis (0 right, 1 anterior, 2 superior) and the axis's direction on the screen. */
interface ScreenAxis {
  ras: 0 | 1 | 2;
  sign: 1 | -1;
}

/** Series that a tab shows. */
export const seriesOf = (type: ViewerType): "t1" | "t2" => type === "wmh" ? "t2" : "t1";

const DOWN_A: ScreenAxis = { ras: 1, sign: -1 }, DOWN_S: ScreenAxis = { ras: 2, sign: -1 };
const TO_LEFT: ScreenAxis = { ras: 0, sign: -1 }, TO_RIGHT: ScreenAxis = { ras: 0, sign: 1 };
const TO_BACK: ScreenAxis = { ras: 1, sign: -1 };

/** Anatomical axis along which a plane's slices are counted. */
export const throughAxis = { axial: 2, coronal: 1, sagittal: 0 } as const satisfies Record<
  Plane,
  number
>;

/**
 * Direction of the screen's x axis: towards the patient's left in the radiological convention.
 * For sagittal planes always to the back.
 */
export const acrossAxis = (plane: Plane, convention: Convention): ScreenAxis =>
  plane === "sagittal" ? TO_BACK : convention === "radiological" ? TO_LEFT : TO_RIGHT;

/** Direction of the screen's y axis, downwards. */
export const downAxis = (plane: Plane): ScreenAxis => plane === "axial" ? DOWN_A : DOWN_S;

/** Displayed window: width and level in original values of the series where these are known. */
export function shownWindow(
  { window, scale }: Pick<Scene, "window" | "scale">,
): [width: number, level: number] {
  const { slope, intercept } = scale ?? { slope: 1, intercept: 0 };
  return [Math.round(slope * window.width), Math.round(intercept + slope * window.level)];
}

/** Zoom and pan of one pane. */
export interface PaneView {
  /** magnification; 1 = the scene's field fits the pane */
  zoom: number;
  /** Offset of the pane's centre from the centre of the field, mm along the screen's x and y. */
  panXMm: number;
  panYMm: number;
}

/**
 * Region of the volume that fills a pane at zoom 1.
 * Centre in voxel indices, and extent in mm, for each voxel axis.
 */
interface Field {
  centreIjk: Float64Array;
  extentMm: Float64Array;
}

/**
 * Crosshair, zoom and pan of the viewer, as mutable numbers: moving a slider allocates nothing.
 * This module draws nothing.
 */
interface Place {
  /** Position of the crosshair, RAS mm. */
  crosshairMm: Float64Array;
  field: Field;
  views: Record<Plane, PaneView>;
}

/** Appearance of the images: window/level, opacity and overlays. */
interface Look {
  /** Window/level in units of the base volume, 0..255; level = DICOM Window Center. */
  window: { width: number; level: number };
  /** Mapping to original values: value = intercept + slope · byte; `null` when unknown. */
  scale: { slope: number; intercept: number } | null;
  /** Layer to draw: the combination of a base volume and an overlay. */
  type: ViewerType;
  overlays: Record<ViewerType, Overlay>;
  convention: Convention;
  isCrosshairVisible: boolean;
  /** Whether the overlay is drawn as outlines above the panes instead of filled. */
  isOutlined: boolean;
  /**
   * whether panes of equal size have the same scale for all planes;
   * otherwise the field of each plane fills its pane
   */
  isOneScale: boolean;
}

/** A {@link Look} that another object owns, for example a session's signals. */
type SharedLook = Readonly<
  & Omit<Look, "window" | "overlays">
  & { window: Readonly<Look["window"]>; overlays: Readonly<Record<ViewerType, Readonly<Overlay>>> }
>;

/** State that determines the viewer's pictures. */
export type Scene = Place & SharedLook;

export const ZOOM_MIN = 0.5;
export const ZOOM_MAX = 12;
/** Window/level that leaves the values 0..255 unchanged. */
export const DEFAULT_WINDOW = { width: 256, level: 128 } as const;

/**
 * A scene with the initial look (D2 §3: opacity 100, overlays hidden), showing the whole volume.
 */
export function createScene(grid: Grid): Place & Look {
  const overlay = (): Overlay => ({ isVisible: false, opacityPercent: 100 });
  return {
    ...createPlace(grid),
    window: { ...DEFAULT_WINDOW },
    scale: null,
    type: "parcellation",
    overlays: { parcellation: overlay(), corticalThickness: overlay(), wmh: overlay() },
    convention: "radiological",
    isCrosshairVisible: true,
    isOutlined: false,
    isOneScale: true,
  };
}

/** Shows the whole volume, with every stack at its middle slice. */
export function createPlace(grid: Grid): Place {
  const view = (): PaneView => ({ zoom: 1, panXMm: 0, panYMm: 0 });
  const place: Place = {
    crosshairMm: new Float64Array(3),
    field: {
      centreIjk: Float64Array.from(grid.shape, (n) => (n - 1) / 2),
      extentMm: Float64Array.from(grid.shape, (n, axis) => n * grid.spacingMm[axis]!),
    },
    views: { axial: view(), coronal: view(), sagittal: view() },
  };
  resetPlace(place, grid);
  return place;
}

/**
 * Sets the field to a box, which fills the panes at zoom 1.
 * Crosshair, zoom, pan and window are unchanged.
 *
 * @param bounds First and last voxel index on each axis, [i0, i1, j0, j1, k0, k1].
 * @param marginMm Margin on every side, limited to the volume.
 */
export function setField(
  scene: Place,
  grid: Grid,
  bounds: ArrayLike<number>,
  marginMm: number,
): void {
  for (let axis = 0; axis < 3; axis++) {
    const margin = marginMm / grid.spacingMm[axis]!;
    const first = Math.max(bounds[2 * axis]! - margin, 0);
    const last = Math.min(bounds[2 * axis + 1]! + margin, grid.shape[axis]! - 1);
    scene.field.centreIjk[axis] = (first + last) / 2;
    scene.field.extentMm[axis] = (last - first + 1) * grid.spacingMm[axis]!;
  }
}

/** Resets the position: every stack at its middle slice (D2 §2), zoom 1, no pan. */
export function resetPlace(scene: Place, grid: Grid): void {
  const middle = grid.shape.map((n) => Math.floor(n / 2));
  for (let r = 0; r < 3; r++) scene.crosshairMm[r] = affineRow(grid.rasFromIjk, r, middle);
  for (const plane of PLANES) Object.assign(scene.views[plane], { zoom: 1, panXMm: 0, panYMm: 0 });
}

/**
 * Geometry of one pane: mapping from pixels to voxel indices. Updated in place by {@link mapPane}.
 */
export interface PaneMapping {
  plane: Plane;
  /** Size of the pane in device pixels. */
  width: number;
  height: number;
  mmPerPixel: number;
  /** Voxel index at the centre of pixel (0, 0), and voxel steps per pixel in x and y. */
  origin: Float64Array;
  du: Float64Array;
  dv: Float64Array;
  /** voxel axes along the screen's x and y, and perpendicular to the screen */
  across: number;
  down: number;
  through: number;
  /**
   * Voxel index of the slice along `through`; −1 or the axis' size when the crosshair is outside.
   */
  slice: number;
}

export const createPaneMapping = (plane: Plane): PaneMapping => ({
  plane,
  width: 0,
  height: 0,
  mmPerPixel: 1,
  origin: new Float64Array(3),
  du: new Float64Array(3),
  dv: new Float64Array(3),
  across: 0,
  down: 1,
  through: 2,
  slice: 0,
});

/** Scale of a plane at zoom 1, mm per device pixel: the field just fits the pane. */
export function fittingMmPerPixel(
  scene: Scene,
  grid: Grid,
  shown: Plane,
  width: number,
  height: number,
): number {
  const { extentMm } = scene.field;
  let fit = 1e-6;
  for (const plane of PLANES) {
    if (plane !== shown && !scene.isOneScale) continue;
    const across = extentMm[grid.voxelAxis[acrossAxis(plane, "radiological").ras]!]!;
    const down = extentMm[grid.voxelAxis[downAxis(plane).ras]!]!;
    fit = Math.max(fit, across / Math.max(width, 1), down / Math.max(height, 1));
  }
  return fit;
}

/**
 * Computes the mapping of a pane of `width` × `height` device pixels, without allocation.
 *
 * The slice is the voxel slice nearest to the crosshair,
 * so that the mapping has an integer index along the axis `through`.
 */
export function mapPane(
  out: PaneMapping,
  scene: Scene,
  grid: Grid,
  width: number,
  height: number,
): void {
  const view = scene.views[out.plane];
  const x = acrossAxis(out.plane, scene.convention), y = downAxis(out.plane);
  const through = grid.voxelAxis[throughAxis[out.plane]]!;
  out.width = width;
  out.height = height;
  out.across = grid.voxelAxis[x.ras]!;
  out.down = grid.voxelAxis[y.ras]!;
  out.through = through;
  out.mmPerPixel = fittingMmPerPixel(scene, grid, out.plane, width, height) / view.zoom;
  out.slice = Math.floor(affineRow(grid.ijkFromRas, through, scene.crosshairMm) + 0.5);
  out.slice = Math.min(Math.max(out.slice, -1), grid.shape[through]!);
  out.du.fill(0);
  out.dv.fill(0);
  out.origin[through] = out.slice;
  placeAxis(
    out,
    scene.field,
    grid,
    out.du,
    out.across,
    x.sign * grid.voxelSign[x.ras]!,
    view.panXMm,
    width,
  );
  placeAxis(
    out,
    scene.field,
    grid,
    out.dv,
    out.down,
    y.sign * grid.voxelSign[y.ras]!,
    view.panYMm,
    height,
  );
}

function placeAxis(
  out: PaneMapping,
  field: Field,
  grid: Grid,
  step: Float64Array,
  axis: number,
  sign: number,
  panMm: number,
  pixels: number,
): void {
  const spacing = grid.spacingMm[axis]!;
  step[axis] = sign * out.mmPerPixel / spacing;
  const centre = field.centreIjk[axis]! + sign * panMm / spacing;
  out.origin[axis] = centre + step[axis]! * (0.5 - pixels / 2);
}

/** Number of slices of a plane. */
export const sliceCount = (grid: Grid, plane: Plane): number =>
  grid.shape[grid.voxelAxis[throughAxis[plane]]!]!;

/**
 * Displayed slice number: 1 at the patient's left, back or bottom, regardless of the storage order.
 */
export function sliceNumber(mapping: PaneMapping, grid: Grid): number {
  const forwards = grid.voxelSign[throughAxis[mapping.plane]]! > 0;
  return forwards ? mapping.slice + 1 : sliceCount(grid, mapping.plane) - mapping.slice;
}

/**
 * Moves the crosshair by whole slices in positive anatomical direction.
 * Positive steps go from left to right, back to front, or bottom to top.
 */
export function scrollSlices(scene: Scene, grid: Grid, plane: Plane, slices: number): void {
  const ras = throughAxis[plane], axis = grid.voxelAxis[ras]!, sign = grid.voxelSign[ras]!;
  const index = Math.floor(affineRow(grid.ijkFromRas, axis, scene.crosshairMm) + 0.5);
  const nextIndex = Math.min(Math.max(index + sign * slices, 0), grid.shape[axis]! - 1);
  const moved = nextIndex - affineRow(grid.ijkFromRas, axis, scene.crosshairMm);
  for (let r = 0; r < 3; r++) scene.crosshairMm[r]! += grid.rasFromIjk[axis * 4 + r]! * moved;
}

/** Changes a pane's zoom while the point under pixel (x, y) stays in place. */
export function zoomPane(
  scene: Scene,
  mapping: PaneMapping,
  factor: number,
  x: number,
  y: number,
): void {
  const view = scene.views[mapping.plane];
  const zoom = Math.min(Math.max(view.zoom * factor, ZOOM_MIN), ZOOM_MAX);
  const change = mapping.mmPerPixel * (1 - view.zoom / zoom);
  view.panXMm += change * (x - mapping.width / 2);
  view.panYMm += change * (y - mapping.height / 2);
  view.zoom = zoom;
}

/** Pans a pane's image by device pixels. */
export function panPane(scene: Scene, mapping: PaneMapping, dx: number, dy: number): void {
  const view = scene.views[mapping.plane];
  view.panXMm -= dx * mapping.mmPerPixel;
  view.panYMm -= dy * mapping.mmPerPixel;
}
