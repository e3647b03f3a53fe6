import { browserApi } from "@/client/browser_api.ts";
import { getPatient, getVolume } from "@/client/api/studies/patients.ts";
import { getSeriesVolume } from "@/client/api/reading/series.ts";
import { createVolumeLoader } from "@/client/kernels/client.ts";
import { resampleVolume } from "@/client/kernels/reading/client.ts";
import type { ResampleRequest } from "@/client/kernels/reading/meta.ts";
import {
  type Affine,
  affineFromRowMajor,
  compose,
  invert,
  rowMajor,
  type Shape,
} from "@/model/geometry.ts";
import type { Comparable } from "@/model/schema/reading/comparables.ts";
import type { RefusedSeries, SeriesVolume, StudySeries } from "@/model/schema/reading/series.ts";
import type { Grid } from "@/viewer/grid.ts";
import { readOriginal } from "@/viewer/reading/original_volume.ts";
import type { PageScale } from "@/viewer/session/scales.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Slot, writeVoxels } from "@/viewer/slices/compose.ts";

/** Structures along which the images of a study can be resliced. */
export const OBLIQUES = ["commissures", "hippocampi"] as const;
export type Oblique = (typeof OBLIQUES)[number];

/** Images that can be compared with the study. */
export type CompareSource =
  | { kind: "study"; study: Comparable; series: "t1" | "t2" }
  | { kind: "own"; series: "t1" | "t2" }
  | { kind: "series"; series: StudySeries }
  /**
   * a refused series of the study that is stored for viewing;
   * `at`: index of the series among the refused series
   */
  | { kind: "refused"; series: RefusedSeries; volume: SeriesVolume; at: number }
  | { kind: "oblique"; along: Oblique };

/** Receives whole slices of the grid, starting at a voxel index. */
type OnSlab = (offset: number, voxels: Uint8Array) => void;

const FIELDS = { t1: "t1w_file", t2: "t2w_file" } as const;

/** Affine as three rows of four numbers, as the kernels expect. */
const rowsOf = (affine: Affine<"Ijk", "Ijk">): number[] => rowMajor(affine).slice(0, 12);

/** Combines affines and registration: voxel index of another volume from that of a grid. */
function fromGrid(
  grid: Grid,
  ijkFromRas: Affine<"Ijk", "Ras">,
  otherFromViewer: Affine<"Ras", "Ras"> | null,
): number[] {
  const toOther = otherFromViewer ? compose(ijkFromRas, otherFromViewer) : ijkFromRas;
  return rowsOf(compose(toOther, grid.rasFromIjk));
}

async function loadFile(
  request: {
    pid: number;
    field: "t1w_file" | "t2w_file";
    url: string;
    shape: Shape;
    signal: AbortSignal;
  },
  onSlab: OnSlab,
): Promise<void> {
  const loader = createVolumeLoader();
  try {
    await loader.load({ ...request, onSlab });
  } finally {
    loader.close();
  }
}

/** Images of another study, which are registered to this study. */
async function loadStudy(
  { study, series }: CompareSource & { kind: "study" },
  grid: Grid,
  onSlab: OnSlab,
  signal: AbortSignal,
): Promise<PageScale | null> {
  const { pid, viewer_from_other } = study;
  const [other, volume] = await Promise.all([
    getPatient(browserApi, pid, signal),
    getVolume(browserApi, pid, signal),
  ]);
  const field = FIELDS[series], url = other[field], shape = [...volume.shape] as Shape;
  if (!url) throw new DOMException("The study has no such images", "NotFoundError");
  const voxels = new Uint8Array(shape[0] * shape[1] * shape[2]);
  await loadFile({ pid, field, url, shape, signal }, (at, slab) => voxels.set(slab, at));
  const ijkFromRas = invert(affineFromRowMajor<"Ras", "Ijk">(volume.affine));
  const moved = viewer_from_other && invert(affineFromRowMajor<"Ras", "Ras">(viewer_from_other));
  const request: ResampleRequest = {
    voxels,
    shape,
    fromTarget: fromGrid(grid, ijkFromRas, moved),
    target: grid.shape,
    scale: { low: 0, gain: 1 },
    isTurned: false,
  };
  await resampleVolume(request, onSlab, signal);
  return volume.scales?.[series] ?? null;
}

/** Loads a series of the study, analysed or not, without caching. */
async function loadSeries(
  { volume_url, shape, affine, window }: SeriesVolume,
  grid: Grid,
  onSlab: OnSlab,
  signal: AbortSignal,
): Promise<PageScale> {
  const packed = await getSeriesVolume(browserApi, volume_url, signal);
  const plain = packed.body &&
    await new Response(packed.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const original = plain && readOriginal(plain, [...shape], affine);
  if (!original) throw new DOMException("The series has no values", "NotReadableError");
  const { voxels, ijkFromRas, slope, intercept } = original;
  const fromTarget = fromGrid(grid, ijkFromRas, null);
  // copies the voxels without the header of the file
  const owned = voxels.slice();
  const request: ResampleRequest = {
    voxels: owned,
    shape: [...shape],
    fromTarget,
    target: grid.shape,
    scale: "shown",
    isTurned: slope < 0,
  };
  const { low, gain } = await resampleVolume(request, onSlab, signal);
  return { slope: slope / gain, intercept: intercept + slope * low, window };
}

/** Reslices a volume of the study onto an oblique grid. */
export async function resampleOwn(
  session: ViewerSession,
  slot: Slot,
  grid: Grid,
  onSlab: OnSlab,
  signal: AbortSignal,
): Promise<void> {
  const isLabels = slot !== "t1w" && slot !== "flair";
  const request: ResampleRequest = {
    voxels: session.composer!.volume(slot).slice(),
    shape: session.grid.shape,
    fromTarget: fromGrid(grid, session.grid.ijkFromRas, null),
    target: grid.shape,
    scale: isLabels ? "nearest" : { low: 0, gain: 1 },
    isTurned: false,
  };
  await resampleVolume(request, onSlab, signal);
}

/**
 * Resamples other images onto this study's grid.
 *
 * @returns Rescaling from bytes to original values; `null` if unknown.
 * @throws {AppError} as `getPatient` and `resampleVolume`; a `DOMException` for missing images.
 */
export async function loadOther(
  session: ViewerSession,
  source: Exclude<CompareSource, { kind: "oblique" }>,
  onSlab: OnSlab,
  signal: AbortSignal,
): Promise<PageScale | null> {
  const { grid, patient, pid } = session;
  if (source.kind === "study") return await loadStudy(source, grid, onSlab, signal);
  if (source.kind === "series") return await loadSeries(source.series, grid, onSlab, signal);
  if (source.kind === "refused") return await loadSeries(source.volume, grid, onSlab, signal);
  const field = FIELDS[source.series];
  await loadFile({ pid, field, url: patient[field]!, shape: grid.shape, signal }, onSlab);
  return session.scales[source.series];
}

/** Collects slabs of a volume as they are loaded. */
export const writingInto = (room: () => Uint8Array): OnSlab => (at, slab) =>
  writeVoxels(room(), at, slab);
