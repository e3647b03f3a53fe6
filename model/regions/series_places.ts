import {
  type Affine,
  applyAffine,
  compose,
  invert,
  type Shape,
  spacingMm,
  type Vec3,
} from "@/model/geometry.ts";
import {
  coveredVoxels,
  type LabelMap,
  type LesionPlace,
  LesionPlaces,
} from "@/model/regions/lesion_site.ts";

/** Lesion map of a FLAIR series, and the transform of its grid to the label map. */
export interface SeriesLesions {
  /** lesion map, i fastest; 0 outside of lesions */
  mask: Uint8Array;
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** RAS mm of the label map from RAS mm of the series */
  mapFromSeries: Affine<"Ras", "Ras">;
}

/** The face-connected component of `first`: the engine counts lesions by the same connectivity. */
export function faceConnected(mask: Uint8Array, [nx, ny, nz]: Shape, first: number): number[] {
  const component = new Set([first]), slice = nx * ny;
  // a Set iterates over elements added during the loop
  for (const voxel of component) {
    const i = voxel % nx, j = Math.floor(voxel / nx) % ny, k = Math.floor(voxel / slice);
    const around: [boolean, number][] = [
      [i > 0, voxel - 1],
      [i < nx - 1, voxel + 1],
      [j > 0, voxel - nx],
      [j < ny - 1, voxel + nx],
      [k > 0, voxel - slice],
      [k < nz - 1, voxel + slice],
    ];
    for (const [isInside, neighbour] of around) {
      if (isInside && mask[neighbour] !== 0) component.add(neighbour);
    }
  }
  return [...component];
}

/** Determines the locations of lesions on another grid than that of the label map. */
export function seriesPlaces(
  map: LabelMap,
  { shape, rasFromIjk, mapFromSeries }: Omit<SeriesLesions, "mask">,
): (voxels: readonly number[]) => LesionPlace | null {
  const places = new LesionPlaces(map),
    spacing = [spacingMm(rasFromIjk), spacingMm(map.rasFromIjk)];
  const toMap = compose(invert(map.rasFromIjk), compose(mapFromSeries, rasFromIjk));
  return (voxels) =>
    places.placeOf(
      coveredVoxels(
        voxels,
        shape,
        (ijk) => applyAffine(toMap, ijk),
        map.shape,
        spacing as unknown as readonly [number[], number[]],
      ),
    );
}

/**
 * Location of each lesion that the engine lists.
 *
 * @param centresRasMm  A voxel of each lesion, in mm of the label map.
 */
export function placesOfLesions(
  centresRasMm: readonly Readonly<Vec3>[],
  map: LabelMap,
  lesions: SeriesLesions,
): (LesionPlace | null)[] {
  const { mask, shape: [nx, ny, nz], rasFromIjk, mapFromSeries } = lesions;
  const toSeries = invert(compose(mapFromSeries, rasFromIjk)), nameOf = seriesPlaces(map, lesions);
  return centresRasMm.map((centre) => {
    const [i, j, k] = applyAffine(toSeries, centre).map(Math.round) as Vec3;
    if (i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz) return null;
    const first = i + nx * (j + ny * k);
    return mask[first] === 0 ? null : nameOf(faceConnected(mask, lesions.shape, first));
  });
}
