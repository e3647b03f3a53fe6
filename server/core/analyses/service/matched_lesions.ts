import {
  type Affine,
  applyAffine,
  compose,
  determinant,
  invert,
  type Shape,
} from "@/model/geometry.ts";
import { SMALLEST_LESION_MM3 } from "@/model/regions/lesion_kind.ts";
import type { LesionChangeKind } from "@/model/schema/reading/lesion_changes.ts";
import type { StoredLesion } from "@/server/core/analyses/storage/flair_changes.ts";
import { lesionComponents } from "@/server/core/analyses/service/lesion_components.ts";
import type { ChangedLesion } from "@/server/core/engine/result.ts";

/** Lesion mask on the FLAIR series, and list of lesions, of one of two compared studies. */
export interface LesionVisit {
  /** mask with readers' corrections; 0 outside lesions */
  mask: Uint8Array;
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** all lesions of the analysis, largest first; centres in RAS mm on the mask's grid */
  lesions: readonly {
    periMm3: number;
    deepMm3: number;
    centreRasMm: readonly [number, number, number];
  }[];
  /** maps scanner mm of the FLAIR series to RAS mm of the mask's grid */
  maskFromFlair: Affine<"Ras", "Ras">;
  /** changes on the FLAIR series' grid: 0, or 1 + the number of the change */
  marks: Uint8Array;
  flairShape: Shape;
  flairRasFromIjk: Affine<"Ras", "Ijk">;
}

/** A changed lesion, with the numbers of the engine's changes that it contains. */
export type MatchedLesion = StoredLesion & { parts: number[] };

/**
 * Minimum overlap, as a fraction of the smaller part, that joins components or changes.
 */
const LEAST_OVERLAP = 0.2;
/** Maximum distance from a component at which a listed lesion or fragment belongs to it, mm. */
const NEAR_MM = 4;
/** One connected component of a lesion mask: a lesion, or several that touch each other. */
interface Component {
  voxels: number[];
  /** total volume of the listed lesions in the component */
  mm3: number;
  /** indices of the listed lesions in the component */
  listed: number[];
}

const ijkOf = (voxel: number, [nx, ny]: Shape): [number, number, number] => [
  voxel % nx,
  Math.floor(voxel / nx) % ny,
  Math.floor(voxel / (nx * ny)),
];

/** Index of the nearest voxel to a position; −1 outside the grid. */
function voxelAt([x, y, z]: readonly [number, number, number], [nx, ny, nz]: Shape): number {
  const i = Math.round(x), j = Math.round(y), k = Math.round(z);
  return i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz ? -1 : i + nx * (j + ny * k);
}

