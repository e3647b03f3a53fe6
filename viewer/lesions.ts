import type { LesionPlace } from "@/model/regions/lesion_site.ts";
import { affineRow, type Grid } from "@/viewer/grid.ts";
import { DEEP } from "@/viewer/colours.ts";

/** One lesion: a 26-connected component of the lesion volume. */
export interface Lesion {
  volumeMl: number;
  deepMl: number;
  periMl: number;
  /** Kind of most of the lesion's voxels: 1 periventricular, 2 deep. */
  kind: "deep" | "periventricular";
  /** Voxel closest to the lesion's centre of mass, always inside the lesion, RAS mm. */
  centreRasMm: readonly [number, number, number];
  /** Label of the brain region that describes the lesion's location. */
  nearLabel?: number;
  /** Location class of the lesion, by contact with ventricle and cortex. */
  place?: LesionPlace;
}

/** Yields to the browser; resolves at once if called soon after the last pause. */
type Pause = () => Promise<void>;

/** Maximum working time between two pauses, ms. */
const SLICE_MS = 8;
/** Number of voxels processed between two checks of the clock. */
const CHUNK = 1 << 16;

/** Creates a pause that lets the browser render and handle input after {@link SLICE_MS}. */
export function createPause(): Pause {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await new Promise((done) => setTimeout(done));
    since = performance.now();
  };
}

/** Bounding box of all non-zero voxels, inclusive; `null` without any. */
async function boxOf(voxels: () => Uint8Array, [nx, ny, nz]: Grid["shape"], pause: Pause) {
  const low = [nx, ny, nz], high = [-1, -1, -1], total = nx * ny * nz;
  for (let start = 0; start < total; start += CHUNK) {
    await pause();
    // requests the view again after each pause, because the kernel's memory may have moved
    const volume = voxels(), end = Math.min(start + CHUNK, total);
    for (let v = start; v < end; v++) {
      if (volume[v] === 0) continue;
      const i = v % nx, j = Math.floor(v / nx) % ny, k = Math.floor(v / (nx * ny));
      if (i < low[0]!) low[0] = i;
      if (i > high[0]!) high[0] = i;
      if (j < low[1]!) low[1] = j;
      if (j > high[1]!) high[1] = j;
      if (k < low[2]!) low[2] = k;
      if (k > high[2]!) high[2] = k;
    }
  }
  return high[0]! < 0 ? null : { low, high };
}

/**
 * Finds the lesions of a volume, largest first, in steps of a few ms with pauses.
 *
 * @param voxels Returns the lesion volume (0 none, 1 periventricular, 2 deep), shape `grid.shape`,
 * i fastest. Called again after each pause, because the kernel's memory may move.
 * @param signal  Aborts the search; the promise then rejects with the signal's reason.
 * @returns 26-connected components. Allocates one byte per voxel for the box around all lesions.
 */
