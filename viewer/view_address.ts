import { MOSAIC_COUNTS, type PaneName, PANES, type SmallPanes } from "@/viewer/layout.ts";
import { isWhole, type Measurement, placesOf } from "@/viewer/slices/marks/measure.ts";
import {
  type Convention,
  type PaneView,
  type Plane,
  PLANES,
  VIEWER_TYPES,
  type ViewerType,
  ZOOM_MAX,
  ZOOM_MIN,
} from "@/viewer/scene.ts";
import type { CameraView } from "@/viewer/surface/camera.ts";

/** Part of a view that its address stores: images and appearance, never the patient. */
export interface ViewState {
  tab: ViewerType;
  /** crosshair, RAS mm, one decimal */
  at: [number, number, number];
  window: [width: number, level: number];
  convention: Convention;
  division: 3 | 4;
  isOverlayVisible: boolean;
  opacityPercent: number;
  /** percentile threshold 0..20; `null` for all regions */
  threshold: number | null;
  basis: "region" | "icv";
  /** range of visible thickness, mm */
  thickness: [low: number, high: number];
  isDeepVisible: boolean;
  isPeriVisible: boolean;
  isWmhOnly: boolean;
  /** labels of the regions that are hidden in the list */
  hidden: number[];
  selected: number;
  /** arrangement of the panes in the viewer */
  smallPanes: SmallPanes;
  large: Plane;
  full: PaneName | null;
  /** position of the 3D camera; `null` for the initial position */
  camera: CameraView | null;
  /** zoom of each plane, and its pan along the screen's x and y, mm */
  views: Record<Plane, PaneView>;
  isCrosshairVisible: boolean;
  measurements: readonly Measurement[];
  /** plane and number of slices of the mosaic; `null` without one */
  mosaic: { plane: Plane; count: number } | null;
}

const KEYS = [
  "tab",
  "at",
  "window",
  "convention",
  "division",
  "overlay",
  "opacity",
  "threshold",
  "basis",
  "thickness",
  "lesions",
  "wmhonly",
  "hidden",
  "region",
  "small",
  "large",
  "full",
  "camera",
  ...PLANES,
  "crosshair",
  "measured",
  "mosaic",
] as const;

/** Maximum number of measurements in an address: servers limit its length. */
const MAX_MEASUREMENTS = 20;
const KINDS = ["ruler", "angle"] as const;

/** Formats measurements as "ruler_axial_1.0_2.0_3.0_4.0_5.0_6.0*…": kind, plane, points in mm. */
const measurementText = (measurements: readonly Measurement[]): string =>
  measurements.filter((one) => isWhole(one) && choice(one.kind, KINDS) !== undefined)
    .slice(
      0,
      MAX_MEASUREMENTS,
    )
    .map(({ kind, plane, pointsMm }) =>
      [kind, plane, ...pointsMm.map((mm) => mm.toFixed(1))].join("_")
    )
    .join("*");

function measurementsOf(text: string): Measurement[] | null {
  const measurements = text.split("*").slice(0, MAX_MEASUREMENTS).map((part) => {
    const [first = "", second = "", ...rest] = part.split("_");
    const kind = choice(first, KINDS), plane = choice(second, PLANES);
    const pointsMm = kind && numbers(rest.join("_"), Array(3 * placesOf(kind)).fill(MM));
    return kind && plane && pointsMm ? { kind, plane, pointsMm } : null;
  });
  return measurements.every((each) => each !== null) ? measurements : null;
}

/** Formats labels as ranges: "3-9.12". */
function rangesOf(labels: readonly number[]): string {
  const sorted = labels.toSorted((a, b) => a - b), parts: string[] = [];
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (sorted[to + 1] === sorted[to]! + 1) to++;
    parts.push(to === from ? `${sorted[from]}` : `${sorted[from]}-${sorted[to]}`);
    from = to + 1;
  }
  return parts.join(".");
}

function labelsOf(text: string): number[] | null {
  const labels: number[] = [];
  for (const part of text === "" ? [] : text.split(".")) {
    const match = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(part);
    if (!match) return null;
    const low = Number(match[1]), high = Number(match[2] ?? match[1]);
    if (low < 1 || high > 255 || high < low) return null;
    for (let label = low; label <= high; label++) labels.push(label);
  }
  return labels;
}

/**
 * Sets the parameters of a view in an address, without defaults;
 * other parameters (`renderer`) are kept.
 */
export function writeView(
  params: URLSearchParams,
  state: ViewState,
  start: Omit<ViewState, "division"> & { division: ViewState["division"] | null },
): void {
  for (const key of KEYS) params.delete(key);
  const put = (key: (typeof KEYS)[number], value: string, atStart: string) => {
    if (value !== atStart) params.set(key, value);
  };
  const words = (s: typeof start): Record<(typeof KEYS)[number], string> => ({
    tab: s.tab,
    at: s.at.map((mm) => mm.toFixed(1)).join("_"),
    window: s.window.map(Math.round).join("_"),
    convention: s.convention,
    division: String(s.division),
    overlay: s.isOverlayVisible ? "1" : "0",
    opacity: String(Math.round(s.opacityPercent)),
    threshold: s.threshold === null ? "all" : String(s.threshold),
    basis: s.basis,
    thickness: s.thickness.map((mm) => mm.toFixed(1)).join("_"),
    lesions: `${s.isDeepVisible ? "d" : ""}${s.isPeriVisible ? "p" : ""}`,
    wmhonly: s.isWmhOnly ? "1" : "0",
    hidden: rangesOf(s.hidden),
    region: String(s.selected),
    small: s.smallPanes,
    large: s.large,
    full: s.full ?? "",
    camera: s.camera?.map((value, at) => value.toFixed(at === 2 ? 2 : 1)).join("_") ?? "",
    axial: viewText(s.views.axial),
    coronal: viewText(s.views.coronal),
    sagittal: viewText(s.views.sagittal),
    crosshair: s.isCrosshairVisible ? "1" : "0",
    measured: measurementText(s.measurements),
    mosaic: s.mosaic ? `${s.mosaic.plane}_${s.mosaic.count}` : "",
  });
  const changedWords = words(state), before = words(start);
  for (const key of KEYS) put(key, changedWords[key], before[key]);
}