/** Disjoint sets of numbers (union-find), which join overlapping components. */
class Joined {
  #parent: number[];
  constructor(size: number) {
    this.#parent = Array.from({ length: size }, (_, at) => at);
  }
  rootOf(at: number): number {
    while (this.#parent[at] !== at) at = this.#parent[at] = this.#parent[this.#parent[at]!]!;
    return at;
  }
  join(one: number, other: number): void {
    this.#parent[this.rootOf(one)] = this.rootOf(other);
  }
}

/**
 * Components of a mask, with the volumes of their listed lesions on the FLAIR's own voxel grid.
 * A fragment of the mask without a listed lesion is joined to the adjacent component.
 */
function componentsWithVolumes({ mask, shape, rasFromIjk, lesions }: LesionVisit): Component[] {
  const all = lesionComponents(mask, shape), mm3 = Math.abs(determinant(rasFromIjk));
  const points = all.map((voxels) =>
    voxels.map((voxel) => applyAffine(rasFromIjk, ijkOf(voxel, shape)))
  );
  const distance = (component: number, [x, y, z]: readonly [number, number, number]) =>
    points[component]!.reduce(
      (least, p) => Math.min(least, Math.hypot(p[0] - x, p[1] - y, p[2] - z)),
      Infinity,
    );
  const nearest = (
    mm: readonly [number, number, number],
    isChosen: (component: number) => boolean,
  ) => {
    let best = -1, least = NEAR_MM;
    for (let component = 0; component < all.length; component++) {
      const away = isChosen(component) ? distance(component, mm) : Infinity;
      if (away <= least) [best, least] = [component, away];
    }
    return best;
  };
  const componentOf = new Map(
    all.flatMap((voxels, component) => voxels.map((voxel) => [voxel, component] as const)),
  );
  const ijkFromRas = invert(rasFromIjk);
  const listed: number[][] = all.map(() => []);
  lesions.forEach(({ centreRasMm }, n) => {
    const inside = componentOf.get(voxelAt(applyAffine(ijkFromRas, centreRasMm), shape));
    const component = inside ?? nearest(centreRasMm, () => true);
    if (component >= 0) listed[component]!.push(n);
  });
  const components = all.map((voxels, component): Component => ({
    voxels,
    listed: listed[component]!,
    mm3: listed[component]!.reduce((sum, n) => sum + lesions[n]!.periMm3 + lesions[n]!.deepMm3, 0),
  }));
  return components.filter((fragment, component) => {
    if (fragment.listed.length > 0) return true;
    const beside = nearest(points[component]![0]!, (other) => components[other]!.listed.length > 0);
    if (beside >= 0) {
      components[beside]!.voxels.push(...fragment.voxels);
      return false;
    }
    fragment.mm3 = fragment.voxels.length * mm3;
    return true;
  });
}

/** Voxel counts of each component by value of a second map: change, or component of a mask. */
function overlapsOf(
  components: readonly Component[],
  shape: Shape,
  otherIjkFromIjk: Affine<"SourceIjk", "Ijk">,
  valueAt: (ijk: [number, number, number]) => number,
): Map<number, number>[] {
  return components.map(({ voxels }) => {
    const counts = new Map<number, number>();
    for (const voxel of voxels) {
      const value = valueAt(applyAffine(otherIjkFromIjk, ijkOf(voxel, shape)));
      if (value >= 0) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return counts;
  });
}

const asOther = (affine: Affine<"Ijk", "Ijk">) => affine as unknown as Affine<"SourceIjk", "Ijk">;

/**
 * Combines the engine's changes with the lesion masks, which give the volumes at both studies.
 * Overlapping components of the two masks form one lesion that contains the changes in it.
 * A brighter place outside both masks is a lesion of 0 mm³, and never of high confidence.
 * Left out: darker places outside the masks, and lesions below {@link SMALLEST_LESION_MM3}.
 *
 * @param changes          Changes detected by the engine.
 * @param secondFromFirst  Maps scanner coordinates (mm) of the earlier FLAIR series to the later.
 * @returns lesions by decreasing confidence.
 */
export function matchedLesions(
  [prior, current]: readonly [LesionVisit, LesionVisit],
  changes: readonly ChangedLesion[],
  secondFromFirst: Affine<"Ras", "Ras">,
): MatchedLesion[] {
  const visits = [prior, current], components = visits.map(componentsWithVolumes);
  const firsts = [0, components[0]!.length, components[0]!.length + components[1]!.length];
  const groups = new Joined(firsts[2]! + changes.length);
  visits.forEach((visit, v) => {
    const flairVoxelMm3 = Math.abs(determinant(visit.flairRasFromIjk));
    const voxelMm3 = Math.abs(determinant(visit.rasFromIjk)),
      markedVoxels = new Map<number, number>();
    for (const mark of visit.marks) {
      if (mark > 0) markedVoxels.set(mark - 1, (markedVoxels.get(mark - 1) ?? 0) + 1);
    }
    const toFlair = asOther(compose(
      invert(visit.flairRasFromIjk),
      compose(invert(visit.maskFromFlair), visit.rasFromIjk),
    ));
    const overlaps = overlapsOf(components[v]!, visit.shape, toFlair, (ijk) => {
      const voxel = voxelAt(ijk, visit.flairShape);
      return voxel < 0 ? -1 : visit.marks[voxel]! - 1;
    });
    overlaps.forEach((counts, component) => {
      const mm3 = components[v]![component]!.voxels.length * voxelMm3;
      for (const [change, voxels] of counts) {
        const least = LEAST_OVERLAP * Math.min(mm3, markedVoxels.get(change)! * flairVoxelMm3);
        if (voxels * voxelMm3 >= least) groups.join(firsts[v]! + component, firsts[2]! + change);
      }
    });
  });
  joinVisits([prior, current], components as [Component[], Component[]], secondFromFirst, groups);
  const byGroup = Map.groupBy(changes.keys(), (change) => groups.rootOf(firsts[2]! + change));
  const matched = [...byGroup].map(([root, parts]) => {
    const [before, after] = [0, 1].map((v) =>
      components[v]!.filter((_, component) => groups.rootOf(firsts[v]! + component) === root)
    ) as [Component[], Component[]];
    return lesionOf(parts, changes, { before, after });
  });
  return matched.filter(({ kind, beforeMm3, afterMm3, changedMm3 }) => {
    const mm3 = Math.max(beforeMm3, afterMm3);
    return mm3 === 0
      ? isGrowth(kind) && changedMm3 >= SMALLEST_LESION_MM3
      : mm3 >= SMALLEST_LESION_MM3;
  }).sort((a, b) => Number(b.isSure) - Number(a.isSure) || b.z - a.z);
}

/** Joins the components of the two masks that overlap. */
function joinVisits(
  [prior, current]: readonly [LesionVisit, LesionVisit],
  [before, after]: readonly [Component[], Component[]],
  secondFromFirst: Affine<"Ras", "Ras">,
  groups: Joined,
): void {
  const componentOf = new Map(
    after.flatMap(({ voxels }, component) => voxels.map((voxel) => [voxel, component] as const)),
  );
  const currentFromPrior = compose(
    current.maskFromFlair,
    compose(secondFromFirst, invert(prior.maskFromFlair)),
  );
  const toCurrent = asOther(
    compose(invert(current.rasFromIjk), compose(currentFromPrior, prior.rasFromIjk)),
  );
  const [priorMm3, currentMm3] = [prior, current].map(({ rasFromIjk }) =>
    Math.abs(determinant(rasFromIjk))
  ) as [number, number];
  const overlaps = overlapsOf(
    before,
    prior.shape,
    toCurrent,
    (ijk) => componentOf.get(voxelAt(ijk, current.shape)) ?? -1,
  );
  overlaps.forEach((counts, component) => {
    for (const [other, voxels] of counts) {
      const smaller = Math.min(
        before[component]!.voxels.length * priorMm3,
        after[other]!.voxels.length * currentMm3,
      );
      if (voxels * priorMm3 >= LEAST_OVERLAP * smaller) {
        groups.join(component, before.length + other);
      }
    }
  });
}

const isGrowth = (kind: LesionChangeKind) => kind === "new" || kind === "enlarging";

/**
 * One changed lesion: its volumes at both studies decide whether it is new, enlarging, gone, …
 * High confidence requires a change of high confidence in the same direction.
 */
function lesionOf(
  parts: readonly number[],
  changes: readonly ChangedLesion[],
  { before, after }: Record<"before" | "after", Component[]>,
): MatchedLesion {
  const ordered = parts.toSorted((a, b) =>
    Number(changes[b]!.isSure) - Number(changes[a]!.isSure) || changes[b]!.z - changes[a]!.z
  );
  const first = changes[ordered[0]!]!;
  const volumeOf = (components: readonly Component[]) =>
    components.reduce((sum, { mm3 }) => sum + mm3, 0);
  const beforeMm3 = volumeOf(before), afterMm3 = volumeOf(after);
  const hasGrown = afterMm3 === beforeMm3 ? isGrowth(first.kind) : afterMm3 > beforeMm3;
  const kind: LesionChangeKind = beforeMm3 === 0 && afterMm3 === 0
    ? first.kind
    : beforeMm3 === 0
    ? "new"
    : afterMm3 === 0
    ? "gone"
    : hasGrown
    ? "enlarging"
    : "shrinking";
  return {
    kind,
    isSure: beforeMm3 + afterMm3 > 0 &&
      parts.some((part) =>
        changes[part]!.isSure && isGrowth(changes[part]!.kind) === isGrowth(kind)
      ),
    changedMm3: parts.reduce((sum, part) => sum + changes[part]!.changedMm3, 0),
    beforeMm3,
    afterMm3,
    z: first.z,
    centreRasMm: first.centreRasMm,
    parts: ordered,
    listed: {
      before: before.flatMap(({ listed }) => listed).sort((a, b) => a - b),
      after: after.flatMap(({ listed }) => listed).sort((a, b) => a - b),
    },
  };
}