export async function findLesions(
  voxels: () => Uint8Array,
  grid: Grid,
  signal: AbortSignal,
  wait: Pause = createPause(),
): Promise<Lesion[]> {
  const pause = async () => {
    await wait();
    signal.throwIfAborted();
  };
  const box = await boxOf(voxels, grid.shape, pause);
  if (!box) return [];
  const { low, high } = box, [nx, ny] = grid.shape;
  // padded by one empty voxel, so that neighbours need no border checks
  const [bx, by, bz] = low.map((from, axis) => high[axis]! - from + 3) as [number, number, number];
  const unvisited = new Uint8Array(bx * by * bz);
  for (let k = low[2]!; k <= high[2]!; k++) {
    await pause();
    const volume = voxels();
    for (let j = low[1]!; j <= high[1]!; j++) {
      const from = low[0]! + nx * (j + ny * k);
      unvisited.set(
        volume.subarray(from, from + bx - 2),
        1 + bx * (j - low[1]! + 1 + by * (k - low[2]! + 1)),
      );
    }
  }
  const around = [-1, 0, 1].flatMap((k) =>
    [-1, 0, 1].flatMap((j) => [-1, 0, 1].map((i) => i + bx * (j + by * k)))
  ).filter((step) => step !== 0);
  const mlPerVoxel = grid.spacingMm[0] * grid.spacingMm[1] * grid.spacingMm[2] / 1000;
  const lesions: Lesion[] = [];
  for (let start = 0, visited = 0; start < unvisited.length; start++) {
    if (start % CHUNK === 0) await pause();
    if (unvisited[start] === 0) continue;
    const component = [start], sum = [0, 0, 0];
    let deep = 0;
    if (unvisited[start] === DEEP) deep++;
    unvisited[start] = 0;
    for (let visitedCount = 0; visitedCount < component.length; visitedCount++) {
      if (++visited % CHUNK === 0) await pause();
      const at = component[visitedCount]!;
      sum[0]! += at % bx;
      sum[1]! += Math.floor(at / bx) % by;
      sum[2]! += Math.floor(at / (bx * by));
      for (const step of around) {
        const neighbour = at + step, value = unvisited[neighbour]!;
        if (value === 0) continue;
        if (value === DEEP) deep++;
        unvisited[neighbour] = 0;
        component.push(neighbour);
      }
    }
    const mean = sum.map((total) => total / component.length);
    let best = start, bestDistance = Infinity;
    for (const at of component) {
      const di = at % bx - mean[0]!, dj = Math.floor(at / bx) % by - mean[1]!;
      const dk = Math.floor(at / (bx * by)) - mean[2]!, distance = di * di + dj * dj + dk * dk;
      if (distance < bestDistance) [best, bestDistance] = [at, distance];
    }
    const ijk = [
      best % bx + low[0]! - 1,
      Math.floor(best / bx) % by + low[1]! - 1,
      Math.floor(best / (bx * by)) + low[2]! - 1,
    ];
    lesions.push({
      volumeMl: component.length * mlPerVoxel,
      deepMl: deep * mlPerVoxel,
      periMl: (component.length - deep) * mlPerVoxel,
      kind: deep * 2 >= component.length ? "deep" : "periventricular",
      centreRasMm: [0, 1, 2].map((r) => affineRow(grid.rasFromIjk, r, ijk)) as [
        number,
        number,
        number,
      ],
    });
  }
  return lesions.sort((a, b) => b.volumeMl - a.volumeMl);
}

/**
 * Maximum distance of a lesion's voxel from the lesion's listed centre, in voxels.
 * The same lesion in masks of different sampling differs by less than this.
 */
const NEAR_VOXELS = 2;

/**
 * Position for displaying a lesion, on the axial slice with most of the lesion's voxels:
 * the voxel closest to the centre of these voxels.
 *
 * @param voxels       The lesion volume, shape `grid.shape`, i fastest; 0 outside lesions.
 * @param centreRasMm  A position in the lesion.
 * @returns RAS mm; the given position if no lesion is at that position.
 */