/** Parses "a_b" to numbers, each within its limits; `null` otherwise. */
function numbers(
  text: string | null,
  limits: readonly (readonly [number, number])[],
): number[] | null {
  const parts = text?.split("_") ?? [];
  const values = parts.map((part) => /^-?\d{1,5}(\.\d{1,3})?$/.test(part) ? Number(part) : NaN);
  const isGood = values.length === limits.length &&
    values.every((v, at) => v >= limits[at]![0] && v <= limits[at]![1]);
  return isGood ? values : null;
}

const MM: readonly [number, number] = [-1000, 1000];

const viewText = ({ zoom, panXMm, panYMm }: PaneView): string =>
  [zoom.toFixed(2), panXMm.toFixed(1), panYMm.toFixed(1)].map((text) => text.replace("-0.0", "0.0"))
    .join(
      "_",
    );

const choice = <T extends string>(text: string | null, of: readonly T[]): T | undefined =>
  of.find((each) => each === text);

/** A view read from an address, which may contain zoom and pan of some planes only. */
type SharedView = Omit<ViewState, "views"> & { views: Partial<ViewState["views"]> };

/** Parses the view of an address; missing or invalid parameters are ignored. */
export function readView(params: URLSearchParams): Partial<SharedView> {
  const get = (key: (typeof KEYS)[number]) => params.get(key);
  const at = numbers(get("at"), [MM, MM, MM]),
    window = numbers(get("window"), [[1, 1024], [-256, 512]]);
  const thickness = numbers(get("thickness"), [[0, 5], [0, 5]]),
    opacity = numbers(get("opacity"), [[0, 100]]);
  const threshold = numbers(get("threshold"), [[0, 20]]),
    region = numbers(get("region"), [[0, 255]]);
  const degrees: [number, number] = [-360, 360];
  const camera = numbers(get("camera"), [degrees, degrees, [0, 100], MM, MM, MM]);
  const hidden = get("hidden") === null ? null : labelsOf(get("hidden")!);
  const views = PLANES.map((plane) => {
    const [zoom, panXMm, panYMm] = numbers(get(plane), [[ZOOM_MIN, ZOOM_MAX], MM, MM]) ?? [];
    return zoom === undefined ? null : [plane, { zoom, panXMm, panYMm }] as const;
  }).filter((each) => each !== null);
  const [tiled = "", count] = get("mosaic")?.split("_") ?? [], mosaic = choice(tiled, PLANES);
  const tiles = MOSAIC_COUNTS.find((each) => String(each) === count);
  const flag = (key: "overlay" | "wmhonly" | "crosshair") => choice(get(key), ["0", "1"]);
  const lesions = choice(get("lesions"), ["", "d", "p", "dp"]);
  const state: { [K in keyof SharedView]: SharedView[K] | undefined } = {
    tab: choice(get("tab"), VIEWER_TYPES),
    at: at ? at as ViewState["at"] : undefined,
    window: window ? window as ViewState["window"] : undefined,
    convention: choice(get("convention"), ["radiological", "neurological"]),
    division: choice(get("division"), ["3", "4"]) && Number(get("division")) as 3 | 4,
    isOverlayVisible: flag("overlay") && flag("overlay") === "1",
    opacityPercent: opacity?.[0],
    threshold: get("threshold") === "all"
      ? null
      : threshold?.[0] === undefined
      ? undefined
      : Math.round(threshold[0]),
    basis: choice(get("basis"), ["region", "icv"]),
    thickness: thickness && thickness[0]! <= thickness[1]!
      ? thickness as ViewState["thickness"]
      : undefined,
    isDeepVisible: lesions?.includes("d"),
    isPeriVisible: lesions?.includes("p"),
    isWmhOnly: flag("wmhonly") && flag("wmhonly") === "1",
    hidden: hidden ?? undefined,
    selected: region?.[0] === undefined ? undefined : Math.round(region[0]),
    smallPanes: choice(get("small"), ["stacked", "sideBySide"]),
    large: choice(get("large"), PLANES),
    full: choice(get("full"), PANES),
    camera: camera ? camera as CameraView : undefined,
    views: views.length > 0 ? Object.fromEntries(views) as SharedView["views"] : undefined,
    isCrosshairVisible: flag("crosshair") && flag("crosshair") === "1",
    measurements: measurementsOf(get("measured") ?? "") ?? undefined,
    mosaic: mosaic && tiles ? { plane: mosaic, count: tiles } : undefined,
  };
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined));
}
