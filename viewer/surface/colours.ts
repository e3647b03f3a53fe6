import type { ViewerType } from "@/model/viewer/viewer_tabs.ts";
import { affineRow, type Grid } from "@/viewer/grid.ts";
import { labelAt, labelAtMm } from "@/viewer/slices/marks/pick.ts";
import type { SurfaceMesh } from "@/viewer/surface/kernel.ts";
import { thicknessValue } from "@/viewer/visibility.ts";

type Rgb = readonly [red: number, green: number, blue: number];

/** Colour of the surface without overlay, and of the rim around the selected region. */
const PLAIN: Rgb = [196, 190, 184], RIM: Rgb = [255, 255, 255];
/**
 * Depths below the surface at which a label is searched, mm: in the cortex first, outside last.
 */
const DEPTHS_MM = [1, 0.5, 1.5, 2, 0, 3, 4, -1];
/** Label of cerebral white matter, below the cortex: used only when no other label is near. */
const WHITE_MATTER = [1, 2];
/** Fraction of their colour that other regions keep while one region is selected. */
const UNSELECTED_ALPHA = 0.65;

/**
 * Label of each vertex: that of the nearest voxel slightly below the surface.
 *
 * @param labels Label map, [nx, ny, nz], i fastest.
 * @returns One label per vertex, 0 where none is near; allocated.
 */
export function vertexLabels(
  { positions, normals }: SurfaceMesh,
  labels: Uint8Array,
  grid: Grid,
): Uint8Array {
  const out = new Uint8Array(positions.length / 3), place = new Float64Array(3);
  const index = (axis: number) => Math.floor(affineRow(grid.ijkFromRas, axis, place) + 0.5);
  for (let v = 0; v < out.length; v++) {
    for (const depth of DEPTHS_MM) {
      for (let r = 0; r < 3; r++) place[r] = positions[v * 3 + r]! - depth * normals[v * 3 + r]!;
      const label = labelAt(labels, grid, index(0), index(1), index(2));
      if (label === 0) continue;
      if (!WHITE_MATTER.includes(label)) {
        out[v] = label;
        break;
      }
      out[v] ||= label;
    }
  }
  return out;
}

/**
 * Position of a region below a point of the surface, RAS mm;
 * the point itself when no voxel of the region is near.
 */
export function placeBelow(
  { normals }: SurfaceMesh,
  vertex: number,
  pointMm: Float64Array,
  label: number,
  labels: Uint8Array,
  grid: Grid,
): Float64Array {
  for (const depth of DEPTHS_MM) {
    const place = pointMm.map((mm, r) => mm - depth * normals[vertex * 3 + r]!);
    if (labelAtMm(labels, grid, place) === label) return place;
  }
  return pointMm;
}

/** State that determines the colours of the surface. */
export interface ColourState {
  type: ViewerType;
  /** Visibility and opacity of the tab's overlay. */
  isVisible: boolean;
  opacityPercent: number;
  /**
   * Colours and 256 visibility flags of the tab's values: labels, or thickness with 255 for 5 mm.
   */
  table: Uint32Array;
  shown: Uint8Array;
  /** Label of the selected region; 0 for none. */
  selected: number;
}

const word = ([red, green, blue]: Rgb): number =>
  (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;

/** Blends colour `over` onto `under`, both RGBA words, with `alpha` 0..1. */
function blend(under: number, over: number, alpha: number): number {
  const channel = (shift: number) => {
    const u = under >>> shift & 255, o = over >>> shift & 255;
    return Math.round(u + (o - u) * alpha) << shift;
  };
  return (0xff000000 | channel(16) | channel(8) | channel(0)) >>> 0;
}

/**
 * Writes the colour of every vertex: the tab's overlay on grey. A selected region is always shown
 * in its colour, with a white rim, and the others are faded.
 *
 * @param out    One RGBA word per vertex.
 * @param labels Result of {@link vertexLabels}; empty before the label map is loaded.
 */
export function writeVertexColours(
  out: Uint32Array,
  mesh: SurfaceMesh,
  labels: Uint8Array,
  state: ColourState,
  regionTable: Uint32Array,
): void {
  const plain = word(PLAIN), isThickness = state.type === "corticalThickness";
  const alpha = state.isVisible && state.type !== "wmh" ? state.opacityPercent / 100 : 0;
  // blends each of the 256 values once instead of each vertex
  const colours = new Uint32Array(256).fill(plain);
  for (let value = 1; value < 256; value++) {
    if (state.shown[value] === 1) colours[value] = blend(plain, state.table[value]!, alpha);
  }
  const isChosenHere = state.selected > 0 && state.type !== "wmh" &&
    labels.includes(state.selected);
  if (isChosenHere && !isThickness) {
    for (let value = 0; value < 256; value++) {
      colours[value] = blend(0, colours[value]!, UNSELECTED_ALPHA);
    }
    colours[state.selected] = regionTable[state.selected]!;
  }
  for (let v = 0; v < out.length; v++) {
    out[v] = colours[isThickness ? thicknessValue(mesh.values[v]!) : labels[v] ?? 0]!;
  }
  if (!isChosenHere) return;
  const { faces } = mesh, rim = word(RIM);
  for (let at = 0; at < faces.length; at += 3) {
    let count = 0;
    for (let n = 0; n < 3; n++) if (labels[faces[at + n]!] === state.selected) count++;
    if (count === 0 || count === 3) continue;
    for (let n = 0; n < 3; n++) {
      if (labels[faces[at + n]!] === state.selected) out[faces[at + n]!] = rim;
    }
  }
}