export function fullestPointOf(
  voxels: Uint8Array,
  grid: Grid,
  centreRasMm: readonly [number, number, number],
): readonly [number, number, number] {
  const { shape: [nx, ny, nz], rasFromIjk, ijkFromRas } = grid;
  const ijkOf = (voxel: number) =>
    [voxel % nx, Math.floor(voxel / nx) % ny, Math.floor(voxel / (nx * ny))] as const;
  const around = (voxel: number, reach: number): number[] => {
    const [i, j, k] = ijkOf(voxel), found: number[] = [];
    for (let c = Math.max(0, k - reach); c <= Math.min(nz - 1, k + reach); c++) {
      for (let b = Math.max(0, j - reach); b <= Math.min(ny - 1, j + reach); b++) {
        for (let a = Math.max(0, i - reach); a <= Math.min(nx - 1, i + reach); a++) {
          const neighbour = a + nx * (b + ny * c);
          if (voxels[neighbour] !== 0) found.push(neighbour);
        }
      }
    }
    return found;
  };
  const nearest = (candidates: readonly number[], at: readonly number[]) => {
    const away = (voxel: number) => Math.hypot(...ijkOf(voxel).map((x, axis) => x - at[axis]!));
    return candidates.reduce((best, voxel) => away(voxel) < away(best) ? voxel : best);
  };
  const start = [0, 1, 2].map((axis) => Math.round(affineRow(ijkFromRas, axis, centreRasMm)));
  const isInside = start.every((index, axis) => index >= 0 && index < grid.shape[axis]!);
  const beside = isInside ? around(start[0]! + nx * (start[1]! + ny * start[2]!), NEAR_VOXELS) : [];
  if (beside.length === 0) return centreRasMm;
  const first = nearest(beside, start), lesion = new Set([first]);
  // a Set iterates over elements added during the loop
  for (const voxel of lesion) for (const neighbour of around(voxel, 1)) lesion.add(neighbour);
  const axis = [0, 1, 2].reduce((best, each) =>
    Math.abs(rasFromIjk[4 * each + 2]!) > Math.abs(rasFromIjk[4 * best + 2]!) ? each : best
  );
  const slices = Map.groupBy(lesion, (voxel) => ijkOf(voxel)[axis as 0 | 1 | 2]);
  const fullest = [...slices.values()].reduce((best, slice) =>
    slice.length > best.length ? slice : best
  );
  const middle = [0, 1, 2].map((each) =>
    fullest.reduce((sum, voxel) => sum + ijkOf(voxel)[each as 0 | 1 | 2], 0) / fullest.length
  );
  const point = ijkOf(nearest(fullest, middle));
  return [0, 1, 2].map((row) => affineRow(rasFromIjk, row, point)) as [number, number, number];
}

/** Lesions counted by the analysis, in the order of the analysis: largest first. */
export function listedLesions(
  counted: readonly {
    peri_ml: number;
    deep_ml: number;
    centre_ras_mm: readonly [number, number, number];
    near_label?: number;
    place?: LesionPlace;
  }[],
): Lesion[] {
  return counted.map((
    { peri_ml: periMl, deep_ml: deepMl, centre_ras_mm: centreRasMm, near_label, place },
  ) => ({
    volumeMl: periMl + deepMl,
    deepMl,
    periMl,
    kind: deepMl >= periMl ? "deep" : "periventricular",
    centreRasMm,
    nearLabel: near_label,
    place,
  }));
}

/** Lesion volumes measured on the series' own grid, mL; `null` when not measured. */
interface MeasuredLesions {
  deep_wmh: number | null;
  peri_wmh: number | null;
}

/**
 * Adjusts lesion volumes to the analysis, largest first. The measured volume of each kind is
 * distributed over the lesions in proportion to the displayed voxels.
 * Voxel counts on the displayed grid, after resampling, would not add up to the measured volume.
 */
export function measuredLesions(
  lesions: readonly Lesion[],
  { deep_wmh, peri_wmh }: MeasuredLesions,
): Lesion[] {
  const sum = (kind: "deepMl" | "periMl") =>
    lesions.reduce((total, lesion) => total + lesion[kind], 0);
  const share = (measured: number | null, shown: number) =>
    measured && shown ? measured / shown : 1;
  const deepShare = share(deep_wmh, sum("deepMl")), periShare = share(peri_wmh, sum("periMl"));
  return lesions.map((lesion): Lesion => {
    const deepMl = lesion.deepMl * deepShare, periMl = lesion.periMl * periShare;
    return {
      ...lesion,
      deepMl,
      periMl,
      volumeMl: deepMl + periMl,
      kind: deepMl >= periMl ? "deep" : "periventricular",
    };
  }).sort((a, b) => b.volumeMl - a.volumeMl);
}
